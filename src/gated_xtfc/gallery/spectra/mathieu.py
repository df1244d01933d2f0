"""Mathieu's characteristic values

Where u'' + (lam - 2 q cos(2x)) u = 0 has periodic solutions, followed from the cosines of q = 0: each solve starts
from its neighbour's solution.
"""

import matplotlib.pyplot as plt
import numpy as np

import gated_xtfc as gx

mathieu = gx.Problem(
    "u'' + (lam - 2*q*cos(2*x))*u = 0",
    {"x": (0, "pi")},
    ["u'(0) = 0", "u'(pi) = 0", "u(0) = 1"],
    unknown=["lam"],
    q=1.0,
)
values = np.linspace(0.0, 5.0, 11)
figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
for order in (0, 2, 4):
    solution = gx.solve(mathieu(q=0.0), guess={"u": f"cos({order}*x)", "lam": order**2})
    found = []
    for q in values:
        solution = gx.solve(mathieu(q=q), guess=solution)
        found.append(solution.constants["lam"])
    axes.plot(values, found, "o-", label=f"from cos({order} x)")
axes.set(xlabel="q", ylabel="characteristic value")
axes.legend()
plt.show()
