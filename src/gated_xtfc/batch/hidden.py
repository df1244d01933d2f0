"""What only a proof finds in a text: some members are read as on the line, and the gates of both compared."""

from collections.abc import Mapping

import numpy as np

from gated_xtfc.batch.backend import jnp
from gated_xtfc.batch.partition import REACH
from gated_xtfc.batch.pilots import pilots_of
from gated_xtfc.batch.programs import Programs, ProgramSizes
from gated_xtfc.batch.sight import ODD, structure_of
from gated_xtfc.errors import InputError
from gated_xtfc.gates import Layer
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.problem.equation import TextEquation
from gated_xtfc.solver.interval.discretisation import predict
from gated_xtfc.types import Array

WIDTHS = 16.0  # kernel widths of a gate that an element there may span
NEAR, FAR = 3.0, 0.8  # elements beside a gate are about so many thicknesses long, or this part of the distance


def hides_more(programs: Programs, parameters: Mapping[str, Array]) -> bool:
    """Whether the line sees layers in some member that the batch does not: then all are better solved one by one.

    Texts that are polynomials in the coordinate hide nothing. Of others the first, the last and the extreme members are
    looked at.
    """
    family = programs.family
    texts = [one.free_text for one in family.problem.equations if isinstance(one, TextEquation)]
    if all(text.plain for text in texts):
        return False
    parameters = {name: values for name, values in parameters.items() if name not in family.own}
    if not parameters:
        return False
    some = pilots_of(parameters)
    size = ProgramSizes.here(family).of(next(iter(parameters.values())).size)
    rows = np.resize(some, size)
    filled = {name: jnp.asarray(np.moveaxis(values[rows], 0, -1)) for name, values in parameters.items()}
    seen = programs.look(filled, size)
    for place, number in enumerate(some):
        code = int(seen.code[place])
        if code == ODD:
            continue
        member = family.member({name: values[number] for name, values in parameters.items()})
        try:
            pieces = predict(Operator(member))
        except InputError:
            continue  # what it is about, the solve of that member says
        (axis,) = member.axes
        left, right, locations, thick = (np.asarray(one)[..., place] for one in seen.gates)
        there = np.isfinite(thick)
        ends = np.array([axis.left, axis.right]), np.array([left, right])
        widest = axis.length / structure_of(family, code, 1.0).outer
        for layer in (layer for piece in pieces for layer in piece.layers):
            inside = _length(layer, locations[there], thick[there])
            at_ends = np.where(np.abs(ends[0] - layer.location) < REACH * ends[1], _length(layer, *ends), np.inf)
            if min([*inside, *at_ends, widest]) > WIDTHS * layer.thickness:
                return True
    return False


def _length(layer: Layer, locations: Array, thick: Array) -> Array:
    """How long the elements beside gates are where a layer is."""
    found: Array = np.maximum(NEAR * thick, FAR * np.abs(locations - layer.location))
    return found
