"""Ways to a solution: the problem as it stands, by continuation in a parameter, or in translated coordinates.

The last is for a layer thinner than the spacing of floating-point numbers around it: in the distance from the layer
numbers are dense enough.
"""

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic

from gated_xtfc.errors import InputError
from gated_xtfc.gates.coordinate import layers_of
from gated_xtfc.gates.prediction import thinnest_resolvable
from gated_xtfc.problem.transform import Translation
from gated_xtfc.solution.round import Round
from gated_xtfc.solution.status import Status
from gated_xtfc.solver.adapt import Adapted, Limits, adapt, begin
from gated_xtfc.solver.continuation import Way, along, follow, homotopy, other_parameters, small_parameter
from gated_xtfc.solver.discretisation import Discretisation, F, Gates, L, Start
from gated_xtfc.solver.integrated import integrated
from gated_xtfc.solver.marching import initial_end, joined, marched
from gated_xtfc.solver.tolerance import Tolerance
from gated_xtfc.solver.verdict import NUMBERS, verdict

MOST_PATIENT = 400  # steps of Newton's method along ways that were not asked for ...
MOST_NEURONS = 3_000  # ... and neurons there ...
COARSEST = 0.02  # ... and decades of the shortest step along it
FEW = 1_000  # neurons up to which a solution that is not resolved may be none
DEEP = 1e-9  # of the distance from zero: kernels this narrow at a singular point come to the end of numbers there
UNRESOLVED = 3.0  # times the part of an estimate that is rounding


@dataclass(frozen=True)
class Settings:
    """What holds for a whole solve."""

    tol: float
    limits: Limits
    continuation: str | None = None
    progress: Callable[[Round], None] | None = None
    guessed: bool = False  # whether the user said where Newton's method begins
    stop: Any = None  # what ends an evolution before its end
    tolerance: Tolerance | None = None  # of every field, where they have their own
    begun: float = 0.0  # a time of `time.perf_counter`


@dataclass(frozen=True)
class Attempt(Generic[F]):
    """The solution as far as it was found, and the way there."""

    adapted: Adapted[F]
    translation: Translation  # of the coordinates that the fit lives in
    path: tuple[Round, ...] = ()  # members solved on the way, the last one being that of `adapted`
    parameter: str | None = None  # the one followed
    arrived: bool = True  # whether the last member is the one asked for
    windows: int = 0  # through which it was followed along the domain
    note: str = ""  # on what stood in the way, for the message

    @property
    def reached(self) -> float | None:
        """The last value of the parameter that was followed."""
        return self.path[-1].value if self.path else None

    @property
    def history(self) -> tuple[Round, ...]:
        """The best round of every member on the way, then all rounds of the last one."""
        if not self.path:
            return self.adapted.history
        return (*self.path[:-1], *(replace(entry, value=self.reached) for entry in self.adapted.history))

    def converged(self, tol: float) -> bool:
        """Whether the verdict would be "converged"."""
        return self.arrived and verdict(self.adapted, tol, self.translation)[0] == Status.CONVERGED


def attempt(space: Discretisation[L, F], gates: Gates | None, start: Start | None, settings: Settings) -> Attempt[F]:
    """The solution as far as it was found; once more in translated coordinates where a layer is too thin for x."""
    best = attempt_as_it_stands(space, gates, start, settings)
    translation = translation_needed(best)
    if translation is not None:
        origins = translation.origins
        moved = None if gates is None else tuple(
            None if own is None else [gate.moved(-origin) for gate in own]
            for own, origin in zip(gates, origins, strict=True)
        )  # fmt: skip
        there = space.for_problem(space.problem.transformed(translation))
        # next to a singular point x + origin may have no digits left to divide by
        with suppress(InputError):
            second = attempt_as_it_stands(
                there, moved, None if start is None else start.translated(translation), settings
            )
            best = best if second.adapted.found is None else replace(second, translation=translation)
    plane = len(space.problem.axes) > 1  # where every fit takes too long for it
    if space.problem.linear or plane or settings.continuation is not None or not _astray(best, settings):
        return best
    return _with_patience(space, gates, start, settings, best)


