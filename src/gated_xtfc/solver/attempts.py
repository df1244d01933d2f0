"""The attempts at a problem on a finite domain, in their order: the first that leads to the tolerance is taken."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from gated_xtfc.errors import InputError
from gated_xtfc.gates import Gate
from gated_xtfc.problem.problem import require_known_ends
from gated_xtfc.solver.discretisation import Discretisation, Gates, Start
from gated_xtfc.solver.interval.discretisation import IntervalDiscretisation
from gated_xtfc.solver.interval.element_family import FoundAtOnce
from gated_xtfc.solver.interval.element_fit import ElementFit
from gated_xtfc.solver.interval.elements import attempt_elements
from gated_xtfc.solver.interval.fit import IntervalFit
from gated_xtfc.solver.interval.newton_family import BegunAtOnce
from gated_xtfc.solver.interval.patient_elements import attempt_patiently
from gated_xtfc.solver.options import checked_gates
from gated_xtfc.solver.strategy import Attempt, Settings, attempt
from gated_xtfc.solver.warm_start import GatePredictor, attempt_warm

AMPLIFIED = 1e6  # of residuals: above this, linear problems on an interval are solved with all digits where that can be


def attempt_in_turn(
    space: Discretisation[Any, Any],
    gates: Iterable[Gate] | Mapping[str, Iterable[Gate]] | GatePredictor | None,
    guess: Any,
    settings: Settings,
    first: FoundAtOnce | BegunAtOnce | None = None,
) -> Attempt[Any]:
    """On elements where they serve, from what a model of the gates knows, then the usual way.

    `first` is what the compiled core has made of the problem, where it has.
    """
    problem = space.problem
    start = None if guess is None else space.start_from_guess(guess)
    if gates is not None:
        require_known_ends(problem, "a solve with gates given")
    model = gates if gates is not None and isinstance(gates, GatePredictor) else None
    warm = None if model is None or start is not None else model.warm_start(problem)
    chosen = None if model is not None else checked_gates(gates, problem.axes)
    ways: list[Callable[[], Attempt[Any] | None]] = []
    if isinstance(space, IntervalDiscretisation):
        known = (first.fit, None) if isinstance(first, FoundAtOnce) else (None, first)
        ways.append(partial(attempt_elements, space, chosen, start, settings, *known))
    if warm is not None:
        # a start is worth more than the faster way, and a linear problem needs none
        ways.insert(len(ways) if problem.linear else 0, partial(attempt_warm, space, warm, settings))
    for way in ways:
        found = way()
        if found is not None:
            return _with_switches(space, found)
    if isinstance(space, IntervalDiscretisation) and problem.linear:
        return _with_switches(space, _with_all_digits(space, chosen, settings))
    return _with_switches(space, attempt(space, chosen, start, settings))


def _with_all_digits(space: IntervalDiscretisation, gates: Gates | None, settings: Settings) -> Attempt[Any]:
    """The usual way of a linear problem on an interval, and where it does not lead to the tolerance a patient one.

    Where kernels amplify much, rounding in their rows decides how large a mode is: with all digits it does not.
    """
    usual, refused = None, None
    try:
        usual = attempt(space, gates, None, settings)
    except InputError as refusal:  # kernels may not tell conditions apart that are close together
        refused = refusal
    certificate = None if usual is None else usual.adapted.certificate
    if usual is not None and usual.converged(settings.tol) and certificate and certificate.stability <= AMPLIFIED:
        return usual
    patient = attempt_patiently(space, gates, settings)
    if patient is not None:
        return patient
    if usual is None:
        assert refused is not None
        raise refused
    return usual


def _with_switches(space: Any, attempt: Attempt[Any]) -> Attempt[Any]:
    """With the error from places of switches that the text does not determine to the last digit."""
    found, certificate = attempt.adapted.found, attempt.adapted.certificate
    problem = space.problem
    if len(problem.axes) > 1 or attempt.translation or found is None or certificate is None or not attempt.arrived:
        return attempt
    if len(found.coordinates[0]) < 2 or not problem.is_text:
        return attempt
    # imported here, so that problems that switch nowhere need not wait for it
    from gated_xtfc.solver.interval.switch_places import with_switches

    certified = with_switches(problem, found, certificate, _start_of(space, found))
    if isinstance(found, ElementFit):
        found = replace(found, certificate=certified)
    return replace(attempt, adapted=replace(attempt.adapted, found=found, certificate=certified))


def _start_of(space: IntervalDiscretisation, found: IntervalFit | ElementFit) -> Start:
    """A fit as a function along which texts can be read."""
    if isinstance(found, IntervalFit):
        return space.as_start(found)
    return Start(lambda f, points, orders: found.function(f, points[0], orders[0]), (), solves=True)
