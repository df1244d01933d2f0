"""States of the harmonic oscillator

-u'' + x^2 u = lam u: the energies 1, 3, 5, 7 are unknown constants, each fixed by one condition more. States are even
or odd, so half of the axis is enough; a guess says which state is meant.
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

even, odd = ["u(0) = 1", "u'(0) = 0", "u(7) = 0"], ["u(0) = 0", "u'(0) = 1", "u(7) = 0"]
states = [(even, "1", 1), (odd, "x", 3), (even, "1 - 2*x^2", 5), (odd, "x - 2*x^3/3", 7)]
figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
for conditions, shape, energy in states:
    oscillator = gx.Problem("-u'' + x^2*u = lam*u", {"x": (0, 7)}, conditions, unknown=["lam"])
    solution = gx.solve(oscillator, guess={"u": f"({shape})*exp(-x^2/2)", "lam": energy})
    print(solution.status, f"{solution.constants['lam']:.10f}")
    solution.plot(ax=axes)
    axes.get_lines()[-1].set_label(f"energy {solution.constants['lam']:.6f}")
axes.legend()
plt.show()
