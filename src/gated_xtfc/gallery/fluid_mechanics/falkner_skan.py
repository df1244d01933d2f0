"""Falkner and Skan's boundary layer

The similarity profile of the layer on a wedge, as a system; the far edge is put at 8. Without a pressure gradient it
is Blasius' profile, with f''(0) = 0.4696.
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

system = ["f' = u", "u'' = -f*u' - b*(1 - u^2)"]
wedge = gx.Problem(system, {"eta": (0, 8)}, ["f(0) = 0", "u(0) = 0", "u(8) = 1"], b=0.0)
start = {"f": "eta - 1 + exp(-eta)", "u": "1 - exp(-eta)"}
figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
for b in (-0.19, 0.0, 0.5, 1.0):
    solution = gx.solve(wedge(b=b), guess=start)
    print(f"b = {b:5.2f}: {solution.status}, wall shear {solution['u'](0.0, 1):.6f}")
    solution.plot(ax=axes, field="u")
    axes.get_lines()[-1].set_label(f"b = {b:g}")
axes.legend()
plt.show()
