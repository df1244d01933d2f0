"""The compiled core, where there is one."""

from gated_xtfc.types import Array as Buffer

def evaluate(
    degree: int,
    order: int,
    derivative: int,
    field: int,
    hermite: Buffer,
    cuts: Buffer,
    anchor: Buffer,
    offset: Buffer,
    length: Buffer,
    coefficients: Buffer,
    x: Buffer,
    values: Buffer,
    /,
) -> None: ...
def solve(
    orders: tuple[int, ...],
    degree: int,
    elements: int,
    members: int,
    certify: bool,
    free_left: int,
    free_right: int,
    tables: Buffer,
    middles: Buffer,
    values: Buffer,
    length: Buffer,
    basis_left: Buffer,
    basis_right: Buffer,
    particular_left: Buffer,
    particular_right: Buffer,
    factors: Buffer,
    floors: Buffer,
    found: Buffer,
    figures: Buffer,
    shares: Buffer,
    /,
) -> None: ...
