"""A fast reaction at a membrane

Two reactants diffuse towards each other and react at once where they meet: a front inside the domain, eps^(1/3)
thick.
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

system = ["eps*a'' = a*b", "eps*b'' = a*b"]
ends = ["a(0) = 1", "a(1) = 0", "b(0) = 0", "b(1) = 1"]
problem = gx.Problem(system, {"x": (0, 1)}, ends, eps=1e-4)
solution = gx.solve(problem, tol=1e-6)
print(solution.status, f"both at the front: {solution['a'](0.5):.5f}")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
solution.plot(ax=left)
solution.plot(ax=right, gated=True)
plt.show()
