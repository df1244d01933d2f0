"""Two branches that meet in a fold

Bratu's equation has two solutions below k = 3.5138, one there, none beyond. Each branch is followed from its own
start.
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

bratu = gx.Problem("u'' + k*exp(u) = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], k=1.0)
figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
for start, name in (("0", "lower"), ("16*x*(1-x)", "upper")):
    solution = gx.solve(bratu, guess=start)
    values = (1.0, 1.5, 2.0, 2.5, 3.0, 3.3, 3.45, 3.5, 3.51)
    middle = []
    for k in values:
        solution = gx.solve(bratu(k=k), guess=solution)
        middle.append(solution(0.5))
    axes.plot(values, middle, "o-", label=f"{name} branch")
    print(name, solution.status, middle[-1])
axes.axvline(3.513830719, color="k", linestyle=":", label="fold")
axes.set(xlabel="k", ylabel="u(1/2)")
axes.legend()
plt.show()
