"""Several unknowns: where the posterior has its modes. A search of the whole box, then Levenberg's method.

step = (J' W J + damping diag)^-1 (J' W (y - f) + d log prior),    J the exact sensitivities
"""

from dataclasses import dataclass

import numpy as np

from gated_xtfc.inverse.journal import Journal
from gated_xtfc.inverse.node import Node, Target
from gated_xtfc.inverse.search import ModeSearch
from gated_xtfc.types import Array

STARTS = 40  # of Levenberg's method at most
EARLY = 8  # of them before the search is over
STEPS = 30
NEGLIGIBLE = 20.0  # log posterior below the best mode at which another one is left out
REGAINED = 100.0  # log posterior that a climb may find beyond what a line expects of its start
ARRIVED = 0.01  # posterior widths that a step moves, at a mode
LITTLE = 1e-4  # log posterior that a step gains, at a mode
NEAR = 3.0  # widths within which two modes are one
PRIOR = 12.0  # one over the variance of the unit interval: what is known without data


@dataclass(frozen=True)
class Mode:
    """A maximum of the log posterior."""

    node: Node
    height: float  # log posterior
    information: Array  # (p, p) J' W J with the prior's share

    def distance(self, place: Array) -> float:
        """In posterior widths."""
        step = place - self.node.place
        return float(np.sqrt(step @ self.information @ step))


@dataclass(frozen=True)
class FoundModes:
    """The modes from the highest down, none where nothing could be solved; and whether no other one can hide."""

    modes: tuple[Mode, ...]
    complete: bool


def modes(journal: Journal, target: Target) -> FoundModes:
    """The box is searched, and climbed in on the way: a mode that is known excludes much of the rest."""
    search, found = ModeSearch(journal, target), list[Mode]()
    search.begin()
    climbs = 0
    while search.advance():
        for expected, node, place in search.promising()[:1]:
            if climbs < EARLY and expected > search.best:
                climbs += _climbed(node, place, search, found)
    for expected, node, place in search.promising():
        if found and (climbs >= STARTS or journal.late):
            search.complete = False
            break
        if expected > search.best - NEGLIGIBLE - REGAINED:
            climbs += _climbed(node, place, search, found)
    found.sort(key=lambda mode: -mode.height)
    return FoundModes(tuple(mode for mode in found if mode.height > found[0].height - NEGLIGIBLE), search.complete)


def _climbed(node: Node, place: Array, search: ModeSearch, found: list[Mode]) -> bool:
    """From a member that expects its best at this place, unless a mode is known there; whether it was tried."""
    if any(mode.distance(place) < NEAR for mode in found):
        return False
    mode = _climb(node, search.journal, search.target, found)
    if mode is not None:
        found.append(mode)
        search.saw(mode.node)
    return True


def _slopes(node: Node, target: Target) -> tuple[Array, Array]:
    """Gradient (p,) of the log posterior, and its information matrix (p, p)."""
    weights = target.weights(node.prediction)
    slopes = node.slopes * weights[:, None]
    gradient = slopes.T @ ((target.y - node.prediction) * weights)
    bend = np.zeros(node.place.size)
    h = 1e-4
    for i in range(node.place.size):
        at = np.tile(np.clip(node.place, h, 1.0 - h), (3, 1))
        at[:, i] += np.array([-h, 0.0, h])
        below, here, above = target.log_prior(at)
        gradient[i] += (above - below) / (2.0 * h)
        bend[i] = max(0.0, -(above - 2.0 * here + below) / h**2)
    return gradient, slopes.T @ slopes + np.diag(bend + PRIOR)


def _climb(node: Node, journal: Journal, target: Target, found: list[Mode]) -> Mode | None:
    """Levenberg's method; None where it ends at a mode that was found before."""
    height, damping = target.at(node), 1e-3
    for _ in range(STEPS):
        gradient, information = _slopes(node, target)
        gain = 0.0
        while damping < 1e8 and not journal.late:
            damped = information + damping * np.diag(np.diag(information))
            change = _bounded(damped, gradient, -node.place, 1.0 - node.place)
            if float(change @ information @ change) < ARRIVED**2:
                return _settled(node, height, target, found)
            ahead = journal.solve(node.place + change)
            if ahead is not None and target.at(ahead) > height:
                gain = target.at(ahead) - height
                node, height, damping = ahead, height + gain, damping / 10.0
                break
            damping *= 10.0
        if gain < LITTLE:
            break
        if any(mode.distance(node.place) < 0.5 and height < mode.height for mode in found):
            return None
    return _settled(node, height, target, found)


def _bounded(matrix: Array, gradient: Array, low: Array, high: Array) -> Array:
    """The step d with the largest gradient d - d matrix d/2 between bounds: what would leave stays at its bound."""
    step, free = np.zeros_like(gradient), np.ones(gradient.size, dtype=bool)
    while free.any():
        rest = gradient[free] - matrix[np.ix_(free, ~free)] @ step[~free]
        step[free] = np.linalg.solve(matrix[np.ix_(free, free)], rest)
        out = free & ((step < low) | (step > high))
        if not out.any():
            break
        step, free = np.where(out, np.clip(step, low, high), step), free & ~out
    return step


def _settled(node: Node, height: float, target: Target, found: list[Mode]) -> Mode | None:
    if any(mode.distance(node.place) < NEAR for mode in found):
        return None
    return Mode(node, height, _slopes(node, target)[1])
