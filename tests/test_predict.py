"""Gates predicted before anything is solved: layers where they will stand, pieces where the text switches."""

from itertools import pairwise

import numpy as np
import pytest

from gated_xtfc import InputError, Problem, solve
from gated_xtfc.gates import Layer
from gated_xtfc.gates.prediction import SEVERAL, merge, thinnest_resolvable
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.solver.interval.discretisation import predict

LINE = {"x": (0, 1)}
ENDS = ["u(0) = 0", "u(1) = 1"]


def predicted(equation, domain=(0, 1), gates=None, **parameters):
    left, right = domain
    problem = Problem(equation, {"x": domain}, [f"u({left}) = 0", f"u({right}) = 1"], **parameters)
    return predict(Operator(problem), gates)


def layers(equation, domain=(0, 1), **parameters):
    (coordinate,) = predicted(equation, domain, **parameters)
    return coordinate.layers


@pytest.mark.parametrize("eps", [1e-3, 1e-6, 1e-12])
@pytest.mark.parametrize(
    ("equation", "domain", "places", "power"),
    [
        ("eps*u'' - u' = 0", (0, 1), [1.0], 1.0),
        ("eps*u'' + u' = 0", (0, 1), [0.0], 1.0),
        ("eps*u'' + u' = 0", (-3, 5), [-3.0], 1.0),
        ("u' - eps*u'' = sin(x)", (0, 1), [1.0], 1.0),
        ("eps*u'' - u = 0", (0, 1), [0.0, 1.0], 0.5),
        ("eps*u'' + (x - 0.3)*u' = 0", (0, 1), [0.3], 0.5),
        ("eps*u'' + x*u' = 0", (0, 1), [0.0], 0.5),
        ("eps*u'' - x*u' = 0", (0, 1), [1.0], 1.0),
        ("eps*u'' - 100*u' = 0", (0, 1), [1.0], 1.0),
    ],
)
def test_every_layer_has_its_gate_and_there_is_no_other(equation, domain, places, power, eps):
    found = layers(equation, domain, eps=eps)
    assert [layer.location for layer in found] == pytest.approx(places, abs=1e-15)
    scale = 0.01 if "100*" in equation else 1.0
    for layer in found:
        assert 0.1 <= layer.thickness / (scale * eps**power) <= 1.0


@pytest.mark.parametrize("eps", [1e-20, 1e-40, 1e-58])
def test_a_layer_at_zero_may_be_as_thin_as_numbers_go(eps):
    (layer,) = layers("eps*u'' + u' = 0", eps=eps)
    assert 0.1 <= layer.thickness / eps <= 1.0


@pytest.mark.parametrize("eps", [1e-17, 1e-40])
def test_a_gate_is_no_thinner_than_the_numbers_around_it(eps):
    (layer,) = layers("eps*u'' - u' = 0", eps=eps)
    assert layer.location == 1.0
    assert layer.thickness == thinnest_resolvable(1.0)


def test_numbers_lie_closer_toward_zero():
    assert thinnest_resolvable(0.0) < 1e-300
    assert thinnest_resolvable(1.0) == pytest.approx(4.4e-16, rel=0.02)
    assert thinnest_resolvable(-1e3) == thinnest_resolvable(1e3)


@pytest.mark.parametrize(
    "needle", ["exp(-((x - 0.3)/w)**2)", "1/(w**2 + (x - 0.3)**2)", "tanh((x - 0.3)/w)", "erf((x - 0.3)/w)"]
)
def test_a_needle_in_the_source_has_a_gate(needle):
    (layer,) = layers(f"u'' = {needle}", w=1e-7)
    assert layer.location == pytest.approx(0.3, abs=1e-15)
    assert 0.1e-7 <= layer.thickness <= 1e-7


def test_a_needle_in_a_coefficient_has_a_gate():
    (layer,) = layers("u'' + exp(-((x - 0.3)/w)**2)*u' + u = 0", w=1e-7)
    assert layer.location == pytest.approx(0.3, abs=1e-15)


