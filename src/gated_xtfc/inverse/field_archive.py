"""The field of a posterior in its file: what is interpolated between nodes, or the members of a soft equation."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from gated_xtfc.discretise.chart import Chart
from gated_xtfc.discretise.gaussian import Gaussian, Piecewise
from gated_xtfc.inverse.discrepancy import DeviationGrid, EquationResponse
from gated_xtfc.inverse.field_model import FieldModel, InterpolatedField
from gated_xtfc.inverse.interpolation import Hermite, Interpolation, Patchwork, Polynomial
from gated_xtfc.inverse.measure import Measure
from gated_xtfc.inverse.node import CentralDifference, Fields
from gated_xtfc.inverse.soft_field import SoftField, SoftMember
from gated_xtfc.types import Array

Entry = Mapping[str, Any]  # from JSON: what is in it is checked by what is made of it
Arrays = dict[str, Array]
File = Mapping[str, Array]

LINE, PATCHWORK, SOFT = "line", "patchwork", "members"  # kinds of models


def put_arrays(key: str, arrays: Arrays, **values: Array | None) -> None:
    """Those that there are, as key.name."""
    arrays.update({f"{key}.{name}": value for name, value in values.items() if value is not None})


def put_model(model: FieldModel, arrays: Arrays) -> Entry:
    if isinstance(model, SoftField):
        return put_soft(model, arrays)
    assert isinstance(model, InterpolatedField)
    arrays["drawn"] = model.drawn
    nodes = [put_fields(node, f"node{i}", arrays) for i, node in enumerate(model.nodes)]
    return {**put_interpolation(model.interpolation, arrays), "nodes": nodes}


def get_model(entry: Entry, measure: Measure, file: File) -> FieldModel:
    if entry["kind"] == SOFT:
        return get_soft(entry, file)
    nodes = tuple(get_fields(node, f"node{i}", file) for i, node in enumerate(entry["nodes"]))
    return InterpolatedField(get_interpolation(entry, file), nodes, measure, file["drawn"])


def put_interpolation(interpolation: Interpolation, arrays: Arrays) -> Entry:
    arrays["places"] = interpolation.places
    if not isinstance(interpolation, Patchwork):
        return {"kind": LINE}
    for i, patch in enumerate(interpolation.patches):
        put_arrays(f"patch{i}", arrays, centre=patch.centre, spread=patch.spread, places=patch.places)
    return {"kind": PATCHWORK, "patches": [patch.degree for patch in interpolation.patches]}


def get_interpolation(entry: Entry, file: File) -> Interpolation:
    if entry["kind"] == LINE:
        return Hermite(file["places"])
    return Patchwork(
        tuple(
            Polynomial(file[f"patch{i}.centre"], file[f"patch{i}.spread"], degree, file[f"patch{i}.places"])
            for i, degree in enumerate(entry["patches"])
        )
    )


def put_soft(field: SoftField, arrays: Arrays) -> Entry:
    put_arrays("deviations", arrays, sigma=field.grid.sigma, tau=field.grid.tau)
    members = [put_member(member, f"member{i}", arrays) for i, member in enumerate(field.members)]
    return {"kind": SOFT, "seed": field.seed, "members": members}


def get_soft(entry: Entry, file: File) -> SoftField:
    grid = DeviationGrid(file["deviations.sigma"], file["deviations.tau"])
    members = tuple(get_member(member, f"member{i}", file) for i, member in enumerate(entry["members"]))
    return SoftField(members, grid, entry["seed"])


def put_member(member: SoftMember, key: str, arrays: Arrays) -> Entry:
    put_arrays(key, arrays, sensors=member.sensors, eigenvalues=member.eigenvalues)
    put_arrays(key, arrays, residual=member.residual, weights=member.weights)
    return {
        "fields": put_fields(member.fields, f"{key}.fields", arrays),
        "response": put_response(member.response, f"{key}.response", arrays),
    }


def get_member(entry: Entry, key: str, file: File) -> SoftMember:
    return SoftMember(
        get_fields(entry["fields"], f"{key}.fields", file),
        get_response(entry["response"], f"{key}.response", file),
        *(file[f"{key}.{name}"] for name in ("sensors", "eigenvalues", "residual", "weights")),
    )


def put_response(response: EquationResponse, key: str, arrays: Arrays) -> Entry:
    put_arrays(key, arrays, couple=response.couple, norms=response.norms, band=response.band)
    whole = {"pivots": response.pivots.tolist(), "order": response.order.tolist()}
    return {**whole, "block": response.block, "unit": response.unit}


def get_response(entry: Entry, key: str, file: File) -> EquationResponse:
    pivots, order = (np.array(entry[name], dtype=np.intp) for name in ("pivots", "order"))
    couple, norms, band = (file[f"{key}.{name}"] for name in ("couple", "norms", "band"))
    return EquationResponse(pivots, couple, order, norms, band, entry["block"], entry["unit"])


def put_fields(fields: Fields, key: str, arrays: Arrays) -> Entry:
    put_arrays(key, arrays, weights=fields.weights)
    return {
        "pieces": [asdict(basis) for basis in fields.chart.basis.bases],
        "origin": fields.chart.origin,
        "sides": [put_difference(one, key, arrays) for one in fields.differences],
    }


def get_fields(entry: Entry, key: str, file: File) -> Fields:
    basis = Piecewise(tuple(Gaussian.restored(piece) for piece in entry["pieces"]))
    differences = tuple(get_difference(side, key, file) for side in entry["sides"])
    return Fields(Chart(basis, entry["origin"]), file[f"{key}.weights"], differences)


def put_difference(difference: CentralDifference, key: str, arrays: Arrays) -> list[Any]:
    i = difference.parameter
    below = put_fields(difference.below, f"{key}.below{i}", arrays)
    above = put_fields(difference.above, f"{key}.above{i}", arrays)
    return [i, below, above, difference.width]


def get_difference(entry: list[Any], key: str, file: File) -> CentralDifference:
    i, below, above, width = entry
    sides = get_fields(below, f"{key}.below{i}", file), get_fields(above, f"{key}.above{i}", file)
    return CentralDifference(i, *sides, width)
