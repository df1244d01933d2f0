"""Two streams that collide at x = 1/2: the convection jumps from 1 to -1, u' stays continuous and turns within nu."""

from gated_xtfc.zoo.family import Family

NEAR_END = "min(x, 1-x)"  # distance to the nearer end: u is symmetric about 1/2

FAMILY = Family(
    name="colliding_streams",
    look="a tent whose tip at x = 1/2, where the convection jumps, is round within nu",
    equation="where(x < 0.5, 1, -1)*u' - nu*u'' = 1",
    domain=(0.0, 1.0),
    conditions=("u(0) = 0", "u(1) = 0"),
    exact=f"{NEAR_END} - nu*(exp(({NEAR_END} - 0.5)/nu) - exp(-0.5/nu))",
    small="nu",
    values=(1.0, 1e-1, 1e-2, 1e-4, 1e-6, 1e-8),
    layers=lambda nu: ((0.5, nu),),
)
