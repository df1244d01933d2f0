"""Names for the arrays that go round: floats, indices, complex numbers."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Complex = NDArray[np.complex128]
