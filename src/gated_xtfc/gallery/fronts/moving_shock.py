"""A front that travels

Burgers' equation in time: a step of thickness 1e-4 runs to the right at the mean of the values on its sides. The gate
travels with it, so that the number of sites does not grow with the way; right, its path.
"""

import matplotlib.pyplot as plt
import numpy as np

import gated_xtfc as gx

start = "u(x, 0) = 0.6 - 0.5*tanh((x - 0.2)/(4*eps))"
problem = gx.Problem(
    "u_t + u*u_x = eps*u_xx", {"x": (0, 1), "t": (0, 1)}, [start, "u(0, t) = 1.1", "u(1, t) = 0.1"], eps=1e-4
)
solution = gx.solve(problem, tol=1e-6)
front = solution.fronts[0]
print(solution.status, f"{solution.sites} sites", front)
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
x = np.linspace(0, 1, 4001)
for t in (0.0, 0.25, 0.5, 0.75, 1.0):
    left.plot(x, solution(x, t), label=f"t = {t:g}")
left.set(xlabel="x", ylabel="u")
left.legend()
right.plot(front.t, front.x)
right.set(xlabel="t", ylabel="where the front is")
plt.show()
