"""Fourth order: a stretched beam under uniform load, clamped at both ends; its stiffness eps^2 matters only there."""

from gated_xtfc.zoo.family import Family

FAMILY = Family(
    name="clamped_beam",
    look="a parabola whose slope is bent to zero within eps of each end: u barely shows it, u' and u'' do",
    equation="eps**2*u'''' - u'' = 1",
    domain=(0.0, 1.0),
    conditions=("u(0) = 0", "u'(0) = 0", "u(1) = 0", "u'(1) = 0"),
    exact="x*(1-x)/2 - eps/(2*(1-exp(-1/eps)))*(1 + exp(-1/eps) - exp(-x/eps) - exp(-(1-x)/eps))",
    small="eps",
    values=(1.0, 1e-1, 1e-2, 1e-3, 1e-4),
    layers=lambda eps: ((0.0, eps), (1.0, eps)),
)
