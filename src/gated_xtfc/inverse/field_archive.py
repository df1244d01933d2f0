"""The field of a posterior in its file: what is interpolated between nodes, or the members of a soft equation."""

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from gated_xtfc.discretise.chart import Chart
from gated_xtfc.inverse.discrepancy import DeviationGrid, EquationResponse
from gated_xtfc.inverse.evolving import TravellingFields
from gated_xtfc.inverse.field_model import FieldModel, InterpolatedField
from gated_xtfc.inverse.interpolation import Hermite, Interpolation, Patchwork, Polynomial
from gated_xtfc.inverse.measure import Measure
from gated_xtfc.inverse.node import AnyFields, CentralDifference, ElementFields, Fields
from gated_xtfc.inverse.soft_field import SoftField, SoftMember
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.elements_entry import get_elements, put_elements
from gated_xtfc.solution.entry import anything, finite, numbers, one_of, positive, record, several, whole
from gated_xtfc.solution.envelope import Arrays as File
from gated_xtfc.solution.envelope import Unfit
from gated_xtfc.solution.evolution_archive import packed_record, unpacked_record
from gated_xtfc.solution.kernels_entry import get_pieces
from gated_xtfc.types import Array

Entry = Mapping[str, Any]  # from JSON, or on its way there
Arrays = dict[str, Array]

LINE, PATCHWORK, SOFT = "line", "patchwork", "members"  # kinds of models


def put_arrays(key: str, arrays: Arrays, **values: Array | None) -> None:
    """Those that there are, as key.name."""
    arrays.update({f"{key}.{name}": value for name, value in values.items() if value is not None})


def put_model(model: FieldModel, arrays: Arrays) -> Entry:
    if isinstance(model, SoftField):
        return put_soft(model, arrays)
    assert isinstance(model, InterpolatedField)
    arrays["drawn"] = model.drawn
    nodes = [put_either(node, f"node{i}", arrays) for i, node in enumerate(model.nodes)]
    return {**put_interpolation(model.interpolation, arrays), "nodes": nodes}


def get_model(entry: Entry, measure: Measure, problem: Problem, file: File) -> FieldModel:
    """The model of a posterior of this problem."""
    count = len(problem.fields)
    kind, unknowns = record(kind=one_of((LINE, PATCHWORK, SOFT)))(entry, "its model")["kind"], measure.points.shape[1]
    if kind == SOFT:
        return get_soft(entry, unknowns, count, file)
    told = record(nodes=several(anything, least=1))(entry, "its model")["nodes"]
    if problem.evolution is None:
        nodes: tuple[AnyFields, ...] = tuple(
            get_on_elements(node, f"node{i}", unknowns, problem, file)
            if isinstance(node, Mapping) and "coordinates" in node
            else get_fields(node, f"node{i}", unknowns, count, file)
            for i, node in enumerate(told)
        )
    else:
        nodes = tuple(get_travelling(node, f"node{i}", unknowns, problem, file) for i, node in enumerate(told))
    interpolation = get_interpolation(entry, unknowns, file)
    if len(interpolation.places) != len(nodes):
        raise Unfit(f"it has {len(nodes)} nodes at {len(interpolation.places)} places")
    return InterpolatedField(interpolation, nodes, measure, numbers(file["drawn"], "drawn", None, unknowns))


def put_interpolation(interpolation: Interpolation, arrays: Arrays) -> Entry:
    arrays["places"] = interpolation.places
    if not isinstance(interpolation, Patchwork):
        return {"kind": LINE}
    for i, patch in enumerate(interpolation.patches):
        put_arrays(f"patch{i}", arrays, centre=patch.centre, spread=patch.spread, places=patch.places)
    return {"kind": PATCHWORK, "patches": [patch.degree for patch in interpolation.patches]}


def get_interpolation(entry: Entry, unknowns: int, file: File) -> Interpolation:
    if entry["kind"] == LINE:
        places = numbers(file["places"], "places", None)
        if unknowns != 1 or places.size < 2 or not (np.diff(places) > 0.0).all():
            raise Unfit("its nodes are not along a line")
        return Hermite(places)
    degrees = record(patches=several(whole(0), least=1))(entry, "its model")["patches"]
    return Patchwork(tuple(get_patch(f"patch{i}", degree, unknowns, file) for i, degree in enumerate(degrees)))


