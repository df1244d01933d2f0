"""How well double precision determines a case: its componentwise condition, from a discretisation of its own.

Rounding changes every coefficient, the source and the values of the conditions by a part in 2^53, and u by as much as
max_x integral |G(x, s)| (sum_k |a_k u^(k)| + |f|)(s) ds / max|u| times that, whatever the method. G comes from
collocation at Gauss points as a system of first order, on elements graded towards the ends and every layer of the case.

A text may be known less well than that: (1 - (x - c)^2)^(10^7) and tanh(10^6 x - 10^5) lose seven and six digits when
they are evaluated, at every place anew. How large this noise is shows in sixth differences of values at neighbouring
numbers, where nothing else is left (Hamming's table of differences); it goes through G like independent errors.
"""

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from battery.case import Case
from gated_xtfc.errors import InputError
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.problem.problem import Problem

STAGES = 8
FINEST = 1e-9  # of the domain: the thinnest element
THINNED = 6  # one in so many places of the case ends an element
ULP = 2.0**-52
SHORTEST = 100  # elements across the domain at the least: beside an eigenvalue all digits of G count
APART = 16  # units in the last place between the values whose differences show noise
SEEN = 3  # one in so many ends of elements is where u is looked at
SIXTH = np.array([1.0, -6.0, 15.0, -20.0, 15.0, -6.0, 1.0])


