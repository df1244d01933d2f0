"""A shock in a nozzle

Viscous flow through a widening nozzle enters supersonic and leaves subsonic; between stands a shock, eps wide, at a
place that only the whole problem knows. It is one of the classical test problems.
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

area, slope = "(1 + x^2)", "2*x"
equation = f"eps*{area}*u*u'' - (1.2 - eps*{slope})*u*u' + u'/u + {slope}/{area}*(1 - 0.2*u^2) = 0"
problem = gx.Problem(equation, {"x": (0, 1)}, ["u(0) = 0.9129", "u(1) = 0.375"], eps=0.02)
solution = gx.solve(problem, tol=1e-6)
print(solution.status, f"steepest {solution(solution.points(2000), 1).min():.1f}")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
solution.plot(ax=left)
solution.plot(ax=right, gated=True)
plt.show()
