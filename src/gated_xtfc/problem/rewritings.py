"""What takes a statement to plain words, one after another: each is a module beside this one, and knows no other.

Complex parts come first, on their own, for they change which constants there are; the domain is read after them.
"""

from gated_xtfc.problem import delays, fluxes, high_order, integrals, point_sources
from gated_xtfc.problem.statement import Rewriting, Statement

REWRITINGS: tuple[Rewriting, ...] = (
    delays.rewritten,  # u(x - tau), u(q*x), u(0.5)
    point_sources.rewritten,  # delta(x - 0.3), jump(u, 0.5) = 1
    integrals.rewritten,  # integral(u, 0, x)
    fluxes.rewritten,  # (k*u')' with a factor that jumps
    high_order.rewritten,  # u'''''
)


def in_plain_words(statement: Statement) -> Statement:
    """The statement after all rewritings."""
    for rewriting in REWRITINGS:
        statement = rewriting(statement)
    return statement
