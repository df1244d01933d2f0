"""Reaction against diffusion

Both walls hold zero against a reaction that wants cos(pi x)^2. The layers are sqrt(eps) thick, not eps: look at the
thickness of the gates that are printed.
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

problem = gx.Problem("-eps*u'' + u = cos(pi*x)^2", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"], eps=1e-8)
solution = gx.solve(problem)
print(solution.status, solution.neurons)
for gate in solution.gates:
    print(gate.describe())

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
solution.plot(ax=left)
solution.plot(ax=right, gated=True)
plt.show()
