"""Data in the studio: made from the solution with noise, or given; and what they say about the parameters."""

from collections.abc import Callable

import numpy as np

from gated_xtfc.apps.studio.frames import Answer, Arrays, Header, Message
from gated_xtfc.apps.studio.limits import LIMITS
from gated_xtfc.apps.studio.statement import Located, number_in
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.problem.file import Guidance
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.interval import IntervalSolution

FINE = 2001  # points between which places along the gated coordinate are found
BAND = 400  # points of a band
LEVEL = 0.95
DENSITY = 200  # points of a density


def made(message: Message, solution: IntervalSolution) -> Answer:
    """Values of one field at random places, with normal noise; all of it follows from the seed."""
    count, seed = whole(message, "count", 1, LIMITS.data), whole(message, "seed", 0, 2**32)
    noise, field = number(message, "noise"), field_of(message, solution.problem)
    if noise < 0:
        raise Located("data", f"the noise is {noise:g}: give a standard deviation, which is not negative")
    random, axis = np.random.default_rng(seed), solution.problem.axes[0]
    share = np.sort(random.random(count))
    # along the gated coordinate the layers get their part of the data, over x hardly any
    along = np.interp(share * (FINE - 1), np.arange(FINE), solution.points(FINE))
    x = along if message.get("spread") == "xi" else axis.left + axis.length * share
    with np.errstate(all="ignore"):
        y = np.asarray(solution[field](x)) + noise * random.standard_normal(count)
    if not np.isfinite(y).all():
        raise Located("data", f"the noise is {noise:g}: measurements with it are beyond double precision, give less")
    return {"field": field, "noise": noise}, {"x": x, "y": y}


def inferred(message: Message, problem: Problem, guidance: Guidance, progress: Callable[[Header], None]) -> Answer:
    """Posterior of the parameters chosen, and the band of the field."""
    from gated_xtfc.inverse.infer import infer  # slow to import, and made data do not need it

    field, data = field_of(message, problem), (column(message, "x"), column(message, "y"))
    noise = None if message.get("noise") is None else number(message, "noise")

    def told(solves: int) -> None:
        progress({"words": f"{solves} solve{'s' * (solves != 1)}"})

    try:
        posterior = infer(problem, {field: data}, bounds(message), noise, progress=told, **vars(guidance))
        x = posterior.solution().points(BAND)
        mean, _ = posterior.predict(x, field)
        low, high = posterior.band(x, LEVEL, field)
    except InputError as error:
        raise Located("data", str(error)) from None
    found, densities = Header(), Arrays()
    for name, one in posterior.distributions.items():
        found[name] = {"mean": one.mean, "std": one.std, "interval": list(one.interval(LEVEL)), "log": one.logarithmic}
        low_end, high_end = one.interval(0.9995)
        values = np.linspace(low_end, high_end, DENSITY)
        densities[f"at:{name}"] = values
        densities[f"density:{name}"] = np.interp(values, one.curve.grid, one.curve.density)
    header: Header = {
        "field": field,
        "found": found,
        "status": posterior.status,
        "message": posterior.message,
        "solves": posterior.solves,
        "seconds": posterior.seconds,
    }
    return header, {"x": x, "mean": np.asarray(mean), "low": np.asarray(low), "high": np.asarray(high), **densities}


def column(message: Message, key: str) -> list[float]:
    """The places or the values of the measurements."""
    numbers = message.get(key)
    if not isinstance(numbers, list) or not all(isinstance(one, int | float) for one in numbers):
        raise Located("data", "the data must be numbers, a place and a value on each line")
    if len(numbers) > LIMITS.data:
        raise Located("data", f"{len(numbers)} measurements are more than the {LIMITS.data} that the studio takes")
    return numbers


def bounds(message: Message) -> dict[str, tuple[float, float]]:
    chosen = message.get("unknown")
    if not isinstance(chosen, dict) or not chosen:
        raise Located("data", "nothing is to be found: choose a parameter")
    found = {}
    for name, ends in chosen.items():
        if not isinstance(ends, list) or len(ends) != 2:
            raise Located("data", f"{quoted(str(name))} needs two bounds")
        lower, upper = (f"the {which} bound of {name}" for which in ("lower", "upper"))
        found[str(name)] = number_in("data", ends[0], lower), number_in("data", ends[1], upper)
    return found


def field_of(message: Message, problem: Problem) -> str:
    return str(message["field"]) if message.get("field") in problem.fields else problem.fields[0]


def whole(message: Message, key: str, least: int, most: int) -> int:
    found = number(message, key)
    if found != int(found) or not least <= found <= most:
        raise Located("data", f"the {key} is {found:g}: give a whole number between {least} and {most}")
    return int(found)


def number(message: Message, key: str) -> float:
    return number_in("data", message.get(key), f"the {key} of the data")
