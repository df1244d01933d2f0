"""Rate and noise from a decay

Neither the rate nor the noise is known; readings are missing here and there, as in every laboratory book.
"""

import matplotlib.pyplot as plt
import numpy as np

import gated_xtfc as gx

decay = gx.Problem("u' + k*u = 0", {"t": (0, 4)}, ["u(0) = 1"], k=1)
time = np.linspace(0, 4, 25)
readings = np.exp(-1.3 * time) + 0.02 * np.random.default_rng(1).standard_normal(25)
readings[[3, 11]] = np.nan  # not read
posterior = gx.infer(decay, {"t": time, "u": readings}, {"k": (0.1, 10)})
print(posterior)
figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
posterior.plot(ax=axes)
plt.show()
