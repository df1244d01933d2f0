"""The error of a batch: what the residual between the sites does inside its element, and through the chain elsewhere.

Between the sites the residual looks like a multiple of a polynomial of degree k. Divided by the operator's size at that
frequency it is what the error does inside the element; the nodes' response to a unit of residual there, scaled alike,
says what it does elsewhere.
"""

from gated_xtfc.batch.backend import Numbers, jnp
from gated_xtfc.batch.condensed import (
    CondensedFactor,
    ElementData,
    ElementSystem,
    Orientation,
    Unknowns,
    element_data,
    jets,
    responses_of,
    site_jets,
)
from gated_xtfc.batch.tables import tables

SAFETY = 3.0
ROUNDING = 4.0 * 2.0**-53  # of the numbers that are added up in a row
FLOOR = 2e-14  # of the size of u: what evaluating a solution anywhere may lose
LEAST = 1e-3  # of a response inside its element: less is not told from none


def estimate(
    factor: CondensedFactor,
    system: ElementSystem,
    orientation: Orientation,
    unknowns: Unknowns,
    checks: tuple[Numbers, ...],
    turns: bool,
) -> tuple[Numbers, Numbers]:
    """The largest error of u, and the largest size of u itself, (B,) each.

    `checks` has the scaled operator there, and `turns` says whether the drift may pass zero.
    """
    k = unknowns.bend.shape[0]
    table = tables(k)
    data = element_data(unknowns, system, orientation)
    value, first, second = jets(data, unknowns.bend, table.checks, table.at(table.checks))
    a2, a1, a0, source = checks
    terms = a2 * second, a1 * first, a0 * value
    rounding = ROUNDING * (abs(terms[0]) + abs(terms[1]) + abs(terms[2]) + abs(source))
    residual = jnp.abs(terms[0] + terms[1] + terms[2] - source) + rounding
    drift = 4.0 * k * jnp.abs(a1)
    if turns:
        # about a zero of the drift, which lies between these places, only the other two terms hold the error
        along = jnp.concatenate([system.first[:1], a1])
        drift = jnp.where((along.min(0) < 0.0) & (along.max(0) > 0.0), 0.0, drift)
    size = 4.0 * k * k * jnp.abs(a2) + drift + jnp.abs(a0)
    inner = (residual / size).max(0)  # (K, B)
    local = factor.local
    unit = local.unit
    end, other = (local.to_end * unit).sum(0), -(local.to_other * unit).sum(0)
    response = responses_of(factor, system, end, other)
    late = -jnp.where(orientation.late, (jnp.asarray(table.totals[0])[:, None, None] * unit).sum(0), 0.0)
    own = jnp.abs(site_jets(ElementData(jnp.zeros_like(late), late), unit)[0]).max(0)
    spread = (response * inner / jnp.maximum(own, LEAST)).sum(0)
    at_sites = site_jets(data, unknowns.bend)[0]
    scale = jnp.maximum(jnp.abs(unknowns.value).max(0), jnp.abs(at_sites).max((0, 1)))
    lost = (response * rounding.max(0)).sum(0)  # what is rounded off does not oscillate
    return SAFETY * (spread + inner.max(0)) + lost + FLOOR * scale, scale
