"""Chebyshev collocation and `scipy.linalg.eig`: a peer that is told the right resolution, and a reference."""

import numpy as np
from scipy.linalg import eig

import gated_xtfc as gx
from gated_xtfc.problem.condition import Condition
from gated_xtfc.spectra.pencil import Pencil

PI = np.pi
AGREE = 1e-5  # relative: values of two resolutions that are one


def agreed(problem: gx.Problem, counts: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues that two resolutions agree on, and how well they do: what only one of them shows is spurious."""
    pencil = Pencil.of(problem)
    first, second = (collocated(pencil, count) for count in counts)
    apart = np.abs(second[:, None] - first[None, :]).min(axis=1)
    kept = apart <= AGREE * np.maximum(np.abs(second), 1e-3)
    return second[kept], apart[kept] + 1e-13 * np.abs(second[kept])


def chebyshev_matrix(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Derivative matrix and points on -1 .. 1, increasing."""
    x = -np.cos(PI * np.arange(count) / (count - 1))
    c = np.where((np.arange(count) == 0) | (np.arange(count) == count - 1), 2.0, 1.0) * (-1.0) ** np.arange(count)
    gap = x[:, None] - x[None, :] + np.eye(count)
    d = np.outer(c, 1.0 / c) / gap
    return d - np.diag(d.sum(axis=1)), x


def collocated(pencil: Pencil, count: int) -> np.ndarray:
    """All finite eigenvalues by Chebyshev collocation with so many points; conditions replace rows next to the ends.

    A condition with the eigenvalue in it is what the equation says at a singular end: there the equation stays.
    """
    problem = pencil.problem
    (axis,) = problem.axes
    d, x = chebyshev_matrix(count)
    d, x = 2.0 / axis.length * d, axis.left + 0.5 * axis.length * (x + 1.0)
    fields = list(problem.order)
    powers = [np.eye(count)]
    for _ in range(4):
        powers.append(d @ powers[-1])
    size = count * len(fields)
    matrices = []
    for power in pencil.powers(x):
        whole = np.zeros((size, size), dtype=complex if pencil.is_complex else float)
        for e, own in enumerate(power):
            for f, jets in enumerate(own):
                block = sum(a[:, None] * powers[j] for j, a in enumerate(jets))
                whole[e * count : (e + 1) * count, f * count : (f + 1) * count] = block
        matrices.append(whole)
    place_conditions(problem, matrices, powers, x)
    degree = len(matrices) - 1
    if degree == 1:
        values = eig(matrices[0], -matrices[1], right=False)
    else:
        left, right = np.eye(degree * size, k=size), np.eye(degree * size)
        for k in range(degree):
            left[-size:, k * size : (k + 1) * size] = -matrices[k]
        right[-size:, -size:] = matrices[degree]
        values = eig(left, right, right=False)
    return values[np.isfinite(values)]


def place_conditions(problem: gx.Problem, matrices: list[np.ndarray], powers: list[np.ndarray], x: np.ndarray) -> None:
    """Each condition in the place of a row of one of its fields, from the end that it is at."""
    count, fields, taken = x.size, list(problem.order), set()
    for condition in problem.conditions:
        row = condition_row(condition, fields, powers, x)
        term = condition.terms[0]
        at_left = term.point == x[0]
        start = fields.index(term.field) * count
        order = range(count) if at_left else range(count - 1, -1, -1)
        place = next(start + i for i in order if start + i not in taken)
        taken.add(place)
        for k, matrix in enumerate(matrices):
            matrix[place] = row if k == 0 else 0.0


def condition_row(condition: Condition, fields: list[str], powers: list[np.ndarray], x: np.ndarray) -> np.ndarray:
    row = np.zeros(x.size * len(fields))
    for term in condition.terms:
        f, end = fields.index(term.field), 0 if term.point == x[0] else x.size - 1
        row[f * x.size : (f + 1) * x.size] += term.weight * powers[term.order][end]
    return row
