"""Several unknowns: where the posterior has its modes. A coarse look at the whole box, then Levenberg's method.

step = (J' W J + damping diag)^-1 (J' W (y - f) + d log prior),    J the exact sensitivities
"""

from dataclasses import dataclass

import numpy as np

from gated_xtfc.inverse.journal import Journal
from gated_xtfc.inverse.measure import evenly
from gated_xtfc.inverse.node import Node, Target
from gated_xtfc.types import Array

FIRST = 16  # nodes of the first look for each unknown
STARTS = 6  # of Levenberg's method: the best places seen
STEPS = 30
NEGLIGIBLE = 20.0  # log posterior below the best mode at which another one is left out
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


def modes(journal: Journal, target: Target) -> list[Mode]:
    """From the highest down; empty where nothing could be solved."""
    p = len(target.priors)
    places = evenly(FIRST * p, p)
    solved = [node for node in map(journal.solve, places) if node is not None]
    # how well a place does after its first step says more than how well it does
    ranked = sorted(solved, key=lambda node: -_promise(node, target))
    found: list[Mode] = []
    for node in ranked[:STARTS]:
        mode = _climb(node, journal, target, found)
        if mode is not None:
            found.append(mode)
    found.sort(key=lambda mode: -mode.height)
    return [mode for mode in found if mode.height > found[0].height - NEGLIGIBLE]


def _promise(node: Node, target: Target) -> float:
    """The log posterior that the linearised prediction expects after one step inside the box."""
    gradient, information = _slopes(node, target)
    step = np.clip(node.place + np.linalg.solve(information, gradient), 0.0, 1.0) - node.place
    ahead = node.prediction + node.slopes @ step
    return float(target.log_likelihood(ahead[None, :])[0])


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
        # a parameter that stands at its bound and wants out stays there
        free = ~(((node.place <= 0.0) & (gradient < 0.0)) | ((node.place >= 1.0) & (gradient > 0.0)))
        moved = False
        while damping < 1e8:
            inside = information[np.ix_(free, free)]
            step = np.zeros_like(node.place)
            step[free] = np.linalg.solve(inside + damping * np.diag(np.diag(inside)), gradient[free])
            place = np.clip(node.place + step, 0.0, 1.0)
            change = place - node.place
            if float(change @ information @ change) < 1e-6:
                return _settled(node, height, target, found)
            ahead = journal.solve(place)
            if ahead is not None and target.at(ahead) > height:
                node, height, damping, moved = ahead, target.at(ahead), damping / 10.0, True
                break
            damping *= 10.0
        if not moved:
            break
        if any(mode.distance(node.place) < 0.5 and height < mode.height for mode in found):
            return None
    return _settled(node, height, target, found)


def _settled(node: Node, height: float, target: Target, found: list[Mode]) -> Mode | None:
    if any(mode.distance(node.place) < NEAR for mode in found):
        return None
    return Mode(node, height, _slopes(node, target)[1])
