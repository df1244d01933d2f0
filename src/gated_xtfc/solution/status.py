"""What is said of a result, in a word."""

from enum import StrEnum


class Status(StrEnum):
    """How a solve ended. Each member is a string: ``solution.status == "converged"``.

    Examples
    --------
    >>> from gated_xtfc import Status
    >>> [status.value for status in Status][:2]
    ['converged', 'resolution']
    """

    CONVERGED = "converged"  # the estimated error is within the tolerance
    RESOLUTION = "resolution"  # not resolved within the rounds allowed
    ROUNDING = "rounding"  # double precision gives no more
    NEARLY_SINGULAR = "nearly singular"  # rounding alone decides the solution
    MAX_NEURONS = "max_neurons"  # the budget of neurons is used up
    MAX_MEMORY = "max_memory"  # the budget of memory is used up
    ITERATION = "iteration"  # the iteration for a linear system did not settle
    STOPPED = "stopped"  # the solution could be followed to another value of a parameter only
    NOT_FOUND = "not found"  # Newton's method found no solution


class RowStatus(StrEnum):
    """How a point of a sweep ended that has no solution to ask; a string like `Status`."""

    FAILED = "failed"  # the message of the row says why
    TIME_LIMIT = "time limit"  # it took longer than a point may take
    WORKER_DIED = "worker died"  # it took its process with it, again and again
