"""A shock that finds its place

Nothing in the text says where the shock stands: it is followed from larger eps, gates in tow. Symmetry puts it at
1/3.
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

problem = gx.Problem("eps*u'' + u*u' - u = 0", {"x": (0, 1)}, ["u(0) = -7/6", "u(1) = 3/2"], eps=1e-3)
solution = gx.solve(problem)
print(solution.status, "followed:", solution.continuation, f"u(1/3) = {solution(1 / 3):.1e}")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
solution.plot(ax=left)
solution.plot(ax=right, gated=True)
plt.show()
