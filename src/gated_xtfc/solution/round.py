"""One fit on the way to a solution."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Round:
    """One fit on the way to a solution: an entry of `solution.history`, and what `progress` of `solve` is called with.

    Attributes
    ----------
    neurons
        Kernels with a coefficient of their own.
    error
        The estimated error, relative to `Solution.scales`.
    rounding
        The part of it that no refinement removes.
    steps
        Steps of Newton's method; one where the equation is linear.
    value
        The value of the continuation parameter; None where there was no continuation.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> problem = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-4)
    >>> solution = gx.solve(problem)
    >>> len(solution.history), solution.history[0].steps, solution.history[0].value
    (1, 1, None)
    >>> solution.history[-1].error == solution.error
    True
    """

    neurons: int
    error: float
    rounding: float
    steps: int = 1
    value: float | None = None
