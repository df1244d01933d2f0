"""A needle in the source

A source of width 1e-5 at x = 0.3. Samples would have to be lucky to see it; here it is read from the text.
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

source = "exp(-((x - 0.3)/w)^2)/(w*sqrt(pi))"
problem = gx.Problem(f"-u'' = {source}", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], w=1e-5)
solution = gx.solve(problem)
print(solution.status, solution(0.3), "a point source would give", 0.3 * 0.7)

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
solution.plot(ax=left)
solution.plot(ax=right, gated=True)
plt.show()