def get_patch(key: str, degree: int, unknowns: int, file: File) -> Polynomial:
    places = numbers(file[f"{key}.places"], f"{key}.places", None, unknowns)
    # values and slopes of the nodes determine as many coefficients, and no more
    if math.comb(unknowns + min(degree, 100), unknowns) > places.size + len(places):
        raise Unfit(f"the degree of {key} is {degree}")
    spread = numbers(file[f"{key}.spread"], f"{key}.spread", unknowns, unknowns)
    if not (np.diag(spread) != 0.0).all():
        raise Unfit(f"{key} has no extent")
    return Polynomial(numbers(file[f"{key}.centre"], f"{key}.centre", unknowns), spread, degree, places)


def put_soft(field: SoftField, arrays: Arrays) -> Entry:
    put_arrays("deviations", arrays, sigma=field.grid.sigma, tau=field.grid.tau)
    members = [put_member(member, f"member{i}", arrays) for i, member in enumerate(field.members)]
    return {"kind": SOFT, "seed": field.seed, "members": members}


def get_soft(entry: Entry, unknowns: int, count: int, file: File) -> SoftField:
    told = record(seed=whole(0), members=several(record(fields=anything, response=anything), least=1))(
        entry, "its model"
    )
    sigma = numbers(file["deviations.sigma"], "deviations.sigma", None)
    grid = DeviationGrid(sigma, numbers(file["deviations.tau"], "deviations.tau", sigma.size))
    members = tuple(
        get_member(member, f"member{i}", grid, unknowns, count, file) for i, member in enumerate(told["members"])
    )
    return SoftField(members, grid, told["seed"])


def put_member(member: SoftMember, key: str, arrays: Arrays) -> Entry:
    put_arrays(key, arrays, sensors=member.sensors, eigenvalues=member.eigenvalues)
    put_arrays(key, arrays, residual=member.residual, weights=member.weights)
    return {
        "fields": put_fields(member.fields, f"{key}.fields", arrays),
        "response": put_response(member.response, f"{key}.response", arrays),
    }


def get_member(entry: Entry, key: str, grid: DeviationGrid, unknowns: int, count: int, file: File) -> SoftMember:
    fields = get_fields(entry["fields"], f"{key}.fields", unknowns, count, file)
    response = get_response(entry["response"], f"{key}.response", fields.weights.shape[1], file)
    sensors = numbers(file[f"{key}.sensors"], f"{key}.sensors", None, response.norms.size)
    sizes = {"eigenvalues": len(sensors), "residual": len(sensors), "weights": grid.sigma.size}
    rest = (numbers(file[f"{key}.{name}"], f"{key}.{name}", size) for name, size in sizes.items())
    return SoftMember(fields, response, sensors, *rest)


def put_response(response: EquationResponse, key: str, arrays: Arrays) -> Entry:
    put_arrays(key, arrays, couple=response.couple, norms=response.norms, band=response.band)
    whole = {"pivots": response.pivots.tolist(), "order": response.order.tolist()}
    return {**whole, "block": response.block, "unit": response.unit}


def get_response(entry: Any, key: str, columns: int, file: File) -> EquationResponse:
    told = record(pivots=several(whole(0)), order=several(whole(0)), block=whole(1), unit=finite)(entry, key)
    pivots, order = (np.array(told[name], dtype=np.intp) for name in ("pivots", "order"))
    if pivots.size and pivots.max() >= columns:
        raise Unfit(f"{key} takes out kernels that are not there")
    couple = numbers(file[f"{key}.couple"], f"{key}.couple", pivots.size, columns - pivots.size)
    norms = numbers(file[f"{key}.norms"], f"{key}.norms", order.size)
    band = numbers(file[f"{key}.band"], f"{key}.band", order.size, None)
    if told["block"] > max(order.size, 1) or band.shape[1] < min(told["block"], order.size):
        raise Unfit(f"the blocks of {key} are larger than its band")
    return EquationResponse(pivots, couple, order, norms, band, told["block"], told["unit"])


