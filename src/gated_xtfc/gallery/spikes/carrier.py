"""Carrier's problem

eps^2 u'' + 2 (1 - x^2) u + u^2 = 1 has ever more solutions as eps shrinks, each with its own spikes. Three guesses,
three of them.
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

ends = ["u(-1) = 0", "u(1) = 0"]
problem = gx.Problem("eps^2*u'' + 2*(1 - x^2)*u + u^2 = 1", {"x": (-1, 1)}, ends, eps=0.1)
one, two = "3.5/cosh(9*x)^2", "3*(1/cosh(9*(x - 0.35))^2 + 1/cosh(9*(x + 0.35))^2)"
figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
for spikes in ("0", one, two):
    solution = gx.solve(problem, guess=f"-1.2*(1 - x^2) + {spikes}")
    print(solution.status, f"u(0) = {solution(0.0):.6f}")
    solution.plot(ax=axes)
plt.show()
