"""A slender beam, large deflection

A nonlinear system of five equations (the classical test set has it as the elastic beam): angle, moment, force and
shape, with layers at both ends.
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

system = [
    "z' = sin(theta)",
    "theta' = M",
    "eps*M' = -Q",
    "eps*Q' = (z - 1)*cos(theta) - M*(1/cos(theta) + eps*Q*tan(theta))",
]
ends = ["z(0) = 0", "M(0) = 0", "z(1) = 0", "M(1) = 0"]
solution = gx.solve(gx.Problem(system, {"x": (0, 1)}, ends, eps=1e-2), tol=1e-6)
print(solution.status, f"moment in the middle {solution['M'](0.5):.6f}")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
solution.plot(ax=left)
solution.plot(ax=right, gated=True)
plt.show()