def test_a_smooth_problem_has_no_gates():
    (coordinate,) = predicted("u'' + x*u' + exp(x)*u = sin(x)")
    assert coordinate.layers == coordinate.blocks == ()


def test_jumps_split_the_domain_into_pieces_that_join():
    pieces = predicted("u'' + where(x < 0.25, 1, 2)*u = abs(x - 0.5)")
    assert [(c.left, c.right) for c in pieces] == [(0.0, 0.25), (0.25, 0.5), (0.5, 1.0)]


def test_a_piece_has_the_layers_of_its_own_coefficients():
    left, right = predicted("eps*u'' - where(x < 0.5, 1, 1e-4)*u = 0", eps=1e-8)
    assert [layer.location for layer in left.layers] == [0.0, 0.5]
    assert [layer.location for layer in right.layers] == [0.5, 1.0]
    assert right.layers[0].thickness == pytest.approx(100 * left.layers[0].thickness, rel=0.1)


def test_waves_everywhere_make_everything_denser():
    (coarse,), (fine,) = predicted("u'' + 1e4*u = 0"), predicted("u'' + 1e6*u = 0")
    assert fine.blocks == ()
    assert fine.length == pytest.approx(10 * coarse.length, rel=0.05)
    # a kernel width holds no more than two radians
    assert 1e3 * fine.width <= 2.001


def test_waves_in_a_part_of_the_domain_make_a_block():
    (coordinate,) = predicted("u'' + (1 + 1e5*exp(-((x - 0.3)/0.05)**2))*u = 0")
    assert coordinate.blocks
    slope = coordinate.jets(np.array([0.3, 0.9]), 1)[1]
    assert slope[0] > 5 * slope[1]
    # two radians a kernel width, nearly: a soft block does not reach its full density
    assert slope[0] >= 0.8 * np.sqrt(1e5) / 2


@pytest.mark.parametrize(
    ("equation", "place"),
    [
        ("u'' = 1/(x - 0.3)", "x = 0.3"),
        ("u'' = 1/sin(4*x + 1)", "x = 0.535398"),
        ("u'' = 1/(x*x - 0.25)**3", "x = 0.5"),
        ("u'' = (0.3 - x)**-1", "x = 0.3"),
        ("u'' = log(x - 0.3)", "x = "),
        ("u'' = sqrt(x - 0.3)", "x = "),
    ],
)
def test_an_equation_that_is_singular_inside_is_refused_with_the_place(equation, place):
    with pytest.raises(InputError, match=place.replace(".", r"\.")):
        predicted(equation)


@pytest.mark.parametrize("equation", ["u'' = 1/(x - 0.3)**2", "u'' + u/(0.3 - x)**4 = 0", "u'' = tan(5*x)"])
def test_an_equation_that_is_singular_on_both_sides_alike_is_refused_with_the_place(equation):
    with pytest.raises(InputError, match=r"x = 0\.3"):
        predicted(equation)


@pytest.mark.parametrize(
    ("equation", "place"),
    [
        ("(x - 0.5)*u'' + u = 0", 0.5),
        ("u'' + u/(x - 1/3) = 0", 1 / 3),
        ("u'' + u'/(1 - 2*x) = 0", 0.5),
        ("x*u'' + 2*u' + x*u = 0", 0.0),
        ("u'' + 2/x*u' + u = 0", 0.0),
        ("u'' = 1/x", 0.0),
        ("(1 - x^2)*u'' - 2*x*u' + 6*u = 0", 1.0),
        ("(1 - x)*u'' + u = 0", 1.0),
    ],
)
def test_a_singular_point_is_known_and_gets_no_kernels_for_its_sake(equation, place):
    (coordinate,) = predicted(equation)
    assert coordinate.singular == (pytest.approx(place, abs=1e-15),)
    assert 1.0 / coordinate.jets(np.array([place]), 1)[1][0] > 0.02


def test_a_divisor_that_vanishes_together_with_what_it_divides_is_no_pole():
    assert len(predicted("u'' = sin(x - 0.3)/(x - 0.3)")) == 1


