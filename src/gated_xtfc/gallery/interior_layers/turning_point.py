"""A turning point: the flow meets itself

The coefficient of u' passes zero inside the domain, and both streams pile up there: a layer sqrt(eps) thick that no
wall asked for. It is read off the sign change.
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

problem = gx.Problem("eps*u'' + x*u' = 0", {"x": (-1, 1)}, ["u(-1) = -1", "u(1) = 1"], eps=1e-8)
solution = gx.solve(problem)
print(solution.status, *[gate.describe() for gate in solution.gates])

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
solution.plot(ax=left)
solution.plot(ax=right, gated=True)
plt.show()
