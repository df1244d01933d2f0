"""Minority carriers beside a junction

Holes injected at x = 0 recombine on the way to a contact at x = 1. With a short diffusion length nearly all of them
end in a thin layer, and the current is carried there.
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

problem = gx.Problem("L^2*p'' = p", {"x": (0, 1)}, ["p(0) = 1", "p(1) = 0"], L=1e-2)
figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
for length in (1.0, 0.1, 1e-2):
    solution = gx.solve(problem(L=length))
    x = solution.points(300)
    axes.plot(x, solution(x), label=f"L = {length:g}: current {-length * solution(0.0, 1):.4f}")
axes.set(xlabel="x", ylabel="holes")
axes.legend()
plt.show()
