"""Formulas as text with their first two derivatives, from which solutions with layers are put together.

`{x}` stands for the coordinate, so that the same text gives the function and its value at an end.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Formula:
    value: str
    slope: str
    curvature: str

    def __add__(self, other: "Formula") -> "Formula":
        return Formula(
            f"{self.value} + {other.value}",
            f"{self.slope} + {other.slope}",
            f"{self.curvature} + {other.curvature}",
        )

    def at(self, point: str) -> tuple[str, str, str]:
        """Value, slope and curvature with the coordinate filled in."""
        fill = f"({point})"
        return self.value.format(x=fill), self.slope.format(x=fill), self.curvature.format(x=fill)


def wave(height: float, number: float, phase: float) -> Formula:
    """height sin(number x + phase)."""
    angle = f"({number!r}*{{x}} + {phase!r})"
    return Formula(
        f"({height!r})*sin{angle}", f"({height * number!r})*cos{angle}", f"({-height * number * number!r})*sin{angle}"
    )


def decay(height: float, rate: float, start: float) -> Formula:
    """height exp(rate (x - start)): a boundary layer of thickness 1/|rate| at `start`."""
    mode = f"exp({rate!r}*({{x}} - ({start!r})))"
    return Formula(f"({height!r})*{mode}", f"({height * rate!r})*{mode}", f"({height * rate * rate!r})*{mode}")


def step(height: float, centre: float, width: float) -> Formula:
    """height erf((x - centre)/width): a shock."""
    z = f"(({{x}} - ({centre!r}))/{width!r})"
    slope = f"({2 * height / width!r})/sqrt(pi)*exp(-{z}**2)"
    return Formula(f"({height!r})*erf{z}", slope, f"(-2)*{z}/{width!r}*{slope}")


def needle(height: float, centre: float, width: float) -> Formula:
    """height exp(-((x - centre)/width)^2)."""
    z = f"(({{x}} - ({centre!r}))/{width!r})"
    peak = f"exp(-{z}**2)"
    return Formula(
        f"({height!r})*{peak}",
        f"({-2 * height / width!r})*{z}*{peak}",
        f"({2 * height / width / width!r})*(2*{z}**2 - 1)*{peak}",
    )


def corner(height: float, centre: float, width: float) -> Formula:
    """height times |x - centre|, rounded over `width`: what a needle in the source makes of u."""
    z = f"(({{x}} - ({centre!r}))/{width!r})"
    return Formula(
        f"({height * width!r})*({z}*erf{z} + exp(-{z}**2)/sqrt(pi))",
        f"({height!r})*erf{z}",
        f"({2 * height / width!r})/sqrt(pi)*exp(-{z}**2)",
    )
