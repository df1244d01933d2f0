"""How large the error is: the residual seen through the inverse of the operator.

The error e solves L e = r, so e(x) = sum_k G(x, k) r_k, with G the response of the solution to the scaled
residual at site k, taken from the factorisation that gave the solution. Least squares makes this sum vanish
over the sites; what is left of it is rounding, and it is counted as such. Truncation shows between the sites:
there the residual alternates in sign, so its terms, with r_k the largest residual around site k, add up like
independent ones; to them comes the part of the error that lives between the sites, of the size of the scaled
residual itself.
"""

from dataclasses import dataclass

import numpy as np

from gated_xtfc.arrays import Array
from gated_xtfc.bases import total
from gated_xtfc.fit import Fit

EPSILON = float(np.finfo(float).eps)
WITNESSES = 33  # places at which the response is taken
SAFETY = 2.0


@dataclass(frozen=True)
class Certificate:
    error: float  # estimated max error, relative to the scale
    rounding: float  # the part of it that no refinement removes
    stability: float  # largest relative error that a scaled residual of one can cause
    scale: float  # max(1, max|u|)
    share: Array  # (sites,) what the residual around each site could add to the error


def certify(found: Fit) -> Certificate:
    rows = found.rows
    misfit, envelope = _residuals(found)
    free, switch = rows.gather(found.free), rows.gather(found.switch)
    u = total(rows.view.kernels, free) + total(rows.view.kernels, switch)
    scale = max(1.0, float(np.abs(u).max()))
    witnesses = np.unique(np.linspace(0, rows.x.size - 1, WITNESSES).astype(np.intp))
    response = found.response(witnesses) / scale
    squares = response**2
    # The residual is known only to rounding of every magnitude added up in a row, and that can have a system ...
    entries = total(np.abs(rows.values), np.abs(free) + np.abs(switch)) + np.abs(rows.target)
    # ... while xi is known to rounding of its own size, drawn anew at every site, and moves a whole row.
    drift = rows.xi * np.abs(total(rows.slide(), free + switch))
    through = float(np.sqrt(squares @ envelope**2).max())
    unknown = EPSILON * SAFETY * float((np.abs(response) @ entries + np.sqrt(squares @ drift**2)).max())
    evaluation = EPSILON * (4.0 + float((rows.xi[1:] * np.abs(np.diff(u)) / np.diff(rows.xi)).max()) / scale)
    rounding = SAFETY * float(np.abs(response @ misfit).max()) + unknown + evaluation
    strongest = np.sqrt(rows.x.size) * np.sqrt(squares.max(axis=0))
    return Certificate(
        error=SAFETY * (through + float(envelope.max()) / scale) + rounding,
        rounding=rounding,
        stability=float(np.abs(response).sum(axis=1).max()),
        scale=scale,
        share=SAFETY * envelope * (1.0 / scale + strongest),
    )


def _residuals(found: Fit) -> tuple[Array, Array]:
    """The scaled residual at each site, and its largest size there and halfway to the neighbours, each (sites,)."""
    fine = found.fine
    residual = total(fine.values, fine.gather(found.free + found.switch)) - fine.target
    around = np.abs(np.concatenate([[0.0], residual, [0.0]]))
    return residual[found.at], np.maximum(np.maximum(around[found.at], around[found.at + 1]), around[found.at + 2])
