"""A plateau with four layers

Reaction on a square: one in the middle, zero on the boundary, and layers of 1e-4 along all sides. Right, along both
gated coordinates, they open up.
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

square = {"x": (0, 1), "y": (0, 1)}
problem = gx.Problem("-eps*(u_xx + u_yy) + u = 1", square, ["u = 0 on boundary"], eps=1e-8)
solution = gx.solve(problem, tol=1e-6)
print(solution.status, f"{solution.seconds:.2f} s", solution(0.5, 0.9999))

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
solution.plot(ax=left)
solution.plot(ax=right, gated=True)
plt.show()