def attempt_as_it_stands(
    space: Discretisation[L, F], gates: Gates | None, start: Start | None, settings: Settings
) -> Attempt[F]:
    """As `attempt`, in the problem's own coordinates."""
    tol, limits, report = settings.tol, settings.limits, settings.progress
    problem = space.problem
    here = _untranslated(space)
    if problem.linear:
        return Attempt(adapt(space, space.predict(tol, gates=gates), None, tol, limits, report), here)
    adapted = adapt(space, *begin(space, tol, start, gates), tol, limits, report)
    end = None if adapted.error <= tol or settings.continuation or gates else initial_end(problem)
    if end is not None:
        march = marched(space, end, tol, limits)
        if march.reached == end or march.reached not in (problem.axes[0].left, problem.axes[0].right):
            again = _after_integrator(space, tol, limits, settings, here)
            if again is not None:
                return again
            name = problem.axes[0].name
            note = f"followed from {name} = {end:g} on, it led to {name} = {march.reached:.6g} and no further"
            return Attempt(adapted, here, note=note)
        whole = Attempt(joined(space, march, tol, limits), here, windows=len(march.windows))
        return whole if whole.adapted.error < adapted.error else Attempt(adapted, here)
    parameter = None if adapted.error <= tol else settings.continuation or small_parameter(space)
    if parameter is not None:
        rest = replace(limits, steps=limits.steps - adapted.steps)
        followed, path = follow(along(space, parameter), tol, rest, start, report)
        arrived = bool(path) and path[-1].value == problem.parameters[parameter]
        # a member that was not asked for is worth more than nothing, but not more than the one that was
        if followed is not None and (adapted.found is None or (arrived and followed.error < adapted.error)):
            return Attempt(followed, here, tuple(path), parameter, arrived)
    return Attempt(adapted, here)


def _after_integrator(
    space: Discretisation[L, F], tol: float, limits: Limits, settings: Settings, here: Translation
) -> Attempt[F] | None:
    """A solution that begins with what an integrator found; None where that leads to none."""
    known = integrated(space.problem, limits.over)
    if known is None:
        return None
    guess, steps = known
    found = adapt(space, *begin(space, tol, space.start_from_guess(guess)), tol, limits, settings.progress)
    return Attempt(found, here, windows=steps) if found.error <= tol else None


def _untranslated(space: Discretisation[L, F]) -> Translation:
    return Translation((0.0,) * len(space.problem.axes))


def _astray(attempt: Attempt[F], settings: Settings) -> bool:
    """Whether what was found is no solution, or a poor one: another way may lead to one."""
    if attempt.converged(settings.tol) or settings.limits.over() or attempt.note or attempt.windows:
        return False
    found = attempt.adapted.found
    status, _ = verdict(attempt.adapted, settings.tol, attempt.translation)
    if status == Status.RESOLUTION:
        return found is not None and found.neurons <= FEW
    return not attempt.arrived or status in (Status.NOT_FOUND, Status.NEARLY_SINGULAR)


def _with_patience(
    space: Discretisation[L, F], gates: Gates | None, start: Start | None, settings: Settings, best: Attempt[F]
) -> Attempt[F]:
    """What takes longer, where nothing else has led to a solution: more steps, a homotopy, other parameters."""
    tol, limits, here = settings.tol, settings.limits, _untranslated(space)
    left = min(limits.steps, MOST_PATIENT)
    found = Attempt(adapt(space, *begin(space, tol, start, gates), tol, replace(limits, patient=True)), here)
    if found.converged(tol):
        return found
    ways: list[Callable[[], Way[L, F] | None]] = [partial(homotopy, space)]
    ways += [partial(along, space, name) for name in other_parameters(space, best.parameter)]
    for choose in ways:
        try:
            way = choose()
            few = replace(limits, steps=left, neurons=min(limits.neurons, MOST_NEURONS))
            adapted, path = (None, []) if way is None else follow(way, tol, few, start, shortest=COARSEST)
        except InputError:  # with another value of the parameter there may be no such problem
            continue
        if way is not None and adapted is not None and path[-1].value == way.target:
            found = Attempt(adapted, here, tuple(path), way.name)
            if found.converged(tol):
                return found
        left -= sum(entry.steps for entry in path)  # those of failed members not counted
        if limits.over() or left <= 0:
            break
    return best


def translation_needed(attempt: Attempt[F]) -> Translation | None:
    """The translation to the thinnest layer of each axis, as far as it is too thin for x; None where none is."""
    found = attempt.adapted.found
    if found is None:
        return None
    margin = NUMBERS if attempt.arrived else 1e3
    singular = _singular_place(attempt)
    if singular is not None:
        return Translation((singular,))
    origins = [0.0] * len(found.coordinates)
    thickness = [math.inf] * len(found.coordinates)
    for axis, layer in layers_of(found.coordinates):
        thin = layer.location and layer.thickness <= margin * thinnest_resolvable(layer.location)
        if thin and layer.thickness < thickness[axis]:
            origins[axis], thickness[axis] = layer.location, layer.thickness
    return Translation(tuple(origins)) if any(origins) else None


def _singular_place(attempt: Attempt[F]) -> float | None:
    """A singular point of an interval that is not zero, where powers of the distance are what is not resolved yet."""
    adapted = attempt.adapted
    if adapted.found is None or len(adapted.found.coordinates) > 1 or attempt.translation or not attempt.arrived:
        return None
    certificate = adapted.certificate
    if certificate is None or not certificate.error > UNRESOLVED * certificate.rounding:
        return None
    thin = [
        (layer.thickness, place)
        for piece in adapted.found.coordinates[0]
        for place in piece.singular
        for layer in piece.layers
        if place and layer.location == place and layer.thickness < DEEP * abs(place)
    ]
    return min(thin)[1] if thin and not adapted.stopped else None
