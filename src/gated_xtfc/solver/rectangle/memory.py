"""What a solve takes: so that one that does not fit is refused before it is tried."""

from gated_xtfc.linalg.krylov import RESTART

NUMBER = 8  # bytes
MATRICES = 24  # of the size of an axis, at the same time, for each axis
SURFACES = 56  # of the size of the grid, at the same time
SPARSE = 80  # for each unknown, in the factors of the differences


def needed(x: int, y: int, separable: bool) -> float:
    """Bytes for x times y sites; what varies along both axes needs the memory of GMRES too."""
    surfaces = SURFACES if separable else SURFACES + RESTART + SPARSE
    return float(NUMBER) * (MATRICES * (x * x + y * y) + surfaces * x * y)
