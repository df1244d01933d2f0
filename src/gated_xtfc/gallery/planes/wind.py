"""Outflow layers along two sides

The wind blows to the upper right; two layers of different strength meet in a corner.
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

square = {"x": (0, 1), "y": (0, 1)}
wind = "-eps*(u_xx + u_yy) + 2*u_x + u_y = 1"
solution = gx.solve(gx.Problem(wind, square, ["u = 0 on boundary"], eps=1e-3), tol=1e-5)
print(solution.status, f"{solution.seconds:.2f} s", solution.neurons)

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
solution.plot(ax=left)
solution.plot(ax=right, gated=True)
plt.show()
