"""A front and its speed

In the frame of a travelling front the equation is an ordinary one, and the speed is an unknown constant. For this
cubic it is known: sqrt(2) (1/2 - a).
"""

import matplotlib.pyplot as plt

import gated_xtfc as gx

front = gx.Problem(
    "u'' + c*u' + u*(1 - u)*(u - a) = 0",
    {"z": (-30, 30)},
    ["u(-30) = 1", "u(30) = 0", "u(0) = 1/2"],
    unknown=["c"],
    a=0.25,
)
solution = gx.solve(front, guess={"u": "1/(1 + exp(z/sqrt(2)))"})
print(solution.status, f"speed {solution.constants['c']:.8f}, known {2**0.5 * 0.25:.8f}")
figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
solution.plot(ax=axes)
plt.show()
