"""Corner layers

The same equation with other ends: now the solution has kinks, rounded over sqrt(eps), and no jump.
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

problem = gx.Problem("eps*u'' + u*u' - u = 0", {"x": (0, 1)}, ["u(0) = -1/3", "u(1) = 1/3"], eps=1e-4)
solution = gx.solve(problem)
print(solution.status, f"u' inside a corner: {solution(1 / 3, 1):.4f}")
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
solution.plot(ax=left)
x = solution.points(800)
right.plot(x, solution(x, 1))
right.set(xlabel="x", ylabel="u'")
plt.show()
