"""Hartmann flow

A conducting fluid between plates in a magnetic field: the core moves as a block, and all shear is in layers of
thickness 1/Ha at the plates.
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

flow = gx.Problem("u''/Ha^2 - u = -1", {"y": (-1, 1)}, ["u(-1) = 0", "u(1) = 0"], Ha=100)
figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
for number in (1, 10, 100, 1000):
    solution = gx.solve(flow(Ha=number))
    y = solution.points(400)
    axes.plot(y, solution(y) / solution(0.0), label=f"Ha = {number}")
axes.set(xlabel="y", ylabel="velocity over that of the core")
axes.legend()
plt.show()
