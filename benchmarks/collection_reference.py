"""References for the collections that are not ours: expressions in NumPy and SciPy, or collocation of high order.

solve_bvp at a loose tolerance finds the solution and a mesh; on it, piecewise polynomials satisfy y' = f at Chebyshev's
points of every element to rounding, by Newton's method with a sparse factorisation. Twice, with two degrees: their
difference is the accuracy of the reference.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import scipy.special
from scipy.integrate import solve_bvp, solve_ivp
from scipy.interpolate import BarycentricInterpolator
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import splu

SPECIAL = ("erf", "airy", "jv", "iv", "kv", "mathieu_a", "mathieu_b")
NAMES = {name: getattr(np, name) for name in np.__all__ if callable(getattr(np, name))}
NAMES |= {name: getattr(scipy.special, name) for name in SPECIAL}
NAMES |= {"pi": np.pi, "e": np.e, "inf": np.inf, "ln": np.log, "range": range, "zip": zip}
DEGREES = (14, 18)
COARSER = 3  # nodes of solve_bvp for each element
LEAST = 6  # elements


def evaluated(text: str, names: Mapping[str, Any]) -> Any:
    """An expression of a problem file of ours, in NumPy's words."""
    return eval(text, {"__builtins__": {}, **NAMES, **names})


@dataclass(frozen=True)
class Reference:
    """Values of fields and constants, right to `accuracy`, relative to the size of each."""

    x: np.ndarray
    fields: dict[str, np.ndarray]
    constants: dict[str, complex]
    accuracy: float


def exact(texts: Mapping[str, str], x: np.ndarray, names: Mapping[str, Any], constants: Mapping[str, Any]) -> Reference:
    """From expressions."""
    with np.errstate(all="ignore"):
        values = {field: np.asarray(evaluated(text, {**names, "x": x})) + 0 * x for field, text in texts.items()}
        known = {name: evaluated(str(value), names) for name, value in constants.items()}
    return Reference(x, values, known, 1e-13)


