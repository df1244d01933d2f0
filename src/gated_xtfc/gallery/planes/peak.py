"""A sharp peak in the source

The two-dimensional case of the paper: Poisson's equation with a Gaussian source, here a hundredth wide.
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

square = {"x": (0, 1), "y": (0, 1)}
source = "exp(-((x - 0.5)^2 + (y - 0.5)^2)/(2*w^2))/(2*pi*w^2)"
solution = gx.solve(gx.Problem(f"-(u_xx + u_yy) = {source}", square, ["u = 0 on boundary"], w=1e-2), tol=1e-6)
print(solution.status, f"u at the peak {solution(0.5, 0.5):.6f}")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
solution.plot(ax=left)
solution.plot(ax=right, gated=True)
plt.show()
