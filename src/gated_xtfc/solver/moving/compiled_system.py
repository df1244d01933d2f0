"""The equations on their sites as the compiled core reads them: numbers, weights of differences, and programs.

Seeds of the programs are u, u_x, u_xx of every field, then the derivatives in time; time is a parameter whose place is
told. What the core does not know (functions in Python, tables, more than sixteen fields) stays with NumPy.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gated_xtfc.core import compiled
from gated_xtfc.language.bytecode import moving_bytecode
from gated_xtfc.language.program import Program
from gated_xtfc.problem.equation import TextEquation
from gated_xtfc.problem.evolution import HIGHEST

if TYPE_CHECKING:
    from gated_xtfc.solver.moving.equations import Equations
    from gated_xtfc.solver.moving.system import MovingSystem

Packed = tuple[Any, ...]
Code = tuple[Any, Any, Any]


def compiled_programs(equations: "Equations") -> tuple[tuple[Code, ...], list[int]] | None:
    """Equations, the conditions at the left and the right end, fluxes; where time stands in each of them, or -1."""
    evolution, fields = equations.evolution, equations.problem.fields
    if compiled.moving_step is None or len(fields) > compiled.MOST_MOVING or np.intp(0).itemsize != 8:
        return None
    codes: list[Code] = []
    clocks: list[int] = []
    terms = (HIGHEST + 2) * len(fields)

    def add(program: Program, seeds: Mapping[Any, int], parameters: Mapping[str, Any]) -> bool:
        code = moving_bytecode(program, evolution.space.name, seeds, terms)
        values = None if code is None else code.values({**parameters, evolution.time.name: 0.0})
        if code is None or values is None:
            return False
        codes.append((code.codes, code.numbers, np.array(values)))
        clocks.append(code.names.index(evolution.time.name) if evolution.time.name in code.names else -1)
        return True

    orders = HIGHEST + 1
    seeds = {(name, evolution.along(k, 0)): orders * f + k for f, name in enumerate(fields) for k in range(orders)}
    seeds |= {(name, evolution.along(0, 1)): orders * len(fields) + f for f, name in enumerate(fields)}
    for equation in equations.problem.equations:
        if not isinstance(equation, TextEquation) or equation.unknown:
            return None
        if not add(equation.program, seeds, equation.parameters):
            return None
    for condition in (one for end in evolution.ends for one in end if one is not None):
        own = {key: orders * fields.index(key[0]) + sum(key[1]) for key in condition.program.derivatives}
        if not add(condition.program, own, condition.parameters):
            return None
    for flux in equations.fluxes:
        if flux is not None:
            own = {key: orders * fields.index(key[0]) + sum(key[1]) for key in flux.program.derivatives}
            if not add(flux.program, own, flux.parameters):
                return None
    return (tuple(codes), clocks) if len(codes) <= 3 * compiled.MOST_MOVING else None


def packed_system(system: "MovingSystem") -> Packed | None:
    """What `core/moving_calls.c` calls a system."""
    equations, sites = system.equations, system.sites
    programs = equations.programs
    if programs is None:
        return None
    evolution, m = equations.evolution, equations.count
    rows, fields = equations.timed
    untimed, following = equations.untimed
    constant = equations.constant_inverse
    shape = sites.size, m, sites.order, sites.wider.shape[1] - 1, rows.size, constant is not None, sites.joints.size
    number, places = 0, []
    ends = np.full((2, m), -1)
    for end in (0, 1):
        for f, condition in enumerate(evolution.ends[end]):
            if condition is not None:
                ends[end, f] = number
                places.append(condition.place)
                number += 1
    kinds = np.concatenate([ends.ravel(), np.array(system.weak).ravel(), evolution.periodic, evolution.orders])
    fluxes = np.full(m, -1)
    for f, flux in enumerate(equations.fluxes):
        if flux is not None:
            fluxes[f] = m + len(places)
            places.append(0.0)  # it is asked for at both sites of every break
    weights = (np.ascontiguousarray(one) for one in (*sites.weights, *sites.checking_weights))
    return (
        np.array(shape, dtype=np.int64),
        system.packing.rank.astype(np.int64),
        np.concatenate([rows, untimed, fields, following]).astype(np.int64),
        kinds.astype(np.int64),
        sites.eta,
        sites.gaps,
        *weights,
        np.ascontiguousarray(system.mass),
        np.zeros(0) if constant is None else np.ascontiguousarray(constant),
        np.array(places, dtype=float),
        np.array(programs[1], dtype=np.int64),
        np.ascontiguousarray(system.counted),
        np.concatenate([sites.stencils[:, 0], sites.wider[:, 0]]).astype(np.int64),
        np.concatenate([sites.joints, equations.hosts if sites.cuts else np.full(m, -1), fluxes]).astype(np.int64),
        programs[0],
    )
