"""A layer where the flow leaves

The flow carries zero from the left; the wall at the right asks for one. Diffusion gives way only within nu of the
wall. Left, the layer is a vertical line; right, along the gated coordinate, it opens up.
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

problem = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-6)
solution = gx.solve(problem, tol=1e-10)
print(solution.status, f"error {solution.error:.1e}", f"{solution.neurons} neurons")
print(solution.gates[0].describe())

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
solution.plot(ax=left)
solution.plot(ax=right, gated=True)
plt.show()
