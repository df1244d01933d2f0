"""Diffusion and reaction in a catalyst

With a large Thiele modulus the reactant is used up near the surface: the effectiveness falls like one over the
modulus.
"""

import matplotlib.pyplot as plt
import numpy as np

import gated_xtfc as gx

pellet = gx.Problem("u'' = phi^2*u", {"x": (0, 1)}, ["u'(0) = 0", "u(1) = 1"], phi=10)
moduli = np.geomspace(0.1, 1000, 25)
table = gx.sweep(pellet, {"phi": moduli}, quantities=["integral(u)"], workers=1)
print(table)
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
gx.solve(pellet(phi=30)).plot(ax=left)
right.loglog(table["phi"], table["integral(u)"], label="effectiveness")
right.loglog(moduli, np.tanh(moduli) / moduli, "k:", label="tanh(phi)/phi")
right.set(xlabel="Thiele modulus")
right.legend()
plt.show()
