"""A column that buckles

Beyond Euler's load a straight column has a second shape. The load is the unknown, the end angle is prescribed.
"""

import matplotlib.pyplot as plt
import numpy as np

import gated_xtfc as gx

figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
for angle in (0.2, 1.0, 2.0):
    ends = [f"theta(0) = {angle}", "theta'(0) = 0", "theta'(1) = 0"]
    column = gx.Problem("theta'' + P*sin(theta) = 0", {"s": (0, 1)}, ends, unknown=["P"])
    solution = gx.solve(column, guess=f"{angle}*cos(pi*s)")
    print(solution.status, f"angle {angle}: load {solution.constants['P'] / np.pi**2:.6f} of Euler's")
    solution.plot(ax=axes)
    axes.get_lines()[-1].set_label(f"P = {solution.constants['P'] / np.pi**2:.4f} of Euler's")
axes.legend()
plt.show()
