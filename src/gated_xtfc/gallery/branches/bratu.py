"""Two branches that meet in a fold

Bratu's equation has two solutions below k = 3.5138, one there, none beyond. `branch` follows them past the fold, and
says which are stable.
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

bratu = gx.Problem("u'' + k*exp(u) = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], k=1.0)
branch = gx.branch(bratu, "k", (0.5, 4), show="max(u)", max_points=60)
print(branch.message)
print(f"fold at k = {branch.folds[0].parameter:.9f}")
cool, hot = branch.at(2.0)
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
left.plot([point.parameter for point in branch.points], branch.values(), "o-", markersize=3)
left.set(xlabel="k", ylabel="max(u)")
cool.plot(ax=right)
hot.plot(ax=right)
plt.show()
