"""Names for what goes round: arrays of numbers and indices, multi-indices of derivatives, what files hold."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Mask = NDArray[np.bool_]
Complex = NDArray[np.complex128]
Number = float | Array  # one value, or one for each of some points
Orders = tuple[int, ...]  # of a derivative, one number for each coordinate: (2,) is u'', (1, 1) is u_xy
Record = Mapping[str, Any]  # what a JSON file holds: its reader finds out whether it is what was expected
Derivative = tuple[str, Orders]  # a field and the orders along the coordinates
