"""The faces of SciPy that people know, on this solver: change one import, and the code runs as it is.

    from gated_xtfc.scipy import solve_bvp

(Absolute imports: nothing here stands in the way of ``import scipy``.)
"""

from gated_xtfc.scipy.bvp import solve_bvp
from gated_xtfc.scipy.result import BVPResult

__all__ = ["BVPResult", "solve_bvp"]
