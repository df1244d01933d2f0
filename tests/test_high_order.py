"""Equations above fourth order: the same text, one field more inside."""

import pickle

import pytest

import gated_xtfc as gx
from gated_xtfc.problem import high_order
from gated_xtfc.problem.statement import Statement

SIXTH = gx.Problem(
    "y'''''' - c*y = -6*exp(x)",
    {"x": (0, 1)},
    ["y(0) = 1", "y''(0) = -1", "y''''(0) = -3", "y(1) = 0", "y''(1) = -2*e", "y''''(1) = -4*e"],
    exact="(1 - x)*exp(x)",
    c=1,
)


def test_a_sixth_order_problem_is_solved_like_any_other() -> None:
    solution = gx.solve(SIXTH)
    assert solution.converged
    assert (solution.true_error() or 1.0) < 1e-9
    assert abs(solution(0.5) - 0.5 * 2.718281828459045**0.5) < 1e-9  # one field for whoever asks
    assert abs(solution["y_3"](0.5, 2) + 4.5 * 2.718281828459045**0.5) < 1e-7  # y'''''


def test_members_copies_and_statements_keep_what_was_written() -> None:
    other = pickle.loads(pickle.dumps(SIXTH(c=2)))
    assert other.fields == ("y", "y_3")
    assert other.auxiliary == ("y_3",)
    assert other.to_dict()["equation"] == "y'''''' - c*y = -6*exp(x)"
    assert gx.Problem.from_dict(other.to_dict()).parameters["c"] == 2


def test_a_nonlinear_fifth_order_problem_starts_from_a_guess_for_its_one_field() -> None:
    ends = ["y(0) = 1", "y'(0) = 1", "y''(0) = 1", "y(1) = e", "y'(1) = e"]
    solution = gx.solve(gx.Problem("y''''' = exp(-x)*y^2", {"x": (0, 1)}, ends, exact="exp(x)"), guess="1 + x")
    assert solution.converged
    assert (solution.true_error() or 1.0) < 1e-8


def test_orders_are_shared_out_evenly_and_names_do_not_clash() -> None:
    stated = Statement(("u''''''''' + u_3*u' = v''",), ("u''''''''(0) = 1", "v'(0) = 0"), "x", (0, 1), {"u_3": 1.0})
    lowered = high_order.rewritten(stated)
    assert lowered.auxiliary == ("u_3_", "u_6")
    assert lowered.equations == ("u_6''' + u_3*u' = v''", "u''' = u_3_", "u_3_''' = u_6")
    assert lowered.conditions == ("u_6''(0) = 1", "v'(0) = 0")
    plain = Statement(("u'''' = 1",), ("u(0) = 0",), "x", (0, 1), {})
    assert high_order.rewritten(plain) == plain


def test_coordinates_behind_the_name_count_like_primes() -> None:
    lowered = high_order.rewritten(Statement(("u_xxxx' = c_x*u_x",), ("u_xxx(0) = 1",), "x", (0, 1), {}))
    assert lowered.equations == ("u_3'' = c_x*u'", "u''' = u_3")
    assert lowered.conditions == ("u_3(0) = 1",)
    assert lowered.auxiliary == ("u_3",)


def test_orders_beyond_reason_are_refused() -> None:
    with pytest.raises(gx.InputError, match="at most order 24"):
        gx.Problem("u" + "'" * 100 + " = 1", {"x": (0, 1)}, ["u(0) = 0"])


def test_too_few_conditions_are_counted_in_the_order_that_was_written() -> None:
    with pytest.raises(gx.InputError, match="order 5"):
        gx.Problem("u''''' = 1", {"x": (0, 1)}, ["u(0) = 0"])
