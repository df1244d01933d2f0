"""What a worker can do: a message of the page in, a header and arrays out."""

from collections.abc import Callable

from gated_xtfc.apps.studio.frames import Answer, Header, Message
from gated_xtfc.apps.studio.gallery import gallery
from gated_xtfc.apps.studio.limits import LIMITS
from gated_xtfc.apps.studio.statement import Located, number_in, problem_of
from gated_xtfc.apps.studio.view import view
from gated_xtfc.errors import InputError
from gated_xtfc.problem.file import Guidance
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.solution.round import Round
from gated_xtfc.solver.continuation import small_parameter
from gated_xtfc.solver.solve import solve, space_of

Tell = Callable[[Header], None]  # progress, on its way to the page


class Dropped(Exception):
    """A newer job waits, so this one is not finished."""


def solved(message: Message, progress: Tell) -> tuple[IntervalSolution, Problem]:
    """The solution, and the problem as it was asked for; `Located` says what stands in the way."""
    problem, guidance = problem_of(message.get("statement"))
    tol = tolerance(message)

    def told(fitted: Round) -> None:
        followed = None if fitted.value is None else guidance.continuation or small_parameter(space_of(problem, 1e-8))
        progress({"neurons": fitted.neurons, "error": fitted.error, "value": fitted.value, "parameter": followed})

    try:
        found = solve(problem, tol, max_neurons=LIMITS.neurons, progress=told, **vars(guidance))
    except InputError as error:
        raise Located(field_of(problem, guidance, tol), str(error)) from None
    assert isinstance(found, IntervalSolution)  # the statement was refused if it has two coordinates
    return found, problem


def tolerance(message: Message) -> float:
    return number_in("tol", message.get("tol", 1e-8), "the tolerance")


def field_of(problem: Problem, guidance: Guidance, tol: float) -> str:
    """Which of the page's fields `solve` could not use."""
    if not tol > 0:
        return "tol"
    if guidance.continuation is not None and guidance.continuation not in problem.parameters:
        return "continuation"
    try:
        if guidance.guess is not None:
            space_of(problem, tol).start_from_guess(guidance.guess)
    except InputError:
        return "guess"
    return "equation"


def solve_job(message: Message, progress: Tell) -> Answer:
    solution, asked = solved(message, progress)
    derivative = message.get("derivative", 0)
    return view(solution, asked, derivative if isinstance(derivative, int) else 0)


def compare_job(message: Message, progress: Tell) -> Answer:
    # the peers' modules are slow to import, and only this one needs them
    from gated_xtfc.apps.compare_command import reference
    from gated_xtfc.paper.comparison import OURS, PUBLISHED, compare

    problem, guidance = problem_of(message.get("statement"))
    methods, done = (OURS, PUBLISHED, "solve_bvp"), 0

    def told(name: str) -> None:
        nonlocal done
        progress({"running": name, "share": done / len(methods)})
        done += 1

    tol = tolerance(message)
    try:
        lines = compare(problem, tol, methods=methods, guidance=vars(guidance), progress=told)
    except InputError as error:
        raise Located(field_of(problem, guidance, tol), str(error)) from None
    return {"lines": [line.record() for line in lines], "reference": reference(problem), "tol": tol}, {}


def figure_job(message: Message, progress: Tell) -> Answer:
    import numpy as np

    from gated_xtfc.plots.figure import image  # matplotlib

    solution, _ = solved(message, progress)
    kind = "png" if message.get("format") == "png" else "svg"
    return {"format": kind}, {"image": np.frombuffer(image(solution, kind), dtype=np.uint8)}


def texts_job(message: Message, progress: Tell) -> Answer:
    from gated_xtfc.apps.studio.take_away import texts

    stated = message.get("statement")
    # what a family knows of its solution and is no text cannot be taken away
    problem, guidance = problem_of({**stated, "family": None} if isinstance(stated, dict) else stated)
    return {"texts": texts(problem, guidance, tolerance(message))}, {}


def gallery_job(message: Message, progress: Tell) -> Answer:
    return gallery(), {}


def data_job(message: Message, progress: Tell) -> Answer:
    from gated_xtfc.apps.studio.measurements import made

    return made(message, solved(message, progress)[0])


def infer_job(message: Message, progress: Tell) -> Answer:
    from gated_xtfc.apps.studio.measurements import inferred

    problem, guidance = problem_of(message.get("statement"))
    return inferred(message, problem, guidance, progress)


JOBS: dict[str, Callable[[Message, Tell], Answer]] = {
    "solve": solve_job,
    "compare": compare_job,
    "data": data_job,
    "infer": infer_job,
    "figure": figure_job,
    "texts": texts_job,
    "gallery": gallery_job,
}
