"""A turning point of a wave

-eps^2 u'' + x u = 0: waves on the left, decay on the right, and Airy's function between them. Kernels are short where
waves are short.
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

problem = gx.Problem("-eps^2*u'' + x*u = 0", {"x": (-1, 1)}, ["u(-1) = 1", "u(1) = 0"], eps=1e-2)
solution = gx.solve(problem)
print(solution.status, solution.neurons)
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
solution.plot(ax=left)
x = solution.points(500)
right.semilogy(x, solution.width(x))
right.set(xlabel="x", ylabel="width of the kernels")
plt.show()