def put_either(fields: AnyFields, key: str, arrays: Arrays) -> Entry:
    if isinstance(fields, ElementFields):
        return put_on_elements(fields, key, arrays)
    return put_fields(fields, key, arrays) if isinstance(fields, Fields) else put_travelling(fields, key, arrays)


def put_on_elements(fields: ElementFields, key: str, arrays: Arrays) -> Entry:
    function, slopes = fields.parts
    coordinates, parts = put_elements(function)
    put_arrays(key, arrays, **parts, slopes=slopes)
    return {"coordinates": coordinates}


def get_on_elements(entry: Any, key: str, unknowns: int, problem: Problem, file: File) -> ElementFields:
    told = record(coordinates=anything)(entry, key)
    own = File({name.removeprefix(f"{key}."): part for name, part in file.items() if name.startswith(f"{key}.")})
    function = get_elements(told["coordinates"], own, problem)
    return ElementFields.of(function, numbers(own["slopes"], f"{key}.slopes", unknowns, *function.coefficients.shape))


def put_travelling(fields: TravellingFields, key: str, arrays: Arrays) -> Entry:
    about, parts = packed_record(fields.record)
    put_arrays(key, arrays, **parts)
    return {**about, "sides": [put_difference(one, key, arrays) for one in fields.differences]}


def get_travelling(
    entry: Any, key: str, unknowns: int, problem: Problem, file: File, sides: bool = True
) -> TravellingFields:
    told = record(sides=several(several(anything)))(entry, key)
    if told["sides"] and not sides:
        raise Unfit(f"{key} has sides that have sides")
    own = File({name.removeprefix(f"{key}."): part for name, part in file.items() if name.startswith(f"{key}.")})

    def fields(side: Any, name: str) -> TravellingFields:
        return get_travelling(side, name, unknowns, problem, file, sides=False)

    differences = tuple(get_difference(side, key, unknowns, fields) for side in told["sides"])
    return TravellingFields(unpacked_record(entry, own, problem), unknowns, differences)


def put_fields(fields: Fields, key: str, arrays: Arrays) -> Entry:
    put_arrays(key, arrays, weights=fields.weights)
    return {
        "pieces": [asdict(basis) for basis in fields.chart.basis.bases],
        "origin": fields.chart.origin,
        "sides": [put_difference(one, key, arrays) for one in fields.differences],
    }


def get_fields(entry: Any, key: str, unknowns: int, count: int, file: File, sides: bool = True) -> Fields:
    told = record(pieces=anything, origin=finite, sides=several(several(anything)))(entry, key)
    basis = get_pieces(told["pieces"], f"the pieces of {key}")
    if told["sides"] and not sides:
        raise Unfit(f"{key} has sides that have sides")
    weights = numbers(file[f"{key}.weights"], f"{key}.weights", None, basis.size * count)
    if sides and len(weights) != 1 + unknowns:
        raise Unfit(f"{key} has the slopes of {len(weights) - 1} unknowns, not of {unknowns}")

    def fields(side: Any, name: str) -> Fields:
        return get_fields(side, name, unknowns, count, file, sides=False)

    differences = tuple(get_difference(side, key, unknowns, fields) for side in told["sides"])
    return Fields(Chart(basis, told["origin"]), weights, differences)


def put_difference(difference: CentralDifference, key: str, arrays: Arrays) -> list[Any]:
    i = difference.parameter
    below = put_either(difference.below, f"{key}.below{i}", arrays)
    above = put_either(difference.above, f"{key}.above{i}", arrays)
    return [i, below, above, difference.width]


def get_difference(
    entry: list[Any], key: str, unknowns: int, fields: Callable[[Any, str], AnyFields]
) -> CentralDifference:
    if len(entry) != 4:
        raise Unfit(f"a side of {key} has {len(entry)} entries, not 4")
    i, width = whole(0)(entry[0], f"a side of {key}"), positive(entry[3], f"the width of a side of {key}")
    if i >= unknowns:
        raise Unfit(f"a side of {key} is along unknown {i}")
    below, above = (fields(side, f"{key}.{name}{i}") for name, side in (("below", entry[1]), ("above", entry[2])))
    return CentralDifference(i, below, above, width)
