"""A spike

eps^2 u'' - u + u^2 = 0 has a solution that is zero but for one spike, 3/2 high and eps wide. Which of many solutions
is meant is said by a guess; by symmetry half of it is enough.
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

ends = ["u'(0) = 0", "u(1) = 0"]
problem = gx.Problem("eps^2*u'' - u + u^2 = 0", {"x": (0, 1)}, ends, eps=1e-2)
solution = gx.solve(problem, guess="1.6/cosh(x/0.021)^2")
print(solution.status, f"u(0) = {solution(0.0):.8f}")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
solution.plot(ax=left)
solution.plot(ax=right, gated=True)
plt.show()
