"""The ladder of a double well

Eigenvalues of -h^2 u'' + (x^2 - 1)^2 u, all asked for at once: below the barrier they come in pairs that tunnelling
holds apart, above it they are single. The modes are solutions like any other.
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

ends = ["u(-2.5) = 0", "u(2.5) = 0"]
well = gx.Problem("-h^2*u'' + (x^2 - 1)^2*u = lam*u", {"x": (-2.5, 2.5)}, ends, unknown=["lam"], h=0.1)
spectrum = gx.eigen(well, 8)
print(spectrum.table())
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
for mode in spectrum.modes[:3]:
    mode.plot(ax=left)
right.plot(spectrum.values, "o")
right.axhline(1.0, color="k", linestyle=":", label="top of the barrier")
right.set(xlabel="number", ylabel="eigenvalue")
right.legend()
plt.show()
