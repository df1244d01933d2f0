"""How a solve ended, in a word."""

from enum import StrEnum


class Status(StrEnum):
    """How a solve ended. Each member is a string: ``solution.status == "converged"``.

    Attributes
    ----------
    CONVERGED
        The estimated error is within the tolerance.
    RESOLUTION
        The solution is not fully resolved, and further rounds were not allowed or brought nothing.
    ROUNDING
        Double precision gives no more, or a layer is thinner than the spacing of numbers around it.
    NEARLY_SINGULAR
        Equation and conditions hardly determine the solution: rounding alone decides it.
    MAX_NEURONS, MAX_MEMORY, MAX_SECONDS
        A finer solution would exceed the budget of kernels, of bytes or of time.
    ITERATION
        The iteration for a linear system did not settle.
    STOPPED
        Continuation ended at another value of its parameter; the solution attached is the one there.
    NOT_FOUND
        Newton's method did not converge even once, or no solution is finite in double precision; what is attached is
        the plainest function that meets the conditions.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> layer = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-4)
    >>> gx.solve(layer).status is gx.Status.CONVERGED
    True
    >>> resonance = gx.Problem("u'' + pi^2*u = 1", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"])
    >>> print(gx.solve(resonance).status)
    nearly singular
    """

    CONVERGED = "converged"
    RESOLUTION = "resolution"
    ROUNDING = "rounding"
    NEARLY_SINGULAR = "nearly singular"
    MAX_NEURONS = "max_neurons"
    MAX_MEMORY = "max_memory"
    MAX_SECONDS = "max_seconds"
    ITERATION = "iteration"
    STOPPED = "stopped"
    NOT_FOUND = "not found"


class RowStatus(StrEnum):
    """How a point of a sweep ended that has no solution to ask; a string like `Status`."""

    FAILED = "failed"  # the message of the row says why
    TIME_LIMIT = "time limit"  # it took longer than a point may take
    WORKER_DIED = "worker died"  # it took its process with it, again and again
