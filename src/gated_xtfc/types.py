"""Names for what goes round: arrays of floats, indices and complex numbers, and multi-indices of derivatives."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Complex = NDArray[np.complex128]
Number = float | Array  # one value, or one for each of some points
Orders = tuple[int, ...]  # of a derivative, one number for each coordinate: (2,) is u'', (1, 1) is u_xy
