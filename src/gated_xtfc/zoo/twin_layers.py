"""Twin boundary layers (paper, section 4.4): the flow runs from the middle to both ends, u = exp(-2 x (1 - x)/nu)."""

from gated_xtfc.zoo.family import Family

FAMILY = Family(
    name="twin_layers",
    look="a layer of thickness nu/2 at each end, and a middle that is zero to hundreds of digits",
    equation="2*(2*x-1)*u' - nu*u'' + 4*u = 0",
    domain=(0.0, 1.0),
    conditions=("u(0) = 1", "u(1) = 1"),
    exact="exp(-2*x*(1-x)/nu)",
    small="nu",
    values=(1e-1, 1e-2, 1e-4, 1e-6, 1e-8),
    layers=lambda nu: ((0.0, nu / 2), (1.0, nu / 2)),
)
