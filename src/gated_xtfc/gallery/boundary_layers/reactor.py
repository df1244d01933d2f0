"""A tubular reactor with Danckwerts' conditions

What enters is carried by flow and by diffusion, so the condition at the inlet holds value and slope together; at the
outlet nothing diffuses out. The less diffusion, the nearer to plug flow: exp(-2).
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

inlet, outlet = "u(0) - eps*u'(0) = 1", "u'(1) = 0"
reactor = gx.Problem("u' - eps*u'' + 2*u = 0", {"x": (0, 1)}, [inlet, outlet], eps=1e-5)
figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
for eps in (1.0, 0.1, 1e-2, 1e-5):
    solution = gx.solve(reactor(eps=eps))
    solution.plot(ax=axes)
    axes.get_lines()[-1].set_label(f"eps = {eps:g}: {solution(1.0):.4f} leaves")
axes.legend()
plt.show()
