"""The double layer at an electrode

Ions in water screen a charged wall within a Debye length (Poisson-Boltzmann). For a flat wall there is a closed form
to compare with: tanh(u/4) = tanh(U/4) exp(-x/eps).
"""

import matplotlib.pyplot as plt
import numpy as np

import gated_xtfc as gx

problem = gx.Problem("eps^2*u'' = sinh(u)", {"x": (0, 1)}, ["u(0) = 4", "u(1) = 0"], eps=1e-3)
solution = gx.solve(problem)
x = solution.points(400)
exact = 4 * np.arctanh(np.tanh(1) * np.exp(-x / 1e-3))
print(solution.status, f"largest difference from the closed form {np.abs(solution(x) - exact).max():.1e}")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
solution.plot(ax=left)
solution.plot(ax=right, gated=True)
plt.show()