def test_more_switches_than_can_be_handled_are_refused(monkeypatch):
    monkeypatch.setattr("gated_xtfc.solver.interval.discretisation.MOST_BREAKS", 3)
    assert len(predicted("u'' = " + " + ".join(f"abs(x - 0.{k})" for k in range(1, 4)))) == 4
    with pytest.raises(InputError, match="switches at more than 3 places"):
        predicted("u'' = " + " + ".join(f"abs(x - 0.{k})" for k in range(1, 5)))


def test_given_gates_stand_in_for_the_predicted_ones():
    given = Layer(0.4, 1e-3, 0.2)
    (coordinate,) = predicted("eps*u'' - u' = 0", gates=[given], eps=1e-6)
    assert coordinate.layers == (given,)


def test_no_gates_given_is_not_the_same_as_an_empty_list():
    assert predicted("eps*u'' - u' = 0", gates=[], eps=1e-6)[0].layers == ()
    assert predicted("eps*u'' - u' = 0", gates=None, eps=1e-6)[0].layers != ()


def test_given_gates_go_to_the_piece_they_stand_in():
    pieces = predicted("u'' = where(x < 0.5, 1, 2)", gates=[Layer(0.2, 1e-3), Layer(0.9, 1e-3)])
    assert [[layer.location for layer in c.layers] for c in pieces] == [[0.2], [0.9]]


def test_a_gate_that_a_thinner_one_resolves_is_dropped_and_the_other_serves_both():
    thin, thick = Layer(0.5, 1e-6), Layer(0.5001, 1e-3)
    assert merge([thick, thin]) == (Layer(0.5, 1e-6, SEVERAL),)


def test_gates_of_like_thickness_at_one_place_are_one_as_it_was():
    thin, thick = Layer(0.5, 1e-6), Layer(0.5, 1.2e-6)
    assert merge([thick, thin]) == (thin,)


def test_gates_far_from_each_other_both_stay_from_left_to_right():
    left, right = Layer(0.2, 1e-3), Layer(0.8, 1e-6)
    assert merge([right, left]) == (left, right)


def test_merging_keeps_the_smaller_grading_of_two_gates_of_like_thickness():
    (kept,) = merge([Layer(0.5, 1e-3, 0.35), Layer(0.5, 1.5e-3, 0.17)])
    assert kept == Layer(0.5, 1e-3, 0.17)


def test_a_function_is_sampled_where_text_would_be_read():
    def equation(x, u):
        return u.xx - np.where(x < 0.25, 1.0, 2.0)

    pieces = predicted(equation)
    assert [(c.left, c.right) for c in pieces] == [(0.0, 0.25), (0.25, 1.0)]


def test_kinks_of_a_sampled_function_are_found_to_rounding():
    nodes = np.array([0.0, 0.21, 1 / 3, 0.8, 1.0])
    values = np.array([1.0, -1.0, 2.0, 2.5, 0.0])
    problem = Problem(lambda x, u: u.xx - np.interp(x, nodes, values), {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"])
    pieces = predict(Operator(problem))
    assert [piece.right for piece in pieces[:-1]] == pytest.approx(nodes[1:-1], abs=1e-13)


def test_a_smooth_bend_is_no_kink():
    problem = Problem(lambda x, u: u.xx - np.sqrt(1e-5 + (x - 0.4) ** 2), {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"])
    assert len(predict(Operator(problem))) == 1


def test_what_np_interp_makes_of_random_values_is_solved():
    nodes, values = np.linspace(0, 1, 21), np.random.default_rng(0).uniform(-1, 1, 21)
    problem = Problem(lambda x, u: u.xx - np.interp(x, nodes, values), {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"])
    found = solve(problem)
    assert found.converged
    # twice integrated by hand, exactly on every piece
    slope, value, at = 0.0, 0.0, [0.0]
    step = nodes[1]
    for left, right in pairwise(values):
        value += slope * step + step**2 * (left / 3 + right / 6)
        slope += step * (left + right) / 2
        at.append(value)
    exact = np.array(at) - nodes * at[-1]
    assert np.abs(found(nodes) - exact).max() < 1e-8 * np.abs(exact).max()
