"""The battery of a hostile reader: families of problems with known answers, each case made of a name and a number."""

from collections.abc import Callable
from dataclasses import replace

from battery import (
    beyond,
    coefficients,
    farther,
    hidden,
    illposed,
    layers,
    needles,
    nonlinear,
    orders,
    plain,
    rectangles,
    spectral,
    systems,
    turning,
    units,
)
from battery.case import Case
from battery.dice import Dice

FAMILIES: dict[str, Callable[[Dice], Case]] = {
    **layers.FAMILIES,
    **coefficients.FAMILIES,
    **turning.FAMILIES,
    **spectral.FAMILIES,
    **needles.FAMILIES,
    **systems.FAMILIES,
    **orders.FAMILIES,
    **plain.FAMILIES,
    **units.FAMILIES,
    **nonlinear.FAMILIES,
    **illposed.FAMILIES,
    **rectangles.FAMILIES,
    **farther.FAMILIES,
    **beyond.FAMILIES,
    **hidden.FAMILIES,
}


def make(family: str, seed: int) -> Case:
    """The same name and number give the same case."""
    return replace(FAMILIES[family](Dice.of(family, seed)), family=family, seed=seed)
