"""A viscosity from noisy sensors

Fifty readings with noise 0.01; the posterior of nu follows from exact solves, with an interval that holds what it
says.
"""

import matplotlib.pyplot as plt
import numpy as np

import gated_xtfc as gx

problem = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=5e-3)
x = 1 - np.linspace(0, 1, 50) ** 3
y = gx.solve(problem)(x) + 0.01 * np.random.default_rng(0).standard_normal(50)
posterior = gx.infer(problem, (x, y), {"nu": (1e-4, 1)}, noise=0.01)
print(posterior)
print(posterior.interval("nu", 0.95), posterior.message)
figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
posterior.plot(ax=axes)
axes.set_xlim(0.9, 1.0)
plt.show()