def collocated(spec: Mapping[str, Any], x: np.ndarray, names: Mapping[str, Any]) -> Reference:
    """From a first-order system: `slopes` (or `highest`, the last of a chain), `ends`, `span`, `start`, `p`, `fields`.

    `initial` are values at the left end in the place of a start, `breaks` places where slopes have a corner or a jump,
    `at` takes x to the coordinate of the system.
    """
    names = {**names, **spec.get("names", {})}
    slopes = spec.get("slopes")
    if slopes is None:
        order = spec.get("order", 2)
        slopes = [f"y{k}" for k in range(1, order)] + [spec["highest"]]
    n, p = len(slopes), np.array([float(evaluated(str(one), names)) for one in spec.get("p", [])])
    left, right = (float(evaluated(str(end), names)) for end in spec["span"])

    def fun(at: np.ndarray, y: np.ndarray, p: np.ndarray = p) -> np.ndarray:
        given = {**names, "x": at, **{f"y{k}": y[k] for k in range(n)}, **{f"p{k}": p[k] for k in range(len(p))}}
        return np.array([evaluated(text, given) + 0 * at for text in slopes])

    def bc(a: np.ndarray, b: np.ndarray, p: np.ndarray = p) -> np.ndarray:
        given = {f"a{k}": a[k] for k in range(n)} | {f"b{k}": b[k] for k in range(n)}
        given = {**names, **given, **{f"p{k}": p[k] for k in range(len(p))}}
        return np.array([evaluated(text, given) for text in spec["ends"]])

    mesh = np.linspace(left, right, spec.get("nodes", 60))
    start = np.array([evaluated(str(text), {**names, "x": mesh}) + 0 * mesh for text in spec.get("start", ["0"] * n)])
    # at a jump its residuals never fall: there the mesh is enough, and the collocation below has a node
    broken, tol = "breaks" in spec, spec.get("tol", 1e-5)
    with np.errstate(all="ignore"):
        if "initial" in spec:
            rough = _integrated(fun, spec["initial"], left, right, names)
        else:
            most = 1_000 if broken else 100_000
            rough = solve_bvp(fun, bc, mesh, start, p=p if p.size else None, tol=tol, max_nodes=most)
    if rough.status and not (broken and rough.status == 1):
        raise ArithmeticError(f"the reference was not found: {rough.message}")
    every = max(1, min(COARSER, rough.x.size // LEAST))
    nodes = np.unique(np.concatenate([rough.x[::every], rough.x[-1:], np.array(spec.get("breaks", []), float)]))
    found = [_collocate(fun, bc, nodes, rough, degree) for degree in DEGREES]
    rows, sizes = spec.get("fields", {"u": 0}), []
    at = evaluated(spec["at"], {**names, "x": x}) if "at" in spec else x
    values = [{name: function(at)[row] for name, row in rows.items()} for function, _ in found]
    if {*rows} == {"re", "im"}:  # a complex field
        rows, values = {"u": 0}, [{"u": own["re"] + 1j * own["im"]} for own in values]
    for name in rows:
        size = np.abs(values[1][name]).max() or 1.0
        sizes.append(np.abs(values[1][name] - values[0][name]).max() / size)
    constants = {name: float(found[1][1][k]) for name, k in spec.get("constants", {}).items()}
    gaps = [
        abs(found[0][1][k] - found[1][1][k]) / max(abs(found[1][1][k]), 1e-300)
        for k in spec.get("constants", {}).values()
    ]
    return Reference(x, values[1], constants, float(max([1e-13, *sizes, *gaps])))


def _integrated(fun: Any, initial: list[str], left: float, right: float, names: Mapping[str, Any]) -> Any:
    """An initial value problem, marched."""
    start = [float(evaluated(str(text), names)) for text in initial]
    found = solve_ivp(
        lambda x, y: fun(np.array([x]), y[:, None])[:, 0],
        (left, right),
        start,
        method="DOP853",
        rtol=1e-10,
        atol=1e-12,
        dense_output=True,
    )
    return SimpleNamespace(x=found.t, sol=found.sol, p=None, status=0, message="")


def _collocate(
    fun: Any, bc: Any, nodes: np.ndarray, rough: Any, degree: int
) -> tuple[Callable[[np.ndarray], np.ndarray], np.ndarray]:
    """y' = f at the points of every element but the first of each, continuity there, and the conditions."""
    t = -np.cos(np.pi * np.arange(degree + 1) / degree)
    basis = BarycentricInterpolator(t)
    derivative = _differentiation(t)
    width, elements = np.diff(nodes), len(nodes) - 1
    x = nodes[:-1, None] + width[:, None] * (0.5 + 0.5 * t)  # (elements, points)
    inside = np.clip(x, nodes[:-1, None] + 1e-13 * width[:, None], nodes[1:, None] - 1e-13 * width[:, None]).ravel()
    p = np.array(rough.p if rough.p is not None else [])
    y = rough.sol(x.ravel())  # (n, elements points)
    n, k, points = len(y), p.size, degree + 1
    count = y.shape[1]
    inner = np.flatnonzero(np.arange(count) % points != 0)
    index = np.arange(n * count).reshape(n, count)
    scale = np.repeat(2.0 / width, points)
    for _ in range(30):
        f = fun(inside, y, p)
        slope = (y.reshape(n, elements, points) @ derivative.T).reshape(n, count) * scale
        joints = y[:, points::points] - y[:, points - 1 : -1 : points]
        ends = bc(y[:, 0], y[:, -1], p)
        residual = np.concatenate([((slope - f) / scale)[:, inner].ravel(), joints.ravel(), ends])
        rows, columns, entries = [], [], []
        size = n * inner.size

        def put(r: Any, c: Any, v: Any) -> None:
            r, c, v = np.broadcast_arrays(r, c, v)
            rows.append(r.ravel()), columns.append(c.ravel()), entries.append(v.ravel())  # noqa: B023

        element = inner // points
        for i in range(n):
            at = i * inner.size + np.arange(inner.size)
            put(at[:, None], index[i][(element * points)[:, None] + np.arange(points)], derivative[inner % points])
        for j in range(n):
            step = 1e-6 * (1.0 + np.abs(y[j]))
            up, down = y.copy(), y.copy()
            up[j] += step
            down[j] -= step
            by = (fun(inside, up, p) - fun(inside, down, p)) / (2 * step)
            for i in range(n):
                put(i * inner.size + np.arange(inner.size), index[j][inner], -(by[i] / scale)[inner])
            for place in (0, count - 1):
                up, down = y[:, [0, -1]].copy(), y[:, [0, -1]].copy()
                column, h = (0 if place == 0 else 1), step[place]
                up[j, column] += h
                down[j, column] -= h
                by_end = (bc(up[:, 0], up[:, 1], p) - bc(down[:, 0], down[:, 1], p)) / (2 * h)
                put(size + joints.size + np.arange(n + k), index[j, place], by_end)
            put(size + j * (elements - 1) + np.arange(elements - 1), index[j, points::points], 1.0)
            put(size + j * (elements - 1) + np.arange(elements - 1), index[j, points - 1 : -1 : points], -1.0)
        for j in range(k):
            h = 1e-6 * (1.0 + abs(p[j]))
            up, down = p.copy(), p.copy()
            up[j] += h
            down[j] -= h
            by = (fun(inside, y, up) - fun(inside, y, down)) / (2 * h)
            put(np.arange(size), n * count + j, -(by / scale)[:, inner].ravel())
            by_end = (bc(y[:, 0], y[:, -1], up) - bc(y[:, 0], y[:, -1], down)) / (2 * h)
            put(size + joints.size + np.arange(n + k), n * count + j, by_end)
        total = n * count + k
        matrix = coo_matrix((np.concatenate(entries), (np.concatenate(rows), np.concatenate(columns))), (total, total))
        step = splu(matrix.tocsc()).solve(residual)
        y = y - step[: n * count].reshape(n, count)
        p = p - step[n * count :]
        if np.abs(step).max() <= 1e-13 * max(1.0, np.abs(y).max()):
            break

    def function(at: np.ndarray) -> np.ndarray:
        which = np.clip(np.searchsorted(nodes, at, side="right") - 1, 0, elements - 1)
        out = np.empty((n, at.size))
        for one in np.unique(which):
            here = np.flatnonzero(which == one)
            local = 2.0 * (at[here] - nodes[one]) / width[one] - 1.0
            basis.set_yi(y[:, one * points : (one + 1) * points].T)
            out[:, here] = basis(local).T
        return out

    return function, p


def _differentiation(t: np.ndarray) -> np.ndarray:
    """Derivatives at the points of the polynomial through values there."""
    weights = (-1.0) ** np.arange(t.size)
    weights[[0, -1]] *= 0.5
    gap = t[:, None] - t + np.eye(t.size)
    found = weights / weights[:, None] / gap
    np.fill_diagonal(found, 0.0)
    np.fill_diagonal(found, -found.sum(axis=1))
    return found
