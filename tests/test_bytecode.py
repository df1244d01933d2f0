"""Equations evaluated by the compiled core and by dual numbers in NumPy are the same, to rounding."""

import numpy as np
import pytest

from gated_xtfc import Problem
from gated_xtfc.core import compiled
from gated_xtfc.language.bytecode import bytecode
from gated_xtfc.operator.linearise import Operator
from gated_xtfc.zoo.random_layers import KINDS, draw

needs_core = pytest.mark.skipif(compiled.linearise is None, reason="there is no compiled core")
LINE = {"x": (0, 1)}
ENDS = ["u(0) = 0", "u(1) = 1"]
TEXTS = (
    "eps*u'' + x*u' - sin(x)*u = exp(-x^2/eps)",
    "eps*u'' + u*u' - u = 0",
    "u'' + where(x < 0.3, 1, 2)*u = min(x, 0.5, u)",
    "u'' + abs(u)^1.5 + u^2 + u^x + x^u + u^0 + u^1 = log(1 + x)/(2 + u)",
    "u'' + max(u, 0, x)*2 - tanh(u) + erf(u) + sqrt(1 + u^2) = log(cosh(u))",
    "u'' = -atan(u)*cos(u)/(1 + u^2)^eps + tan(u) + asin(u/2)*acos(u/3)",
    "u'' = sinh(u)*cosh(x) - log10(2 + u) + sign(u - 0.5)*u + where(u >= 0.5, u, u^2)",
    "u'' = where(eps > 1, u, 2*u) + where(eps <= 1, x, u/x)",
)


def problems():
    for text in TEXTS:
        yield text, Problem(text, LINE, ENDS, **({"eps": 0.02} if "eps" in text else {}))
    for kind in KINDS:
        for seed in range(3):
            yield f"{kind} {seed}", draw(np.random.default_rng(seed), kind).problem()
    yield "system", Problem(["u' = v*eps", "eps*v' = u - sin(x)*v^2"], LINE, ["u(0) = 1", "u(1) = 0"], eps=1e-2)
    unknown = Problem("u'' + lam*u*x = lam^2", LINE, [*ENDS, "u'(0) = 1"], unknown=["lam"])
    yield "unknown constant", unknown


def iterates(problem, x, rng):
    about = [{(j,): rng.uniform(0.1, 0.9, x.size) for j in range(m + 1)} for m in problem.order.values()]
    constants = rng.uniform(0.1, 0.9, len(problem.unknown)).tolist()
    return [([dict.fromkeys(own, 0.0) for own in about], [0.0] * len(constants)), (about, constants)]


@needs_core
@pytest.mark.parametrize(("name", "problem"), [*problems()], ids=lambda one: one if isinstance(one, str) else "")
def test_the_core_and_dual_numbers_linearise_alike(name, problem):
    rng, operator = np.random.default_rng(1), Operator(problem)
    (axis,) = problem.axes
    x = axis.left + axis.length * np.sort(rng.random(201))
    for about, constants in iterates(problem, x, rng):
        with np.errstate(all="ignore"):
            fast = operator._compiled(x, about, constants)
            slow = operator._by_duals((x,), about, constants)
        assert fast is not None
        assert fast.finite == slow.finite
        for row_fast, row_slow in zip(fast.packed, slow.coefficients, strict=True):
            sizes = sum(np.abs(a) for own in row_slow for a in own.values())
            for mine, theirs in zip(row_fast, [a for own in row_slow for a in own.values()], strict=False):
                assert np.array_equal(np.isfinite(mine), np.isfinite(theirs))
                at = np.isfinite(theirs)
                assert np.all(np.abs(mine[at] - theirs[at]) <= 1e-12 * (sizes[at] + 1.0))
        for mine, theirs in zip(fast.source, slow.source, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-10, atol=1e-11)
        for mine, theirs in zip(fast.constant_columns, slow.constant_columns, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-12)


@needs_core
def test_members_of_a_family_share_their_instructions():
    problem = Problem("eps*u'' + x*u = 1", LINE, ENDS, eps=1e-2)
    mine, others = (Operator(one).programs[0] for one in (problem, problem(eps=1e-3)))
    assert mine[0] is others[0]
    assert list(mine[1]) == [1e-2]
    assert list(others[1]) == [1e-3]


@needs_core
def test_numbers_that_are_not_finite_pass_through():
    problem = Problem("u'' + u/x = log(u)", LINE, ENDS)
    found = Operator(problem)._compiled(
        np.array([0.0, np.nan, np.inf, 0.5]), [dict.fromkeys([(0,), (1,), (2,)], 0.0)], ()
    )
    assert found is not None
    assert not found.finite


@needs_core
@pytest.mark.parametrize(
    "codes",
    [[], [0, 5], [4, 0], [99, 0], [0, -1], [3, 7], [0, 0, 0, 0], [2, 0, 10, 40], [2, 0, 11, 3], [2, 0, 2, 0, 13, 9]],
)
def test_instructions_that_make_no_sense_are_refused(codes):
    x, out = np.zeros(3), np.zeros((4, 3))
    with pytest.raises(ValueError, match="do not fit"):
        compiled.linearise(np.array(codes, dtype=np.int32), np.zeros(1), np.zeros(0), 3, x, None, np.zeros(0), out)


@pytest.mark.parametrize("text", ["u'' + integral(u) = 1", "u'' + u = u(0.5)"])
def test_what_the_core_does_not_know_is_left_to_dual_numbers(text):
    from gated_xtfc.language.parser import parse_equation
    from gated_xtfc.language.program import INTEGRAL, Program

    program = parse_equation("u'' + u = x", ["u"])
    strange = Program(text, (*program.instructions[:-1], (INTEGRAL, program)))
    assert bytecode(strange, "x", (("u", 2),), ()) is None


@pytest.mark.parametrize(
    ("text", "heard"),
    [("u'' + x*u = 1 - x", False), ("u'' = exp(x)", True), ("u'' + u/x = 0", True), ("u'' + exp(u) = x", False),
     ("u'' = x^2", True), ("u'' = where(x < 1, 1, 2)", True), ("u'' = sqrt(nu)*x", False), ("u'' = min(x, u)", True),
     ("u'' = x/nu", False)],
)  # fmt: skip
def test_a_text_is_heard_where_functions_take_the_coordinate(text, heard):
    from gated_xtfc.language.parser import parse_equation

    assert parse_equation(text, ["u"], ["nu"]).heard(("x",)) == heard
