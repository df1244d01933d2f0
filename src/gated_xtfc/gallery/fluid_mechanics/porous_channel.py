"""A channel with porous walls

Berman's similarity equation for a channel with suction, of fourth order. The larger the Reynolds number of the
suction (negative here), the flatter the core and the thinner the layer at the wall.
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

equation = "f'''' + R*(f*f''' - f'*f'') = 0"
walls = ["f(0) = 0", "f''(0) = 0", "f(1) = 1", "f'(1) = 0"]
channel = gx.Problem(equation, {"y": (0, 1)}, walls, R=1.0)
figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
for R in (-30.0, -10.0, 0.0, 5.0):
    solution = gx.solve(channel(R=R), tol=1e-6)
    y = solution.points(300)
    axes.plot(y, solution(y, 1), label=f"R = {R:g}: {solution.status}")
axes.set(xlabel="y", ylabel="velocity f'")
axes.legend()
plt.show()
