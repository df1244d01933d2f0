"""Twin layers

The second problem of the paper: both streams leave, and both walls have a layer.
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

equation = "2*(2*x - 1)*u' - nu*u'' + 4*u = 0"
problem = gx.Problem(equation, {"x": (0, 1)}, ["u(0) = 1", "u(1) = 1"], nu=1e-5)
solution = gx.solve(problem, tol=1e-10)
print(solution.status, solution.neurons, f"{solution.seconds:.3f} s")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
solution.plot(ax=left)
solution.plot(ax=right, gated=True)
plt.show()
