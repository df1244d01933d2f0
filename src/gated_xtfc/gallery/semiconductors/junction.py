"""A p-n junction in equilibrium

Donors on the left, acceptors on the right: the potential drops over a depletion layer whose width is the Debye length
times the square root of the potential.
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

equation = "eps^2*u'' = 2*sinh(u) - where(x < 0, c, -c)"
high = "log(c/2 + sqrt(c^2/4 + 1))"  # where the carriers balance the doping
problem = gx.Problem(equation, {"x": (-1, 1)}, [f"u(-1) = {high}", f"u(1) = -{high}"], eps=1.0, c=1e3)
solution = gx.solve(problem, tol=1e-6)
print(solution.status, f"field at the junction: {-solution(0.0, 1):.1f}")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
solution.plot(ax=left)
solution.plot(ax=right, gated=True)
plt.show()
