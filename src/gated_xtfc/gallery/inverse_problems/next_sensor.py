"""Where to put the next sensor

Two sensors far from the layer say little about nu. The posterior knows where a third one would help most: inside the
layer.
"""

import matplotlib.pyplot as plt
import numpy as np

import gated_xtfc as gx

problem = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=0.05)
truth, random = gx.solve(problem), np.random.default_rng(0)
places = [0.6, 0.8]
for _ in range(3):
    readings = truth(np.array(places)) + 0.01 * random.standard_normal(len(places))
    posterior = gx.infer(problem, (places, readings), {"nu": (1e-2, 1)}, noise=0.01)
    print(f"{len(places)} sensors: nu = {posterior.mean['nu']:.4f} ± {posterior.std['nu']:.4f}")
    places.append(float(posterior.next_sites(1)[0]))
figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
posterior.plot(ax=axes)
axes.axvline(places[-1], color="tab:red", linestyle="--", label="next sensor")
axes.legend()
plt.show()
