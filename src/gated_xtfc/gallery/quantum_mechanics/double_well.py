"""Tunnelling in a double well

The two lowest states of a double well differ by the sign in one well; their energies differ by the tunnelling
splitting. Each half of the domain is solved with the parity at its middle.
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

well = "-u'' + 25*(x^2 - 1)^2*u = lam*u"
figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
energies = []
for middle, shape in (("u'(0) = 0", "exp(-5*(x-1)^2)"), ("u(0) = 0", "x*exp(-5*(x-1)^2)")):
    state = gx.Problem(well, {"x": (0, 3)}, [middle, "u(3) = 0", "u(1) = 1"], unknown=["lam"])
    solution = gx.solve(state, guess={"u": shape})
    energies.append(solution.constants["lam"])
    solution.plot(ax=axes)
    axes.get_lines()[-1].set_label(f"lam = {energies[-1]:.6f}")
print(f"splitting {energies[1] - energies[0]:.8f}")
axes.legend()
plt.show()
