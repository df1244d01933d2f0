"""A hundred waves

u'' + k^2 u = 1 at k = 600: kernels are as short as the waves ask for, no more; the cost grows like k.
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

problem = gx.Problem("u'' + k^2*u = k^2", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], k=600)
solution = gx.solve(problem)
print(solution.status, solution.neurons, f"{solution.seconds:.3f} s")
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
solution.plot(ax=left)
left.get_lines()[0].set_linewidth(0.5)
solution.plot(ax=right)
right.set_xlim(0.45, 0.5)
plt.show()
