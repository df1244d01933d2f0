"""Two layers of different thickness

An equation of third order whose characteristic roots have two sizes: a layer of 1e-4 at the left wall, one of 1e-2 at
the right. Look at the widths of the kernels.
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

equation = "eps^3*u''' + eps*u'' - u' = -1"
problem = gx.Problem(equation, {"x": (0, 1)}, ["u(0) = 1", "u'(0) = 0", "u(1) = 0"], eps=1e-2)
solution = gx.solve(problem)
print(solution.status, *[gate.describe() for gate in solution.gates])
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
solution.plot(ax=left, gated=True)
x = solution.points(500)
right.semilogy(solution.coordinate(x), solution.width(x))
right.set(xlabel="gated coordinate", ylabel="width of the kernels")
plt.show()
