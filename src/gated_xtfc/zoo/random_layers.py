"""Random second order problems with layers and known solutions: eps u'' + b u' - c u = f.

u is put together from formulas, f is the operator applied to it in closed form. The `hidden` kinds use exact modes of
the operator for their layers, so that f is smooth and only the operator tells where the layers are.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import log10, sin, sqrt

import numpy as np

from gated_xtfc.zoo.family import Family, Interval, Layers
from gated_xtfc.zoo.formula import Formula, corner, decay, needle, step, wave


@dataclass(frozen=True)
class Draft:
    """One problem before its conditions: coefficients as text in x, the solution in two parts, where its layers are."""

    diffusion: float
    convection: str
    reaction: str
    smooth: Formula
    sharp: Formula
    layers: Layers
    hidden: bool = False  # the sharp part is a mode of the operator: it does not enter f

    def source(self) -> str:
        solution = self.smooth if self.hidden else self.smooth + self.sharp
        value, slope, curvature = solution.at("x")
        return f"eps*({curvature}) + ({self.convection})*({slope}) - ({self.reaction})*({value})"


Draw = Callable[[np.random.Generator, Interval], Draft]


def logarithmic(random: np.random.Generator, low: float, high: float) -> float:
    return float(10 ** random.uniform(log10(low), log10(high)))


def height(random: np.random.Generator) -> float:
    return float(random.choice([-1.0, 1.0]) * random.uniform(0.3, 2.0))


def background(random: np.random.Generator) -> Formula:
    parts = [wave(height(random), random.uniform(0.5, 6.0), random.uniform(0.0, 6.0)) for _ in range(2)]
    return parts[0] + parts[1]


def positive(random: np.random.Generator) -> tuple[str, Callable[[float], float]]:
    """A smooth positive coefficient, as text and as a function."""
    mean, swing = float(random.uniform(0.5, 3.0)), float(random.uniform(0.0, 0.8))
    number, phase = float(random.uniform(0.5, 5.0)), float(random.uniform(0.0, 6.0))
    text = f"{mean!r}*(1 + {swing!r}*sin({number!r}*x + {phase!r}))"
    return text, lambda x: mean * (1 + swing * sin(number * x + phase))


def outflow(random: np.random.Generator, ends: Interval) -> Draft:
    eps, to_left = logarithmic(random, 1e-9, 1e-1), bool(random.integers(2))
    speed, at = positive(random)
    end, sign = (ends[0], 1.0) if to_left else (ends[1], -1.0)
    width = eps / at(end)
    layer = decay(height(random), -sign / width, end)
    reaction, _ = positive(random)
    return Draft(eps, f"({sign!r})*{speed}", reaction, background(random), layer, ((end, width),))


def outflow_hidden(random: np.random.Generator, ends: Interval) -> Draft:
    eps, speed, reaction = logarithmic(random, 1e-9, 1e-1), random.uniform(0.5, 3.0), random.uniform(0.0, 3.0)
    end, sign = (ends[0], 1.0) if random.integers(2) else (ends[1], -1.0)
    rate = (speed + sqrt(speed**2 + 4 * eps * reaction)) / (2 * eps)
    layer = decay(height(random), -sign * rate, end)
    return Draft(
        eps, repr(float(sign * speed)), repr(float(reaction)), background(random), layer, ((end, 1 / rate),), True
    )


def reaction(random: np.random.Generator, ends: Interval) -> Draft:
    eps = logarithmic(random, 1e-12, 1e-1)
    strength, at = positive(random)
    widths = [sqrt(eps / at(end)) for end in ends]
    layers = decay(height(random), -1 / widths[0], ends[0]) + decay(height(random), 1 / widths[1], ends[1])
    return Draft(eps, "0", strength, background(random), layers, ((ends[0], widths[0]), (ends[1], widths[1])))


def reaction_hidden(random: np.random.Generator, ends: Interval) -> Draft:
    eps, strength = logarithmic(random, 1e-12, 1e-1), float(random.uniform(0.5, 4.0))
    rate = sqrt(strength / eps)
    layers = decay(height(random), -rate, ends[0]) + decay(height(random), rate, ends[1])
    places = ((ends[0], 1 / rate), (ends[1], 1 / rate))
    return Draft(eps, "0", repr(strength), background(random), layers, places, True)


def inside(random: np.random.Generator, ends: Interval) -> float:
    return float(ends[0] + random.uniform(0.2, 0.8) * (ends[1] - ends[0]))


def turning_point(random: np.random.Generator, ends: Interval) -> Draft:
    eps, centre = logarithmic(random, 1e-10, 1e-1), inside(random, ends)
    speed, at = positive(random)
    width = sqrt(2 * eps / at(centre))
    shape = step if random.integers(2) else corner
    return Draft(
        eps,
        f"{speed}*(x - ({centre!r}))",
        repr(float(random.uniform(0.0, 2.0))),
        background(random),
        shape(height(random), centre, width),
        ((centre, width),),
    )


def turning_point_hidden(random: np.random.Generator, ends: Interval) -> Draft:
    eps, centre, speed = logarithmic(random, 1e-10, 1e-1), inside(random, ends), float(random.uniform(0.5, 3.0))
    width = sqrt(2 * eps / speed)
    shock = step(height(random), centre, width)
    return Draft(eps, f"{speed!r}*(x - ({centre!r}))", "0", background(random), shock, ((centre, width),), True)


def needle_source(random: np.random.Generator, ends: Interval) -> Draft:
    """A needle the operator knows nothing of; in half of the cases the operator has boundary layers as well."""
    width, centre = logarithmic(random, 1e-7, 1e-2), inside(random, ends)
    eps = 1.0 if random.integers(2) else logarithmic(random, 1e-8, 1e-2)
    strength, _ = positive(random)
    shape = needle if random.integers(2) else corner
    return Draft(eps, "0", strength, background(random), shape(height(random), centre, width), ((centre, width),))


KINDS: dict[str, Draw] = {
    "outflow": outflow,
    "outflow, hidden": outflow_hidden,
    "reaction": reaction,
    "reaction, hidden": reaction_hidden,
    "turning point": turning_point,
    "turning point, hidden": turning_point_hidden,
    "needle": needle_source,
}
ROBIN = ((False, False), (False, False), (False, False), (True, False), (False, True), (True, True))  # at which ends
DOMAINS = ((0.0, 1.0), (-1.0, 1.0), (-0.3, 2.1))


def draw(random: np.random.Generator, kind: str | None = None) -> Family:
    """One random problem as a family of one member: `draw(random).problem()`. Half of them have Robin conditions."""
    kind = kind or str(random.choice(list(KINDS)))
    ends = DOMAINS[random.integers(len(DOMAINS))]
    draft = KINDS[kind](random, ends)
    solution = draft.smooth + draft.sharp
    robin = ROBIN[random.integers(len(ROBIN))]
    conditions = []
    for end, outward, mixed in zip(ends, (-1.0, 1.0), robin, strict=True):
        value, slope, _ = solution.at(repr(end))
        # u + weight du/dn with weight >= 0 keeps the problem as well posed as with u alone
        weight = repr(outward * random.uniform(0.05, 1.0))
        slope_term, slope_value = (f" + ({weight})*u'({end!r})", f" + ({weight})*({slope})") if mixed else ("", "")
        conditions.append(f"u({end!r}){slope_term} = {value}{slope_value}")
    convection = "" if draft.convection == "0" else f" + ({draft.convection})*u'"
    left = f"eps*u''{convection} - ({draft.reaction})*u"
    return Family(
        name=kind + (", Robin" if any(robin) else ""),
        look="made of random pieces with a fixed seed",
        equation=f"{left} = {draft.source()}",
        domain={"x": ends},
        conditions=tuple(conditions),
        exact=solution.at("x")[0],
        small="eps",
        values=(draft.diffusion,),
        layers=lambda eps: {"x": draft.layers},
    )
