"""A beam under tension

A stiff string: nearly a string, but clamped at its ends, which bends it within sqrt(EI/T).
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

clamped = ["u(0) = 0", "u'(0) = 0", "u(1) = 0", "u'(1) = 0"]
beam = gx.Problem("eps^2*u'''' - u'' = 1", {"x": (0, 1)}, clamped, eps=1e-3)
solution = gx.solve(beam)
print(solution.status, f"moment at the clamp {1e-6 * solution(0.0, 2):.3e}")
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
solution.plot(ax=left)
x = solution.points(500)
right.plot(solution.coordinate(x), solution(x, 2))
right.set(xlabel="gated coordinate", ylabel="u''")
plt.show()
