"""Heat through a wall of two materials

The conductivity jumps by a factor of a thousand at x = 0.4. The equation is stated once, with `where`; the break is
found in the text, the flux k u' stays continuous across it.
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

conductivity = "where(x < 0.4, 1, 1000)"
wall = gx.Problem([f"{conductivity}*u' = q", "q' = -1"], {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"])
solution = gx.solve(wall)
print(solution.status, "breaks at", solution.breaks)
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
solution.plot(ax=left, field="u")
solution.plot(ax=right, field="q")
plt.show()