def gauss(stages: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Nodes in (0, 1), the matrix of integrals from 0 to each node, and those to 1."""
    nodes = (np.polynomial.legendre.leggauss(stages)[0] + 1.0) / 2.0
    powers = np.vander(nodes, increasing=True)
    inverse = np.linalg.inv(powers)
    reciprocals = 1.0 / np.arange(1, stages + 1)
    return nodes, (powers * nodes[:, None] * reciprocals) @ inverse, reciprocals @ inverse


def mesh(case: Case, problem: Problem) -> np.ndarray:
    """Places of the case, which gather at its layers, and elements that double away from ends and conditions."""
    axis = problem.axes[0]
    centres = {axis.left, axis.right, *(float(term.point) for one in problem.conditions for term in one.terms)}
    steps = (axis.right - axis.left) * FINEST * 2.0 ** np.arange(30.0)
    even = np.linspace(axis.left, axis.right, SHORTEST + 1)
    cuts = [
        np.unique(case.places()[0])[::THINNED],
        even,
        *(centre + sign * steps for centre in centres for sign in (-1, 1)),
    ]
    inside = [cut for cut in np.unique(np.concatenate(cuts)) if axis.left < cut < axis.right]
    kept = [axis.left]
    for cut in (*sorted({*inside, *centres} - {axis.left}),):
        if cut in centres or min(cut - kept[-1], *(abs(cut - centre) for centre in centres)) > 0.3 * steps[0]:
            kept.append(cut)
    return np.array(kept)


def noise(problem: Problem, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How uncertain evaluation leaves the coefficients (order + 1, n) and the source (n,) of an equation."""
    steps = np.arange(12) - 5.5
    near = points + APART * np.spacing(np.abs(points)) * steps[:, None]  # (12, n)
    (axis,) = problem.axes
    linear = Operator(problem).evaluate((np.clip(near, axis.left, axis.right).ravel(),))
    values = np.array([*linear.by_order[0][0], linear.source[0]]).reshape(-1, *near.shape)
    differences = sum(w * values[:, k : k + 6] for k, w in enumerate(SIXTH))  # (terms, 6, n)
    size = np.sqrt((differences**2).mean(axis=1) / (SIXTH**2).sum())
    jumps = np.abs(np.diff(values, axis=1)).max(axis=1) > 1e-3 * np.abs(values).max(axis=1)  # a switch, and no noise
    size = np.where(jumps | ~np.isfinite(size), 0.0, size)
    return size[:-1], size[-1]


def floor(case: Case) -> float:
    """What double precision leaves open, relative to max|u|; nan where that is not known."""
    try:
        problem = case.problem()
    except InputError:
        return np.nan
    if len(problem.axes) != 1 or len(problem.fields) != 1 or problem.unknown or not problem.linear:
        return np.nan
    with np.errstate(all="ignore"):
        try:
            return _floor(case, problem)
        except (ArithmeticError, RuntimeError, ValueError, np.linalg.LinAlgError):  # singular, or not finite
            return np.nan


def _floor(case: Case, problem: Problem) -> float:
    order = next(iter(problem.order.values()))
    ends = mesh(case, problem)
    points = (ends[:-1, None] + np.diff(ends)[:, None] * gauss(STAGES)[0]).ravel()
    linear = Operator(problem).evaluate((points,))
    factors, source = np.array(linear.by_order[0][0]), linear.source[0]  # (order + 1, n), (n,)
    system, forcing = collocation(-(factors[:-1] / factors[-1]).T, ends)
    system, values = with_conditions(system, problem, ends, points, order)
    solved = splu(system.tocsc())
    right = forcing @ (source / factors[-1])
    first = (ends.size - 1) * order  # the rows of the conditions follow those of the elements
    right[first : first + order] = values
    state = solved.solve(right)
    at_ends, at_points = np.split(state, [ends.size * order])
    lower = np.abs(factors[:-1] * at_points.reshape(-1, order).T).sum(axis=0)
    highest = lower + np.abs(source)  # the highest derivative is at most as large as the others together
    answers = np.arange(0, ends.size, SEEN) * order  # where u at the ends of elements stands
    asked = np.zeros((state.size, answers.size))
    asked[answers, np.arange(answers.size)] = 1.0
    green = np.abs(solved.solve(asked, trans="T").T @ forcing) / np.abs(factors[-1])
    moved = ULP * float((green @ (2.0 * highest)).max())
    uncertain, unsure = noise(problem, points)
    derivatives = np.abs(np.vstack([at_points.reshape(-1, order).T, highest / np.abs(factors[-1])]))
    astray = (uncertain * derivatives).sum(axis=0) + unsure
    moved = max(moved, float(np.sqrt((green**2) @ astray**2).max()))
    for row in range(first, first + order):
        unit = np.zeros(state.size)
        unit[row] = (np.abs(system[[row]]) @ np.abs(state)).item() + np.abs(right[row])
        moved += ULP * float(np.abs(solved.solve(unit)[answers]).max())
    return moved / float(np.abs(at_ends[::order]).max())


def collocation(lowest_row: np.ndarray, ends: np.ndarray) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    """The system for y = (u, u', ...) at the ends of elements and at their points, and what a source adds to its rows.

    Y_(e+1) - Y_e = h sum_j b_j (C y_j + f_j); past the rows left for conditions y_l - Y_e = h sum_j a_lj (C y_j + f_j).
    """
    (count, order), elements = lowest_row.shape, ends.size - 1
    steps = np.diff(ends)
    _, inner, outer = gauss(STAGES)
    shift = sparse.kron(sparse.identity(count), np.eye(order, k=1))
    last = sparse.kron(sparse.identity(count), np.eye(order)[:, -1:])  # a number a point -> the last of its equations
    companion = shift + last @ sparse.block_diag([row[None] for row in lowest_row], format="csr")
    unit = sparse.identity(order)
    across = sparse.kron(sparse.kron(sparse.diags(steps), outer[None]), unit)
    within = sparse.kron(sparse.kron(sparse.diags(steps), inner), unit)
    differences = sparse.kron(sparse.diags([-1.0, 1.0], [0, 1], shape=(elements, elements + 1)), unit)
    starts = sparse.kron(sparse.kron(sparse.eye(elements, elements + 1), np.ones((STAGES, 1))), unit)
    empty = sparse.csr_matrix((order, (elements + 1) * order + count * order))
    system = sparse.vstack(
        [
            sparse.hstack([differences, -across @ companion]),
            empty,
            sparse.hstack([-starts, sparse.identity(count * order) - within @ companion]),
        ]
    )
    forcing = sparse.vstack([across @ last, sparse.csr_matrix((order, count)), within @ last])
    return system.tocsr(), forcing.tocsr()


def with_conditions(
    system: sparse.csr_matrix, problem: Problem, ends: np.ndarray, points: np.ndarray, order: int
) -> tuple[sparse.csr_matrix, np.ndarray]:
    """The system with its conditions filled in, and their values."""
    full, first = system.tolil(), (ends.size - 1) * order
    weights = (np.diff(ends)[:, None] * gauss(STAGES)[2]).ravel()
    for row, stated in enumerate(problem.conditions, first):
        for term in stated.terms:
            full[row, int(np.abs(ends - term.point).argmin()) * order + term.order] += term.weight
        for integral in stated.integrals:
            for (_, derivative), factor in integral.coefficients(points).items():
                places = ends.size * order + np.arange(points.size) * order + derivative
                full[row, places] = integral.weight * factor * weights
    return full.tocsr(), np.array([stated.value for stated in problem.conditions])
