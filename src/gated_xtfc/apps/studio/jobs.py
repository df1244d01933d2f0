"""What a worker can do: a message of the page in, a header and arrays out."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from gated_xtfc.apps.studio.evolution_view import evolution_view
from gated_xtfc.apps.studio.frames import Answer, Header, Message
from gated_xtfc.apps.studio.gallery import gallery
from gated_xtfc.apps.studio.limits import LIMITS
from gated_xtfc.apps.studio.plane_view import plane_view
from gated_xtfc.apps.studio.statement import Located, number_in, problem_of
from gated_xtfc.apps.studio.view import view
from gated_xtfc.errors import InputError
from gated_xtfc.problem.file import Guidance
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.base import Solution
from gated_xtfc.solution.evolution import EvolutionSolution
from gated_xtfc.solution.interval import IntervalSolution
from gated_xtfc.solution.rectangle import RectangleSolution
from gated_xtfc.solution.round import Round
from gated_xtfc.solver.continuation import small_parameter
from gated_xtfc.solver.solve import solve
from gated_xtfc.solver.spaces import space_of

if TYPE_CHECKING:
    from gated_xtfc.branches.branch import Branch
    from gated_xtfc.spectra.spectrum import Spectrum

Tell = Callable[[Header], None]  # progress, on its way to the page


class Dropped(BaseException):
    """Others wait, so this job is not finished; no failure, and none that may be taken for one."""


def solved(message: Message, progress: Tell) -> tuple[Solution, Problem]:
    """The solution, and the problem as it was asked for; `Located` says what stands in the way."""
    problem, guidance = problem_of(message.get("statement"))
    tol = tolerance(message)

    def told(fitted: Round) -> None:
        followed = None if fitted.value is None else followed_name(problem, guidance)
        progress({"neurons": fitted.neurons, "error": fitted.error, "value": fitted.value, "parameter": followed})

    try:
        most = LIMITS.neurons if len(problem.axes) == 1 or problem.evolution is not None else LIMITS.plane_neurons
        found = solve(problem, tol, max_neurons=most, progress=told, **vars(guidance))
    except InputError as error:
        raise Located(field_of(problem, guidance, tol), str(error)) from None
    return found, problem


def followed_name(problem: Problem, guidance: Guidance) -> str | None:
    """What a solution on its way is at a value of: the time, or the parameter that is followed."""
    if problem.evolution is not None:
        return problem.evolution.time.name
    return guidance.continuation or small_parameter(space_of(problem, 1e-8))


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
    given = message.get("derivative", 0)
    derivative = given if isinstance(given, int) else 0
    if isinstance(solution, RectangleSolution):
        return plane_view(solution, asked, derivative)
    if isinstance(solution, EvolutionSolution):
        return evolution_view(solution, asked)
    assert isinstance(solution, IntervalSolution)
    return view(solution, asked, derivative)


def eigen_job(message: Message, progress: Tell) -> Answer:
    from gated_xtfc.apps.studio.spectrum_view import spectrum_view

    spectrum, problem = spectrum_found(message, progress)
    return spectrum_view(spectrum, problem)


def spectrum_found(message: Message, progress: Tell) -> tuple["Spectrum", Problem]:
    from gated_xtfc.apps.studio.spectrum_view import spectrum_of  # spectra are slow to import, and few ask for them

    problem, _ = problem_of(message.get("statement"))

    def told(neurons: int, found: int, error: float) -> None:
        progress({"neurons": neurons, "error": error, "value": None, "parameter": None})

    try:
        return spectrum_of(message, problem, tolerance(message), told), problem
    except Located:
        raise
    except InputError as error:
        raise Located("equation", str(error)) from None


def branch_job(message: Message, progress: Tell) -> Answer:
    from gated_xtfc.apps.studio.branch_view import branch_view

    found, problem = branch_found(message, progress)
    return branch_view(found, problem)


def branch_found(message: Message, progress: Tell) -> tuple["Branch", Problem]:
    from gated_xtfc.apps.studio.branch_view import branch_of

    problem, guidance = problem_of(message.get("statement"))
    try:
        return branch_of(message, problem, guidance, tolerance(message), progress), problem
    except Located:
        raise
    except InputError as error:
        raise Located("along", str(error)) from None


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

    from gated_xtfc.plots.figure import draw, image  # matplotlib

    kind = "png" if message.get("format") == "png" else "svg"
    if message.get("verb") == "eigen":
        from gated_xtfc.plots.spectrum_figure import draw_spectrum

        figure = draw_spectrum(spectrum_found(message, progress)[0])
    elif message.get("verb") == "branch":
        from gated_xtfc.plots.branch_figure import draw_branch

        figure = draw_branch(branch_found(message, quiet)[0])
    else:
        figure = draw(solved(message, progress)[0])
    return {"format": kind}, {"image": np.frombuffer(image(figure, kind), dtype=np.uint8)}


def quiet(told: Header) -> None:
    """A figure of a branch does not tell its points a second time."""


def texts_job(message: Message, progress: Tell) -> Answer:
    from gated_xtfc.apps.studio.take_away import texts

    stated = message.get("statement")
    # what a family knows of its solution and is no text cannot be taken away
    problem, guidance = problem_of({**stated, "family": None} if isinstance(stated, dict) else stated)
    return {"texts": texts(problem, guidance, tolerance(message), message)}, {}


def gallery_job(message: Message, progress: Tell) -> Answer:
    return gallery(), {}


def data_job(message: Message, progress: Tell) -> Answer:
    from gated_xtfc.apps.studio.measurements import made

    solution, _ = solved(message, progress)
    if not isinstance(solution, IntervalSolution):
        raise Located("data", "data are made of solutions on an interval: this one has two coordinates")
    return made(message, solution)


def infer_job(message: Message, progress: Tell) -> Answer:
    from gated_xtfc.apps.studio.measurements import inferred

    problem, guidance = problem_of(message.get("statement"))
    return inferred(message, problem, guidance, progress)


JOBS: dict[str, Callable[[Message, Tell], Answer]] = {
    "solve": solve_job,
    "eigen": eigen_job,
    "branch": branch_job,
    "compare": compare_job,
    "data": data_job,
    "infer": infer_job,
    "figure": figure_job,
    "texts": texts_job,
    "gallery": gallery_job,
}
