"""Tones of a string that is denser on one side

u'' + lam (1 + 4 x) u = 0: the tones are unknown constants. Guesses with one, two and three arches lead to the first
three.
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

ends = ["u(0) = 0", "u(1) = 0", "u'(0) = 1"]
string = gx.Problem("u'' + lam*(1 + 4*x)*u = 0", {"x": (0, 1)}, ends, unknown=["lam"])
travel = "((1 + 4*x)^1.5 - 1)/(5^1.5 - 1)"  # the share of the time that a wave takes to get to x
figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
for arches in (1, 2, 3):
    solution = gx.solve(string, guess=f"sin({arches}*pi*{travel})*0.54/({arches}*(1 + 4*x)^(1/4))")
    print(solution.status, f"lam = {solution.constants['lam']:.8f}")
    solution.plot(ax=axes)
    axes.get_lines()[-1].set_label(f"lam = {solution.constants['lam']:.4f}")
axes.legend()
plt.show()
