"""Ignition: two states of one pellet

An exothermic reaction in a slab (Frank-Kamenetskii, the same as Bratu's equation) has a cold and a hot state up to k
= 3.51, and none beyond: the hot one is found from another guess.
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

slab = gx.Problem("u'' + k*exp(u) = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], k=2.0)
cold, hot = gx.solve(slab), gx.solve(slab, guess="12*x*(1-x)")
print(f"cold {cold(0.5):.6f}, hot {hot(0.5):.6f}")
print(gx.solve(slab(k=4.0)).status, "at k = 4")
figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
cold.plot(ax=axes)
hot.plot(ax=axes)
plt.show()
