"""How large the error is: the residual seen through the inverse of the operator.

The error e solves L e = r, so e(x) = sum_k G(x, k) r_k, with G the response of the solution to the scaled
residual at site k, taken from the factorisation that gave the solution. Least squares makes this sum vanish
over the sites; what is left of it is rounding, and it is counted as such. Truncation shows between the sites:
there the residual alternates in sign, so its terms, with r_k the largest residual around site k, add up like
independent ones; to them comes the part of the error that lives between the sites, of the size of the scaled
residual itself.
"""

import numpy as np

from gated_xtfc.discretise.kernel_window import row_sums
from gated_xtfc.solver.discretisation import Certificate
from gated_xtfc.solver.interval.fit import IntervalFit
from gated_xtfc.types import Array

EPSILON = float(np.finfo(float).eps)
WITNESSES = 17  # places at which the response is taken
SAFETY = 2.0


def certify(found: IntervalFit) -> Certificate:
    """The error estimate of a fit, and what the residual around each site adds to it."""
    rows = found.rows
    misfit, envelope = _residuals(found)
    fields = [
        row_sums(rows.window.kernels, rows.gather_field(found.free + found.switch, f)) for f in range(rows.fields)
    ]
    scales = np.array([max(1.0, float(np.abs(u).max())) for u in fields])
    witnesses = np.arange(WITNESSES) * (rows.x.size - 1) // (WITNESSES - 1)
    response = (found.response(witnesses) / scales[:, None, None]).reshape(-1, rows.target.size)
    squares = response**2
    # The residual of a row is known only to rounding of the numbers added up in it, whose errors may all go together.
    parts = rows.gather(found.free), rows.gather(found.switch)
    entries = row_sums(np.abs(rows.values), np.abs(parts[0]) + np.abs(parts[1])) + np.abs(rows.target)
    truncation = float(np.sqrt(squares @ envelope**2).max()) + float(envelope.max()) / float(scales.min())
    # The coordinate xi is known to rounding of its own size, independently at each site; it moves all of a row.
    xi = np.repeat(rows.xi, rows.equations) if rows.equations > 1 else rows.xi
    coordinate_rounding = EPSILON * float(np.sqrt(squares @ (3.0 * xi * entries) ** 2).max())
    if coordinate_rounding > 0.1 * truncation:
        # Entries change in xi by at most three times their size; where that bound matters, take how their sum changes.
        coordinate_rounding = EPSILON * float(
            np.sqrt(squares @ (xi * row_sums(rows.derivative_in_xi(), parts[0] + parts[1])) ** 2).max()
        )
    hidden_rounding = SAFETY * (EPSILON * float((np.abs(response) @ entries).max()) + coordinate_rounding)
    gaps = rows.xi[1:] / np.maximum(np.diff(rows.xi), 1e-3)
    evaluation_rounding = max(
        float((gaps * np.abs(np.diff(u))).max()) / scale for u, scale in zip(fields, scales, strict=True)
    )
    rounding = SAFETY * float(np.abs(response @ misfit).max()) + hidden_rounding + EPSILON * (4.0 + evaluation_rounding)
    strongest = np.sqrt(rows.x.size) * np.sqrt(squares.max(axis=0))
    share = SAFETY * envelope * (1.0 / scales.min() + strongest)
    return Certificate(
        error=float(SAFETY * truncation + rounding),
        rounding=float(rounding),
        stability=float(np.abs(response).sum(axis=1).max()),
        scales=tuple(float(scale) for scale in scales),
        shares=(share.reshape(rows.x.size, -1).max(axis=1),),
    )


def _residuals(found: IntervalFit) -> tuple[Array, Array]:
    """The scaled residual in each row of the sites, and its largest size there and halfway to the neighbours."""
    fine, e = found.fine, found.rows.equations
    residual = row_sums(fine.values, fine.gather(found.free + found.switch)) - fine.target
    if found.constants.size:
        residual = residual + fine.constant_columns @ found.constants
    by_point = residual.reshape(-1, e)
    at = found.layout.site_indices
    around = np.abs(np.vstack([np.zeros((1, e)), by_point, np.zeros((1, e))]))
    envelope = np.maximum(np.maximum(around[at], around[at + 1]), around[at + 2])
    return by_point[at].ravel(), envelope.ravel()
