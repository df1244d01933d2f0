"""Every bad statement gets one sentence that names what was given and says what to do."""

import math

import numpy as np
import pytest

from gated_xtfc.errors import SHOWN, InputError, nearest, quoted
from gated_xtfc.problem.domain import Axis, Domain
from gated_xtfc.problem.problem import Problem

EQUATION, DOMAIN, CONDITIONS = "u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"]


def refused(equation=EQUATION, domain=DOMAIN, conditions=CONDITIONS, exact=None, **parameters):
    with pytest.raises(InputError) as caught:
        Problem(equation, domain, conditions, exact, **parameters)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 400
    return message


@pytest.mark.parametrize(
    ("equation", "says"),
    [
        ("u'' + u", "no '='"),
        ("u'' = u = 1", "2 '=' signs"),
        ("u'' == u", "single '='"),
        ("", "the equation is empty"),
        ("   ", "the equation is empty"),
        ("= u''", "nothing at all in the left side"),
        ("u'' =", "nothing at all in the right side"),
        ("u'' = x +", "nothing after '+'"),
        ("u'' = nuu", "did you mean 'nu'"),
        ("u'' = Nu", "did you mean 'nu'"),
        ("u'' = mass*u", "a parameter needs a value, mass=..."),
        ("u'' = sinn(x)", "did you mean 'sin'?"),
        ("u'' = foo(x)", "unknown function 'foo'"),
        ("u'' = open('f')", "stray prime"),
        ("u'' = u.__class__", "cannot contain '.'"),
        ("u'' = 1/2x", "write 2*x"),
        ("u'' = 1/2(x)", "write 2*(...)"),
        ("u'' = x/(x)(x)", "write (...)*(...)"),
        ("u'' = x 2", "write x*2"),
        ("u'' = 2e", "write 2*e"),
        ("u'' = 1.2.3", "write 1.2*.3"),
        ("u'' = x(1)", "write x*(...)"),
        ("u'' = nu(1)", "write nu*(...)"),
        ("u''(x/2) = 0", "has no derivative"),
        ("u'' = sin", "write sin(...)"),
        ("u'' = sin()", "')' cannot stand after '('"),
        ("u'' = sin(x, x)", "sin takes one argument"),
        ("u'' = min(x)", "min takes two or more"),
        ("u'' = where(x, 1, 2)", "must be a comparison"),
        ("u'' = where(x < 1, 2)", "three arguments"),
        ("u'' = where(0 < x < 1, 1, 2)", "one comparison"),
        ("u'' = x < 1", "one comparison"),
        ("u'' = (1, 2)", "separate the arguments"),
        ("u'' = (x", "never closed"),
        ("u'' = x)", "has no '('"),
        ("u'' = *x", "cannot stand at the beginning"),
        ("u'' = x***2", "too many '*'"),
        ("u''''' = 0", "equations of order 5 in all need 5 conditions"),
        ("u_xxxxx = 0", "equations of order 5 in all need 5 conditions"),
        ("x' = u'", "the coordinate 'x' has no derivative"),
        ("nu'*u' = 0", "the parameter 'nu' has no derivative"),
        ("sin'(x) = u'", "the function 'sin' has no derivative"),
        ("u'' = ж", "CYRILLIC SMALL LETTER ZHE"),
        ("u'' = |x", "has a '|' without another"),
        ('u" = 0', "two single primes"),
        ("u'' = x\u00a0+ 1", "U+00A0, NO-BREAK SPACE"),
        ("u'' = \x00", "U+0000"),
        ("u'' = x[0]", "use parentheses"),
        ("u'' = 1e999", "too large"),
        ("u'' = 9**9**9", "9**387420489 is not a finite number"),
        ("u'' = 1/0", "1/0 is not a finite number"),
        ("u'' = sqrt(-1)", "sqrt(-1) is not a finite number"),
        ("u'' = " + "a" * 100, "longer than 64 characters"),
        ("u + u(0) = 0", "write u instead"),
        ("u = x", "has no derivative: write u'"),
        ("1 = x", "has no derivative: write u'"),
        ("u' + v' = 0", "1 equation for the fields u, v: give one equation for each field"),
        (["u' = 0", "u' = 0"], "2 equations for the fields u: leave out what is too much"),
        (["u' = v", "v = u"], "give the exact solution by field"),
        ([], "the equation is missing"),
        (7, 'a text or a function, not "7" (int)'),
        ([None], "a text or a function"),
        ("0*u'' + u' = 0", "leading coefficient (of u'') is zero everywhere"),
        ("u'' - u'' + u' = 0", "leading coefficient (of u'') is zero everywhere"),
        ("u''=" + "x+" * 500_000 + "1", "1000005 characters"),
        ("u''=" + "(" * 10_000 + "x" + ")" * 10_000, "nested more than 1000 deep"),
    ],
)
def test_a_bad_equation(equation, says):
    assert says in refused(equation, exact="nu", nu=1.0)


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (lambda x, u, v: u.x - v.x, "give one equation for each field"),
        (lambda x, u: u, "has no derivative"),
        (lambda x, u: 0 * u.xx + u, "zero everywhere"),
    ],
)
def test_a_bad_function(function, says):
    assert says in refused(function)


def test_the_parameter_that_makes_the_leading_coefficient_vanish():
    assert "leading coefficient (of u'') is zero everywhere" in refused(nu=0.0)


@pytest.mark.parametrize(
    ("conditions", "says"),
    [
        (["u(0) = 0"], "order 2 needs 2 conditions, but 1 given: 1 missing"),
        ([], "2 missing"),
        ([*CONDITIONS, "u(0.5) = 1"], "1 too many"),
        ([f"u({k}) = 0" for k in range(20_000)], "19998 too many"),
        (["u(0) = 0", "u(2) = 1"], "point 2 is outside the domain [0, 1]"),
        (["u(0) = 0", "u(0) = 1"], "contradicts"),
        (["u(0) = 0", "2*u(0) = 0"], "says nothing beyond"),
        (["u(0) = 0", "v(1) = 1"], "unknown function 'v'"),
        (["u(0) = 0", "u(1) = mu"], "unknown name 'mu'"),
        ("u(0) = 0", "must be a list of texts"),
        (["u(0) = 0", 1], "must be a list of texts"),
        (None, "must be a list of texts"),
    ],
)
def test_bad_conditions(conditions, says):
    assert says in refused(conditions=conditions, nu=1.0)


@pytest.mark.parametrize(
    ("domain", "says"),
    [
        ({"x": (1, 0)}, "is reversed"),
        ({"x": (1, 1)}, "is empty"),
        ({"x": (math.inf, 0)}, "is reversed"),
        ({"x": (math.inf, math.inf)}, "is empty"),
        ({"x": (0, math.nan)}, "an end that is no number"),
        ({"x": (-1e308, 1.7e308)}, "too wide"),
        ({"x": (1, 1 + 1e-15)}, "too narrow"),
        ({"x": (0, "1/nu")}, "not a finite number"),
        ({"x": (0, "M")}, "unknown name 'M'"),
        ({"x": (0, "x")}, "unknown name 'x'"),
        ({"x": (0, "u'")}, "cannot have derivatives or fields"),
        ({"x": (0, True)}, "must be a number"),
        ({"x": (0, None)}, "must be a number"),
        ({"x": (0, 10**400)}, "too large"),
        ({"x": (0,)}, "two ends"),
        ({"x": (0, 1, 2)}, "two ends"),
        ({"x": "01"}, "two ends"),
        ({"x": 1}, "two ends"),
        ({"x": (0, 1), "y": (0, 1)}, "does not say along which axis"),
        ({}, "no coordinate"),
        ({"sin": (0, 1)}, "cannot name a coordinate"),
        ({"": (0, 1)}, "cannot name a coordinate"),
        ({1: (0, 1)}, "cannot name a coordinate"),
        ({"x y": (0, 1)}, "cannot name a coordinate"),
        ([0, 1], "must be given like"),
        (None, "must be given like"),
    ],
)
def test_a_bad_domain(domain, says):
    assert says in refused(domain=domain, nu=0.0)


def test_domains_check_themselves():
    with pytest.raises(InputError, match="reversed"):
        Axis("x", 1.0, 0.0)
    with pytest.raises(InputError, match="one or two"):
        Domain(tuple(Axis(name, 0.0, 1.0) for name in "xyz"))


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (math.nan, "must be a finite number, not nan"),
        (math.inf, "must be a finite number, not inf"),
        (np.float64("nan"), "must be a finite number"),
        (True, "must be a number"),
        (np.True_, "must be a number"),
        ("1", "must be a number"),
        (None, "must be a number"),
        (1j, "must be a number"),
        ([1.0], "must be a number"),
        (np.array([1.0, 2.0]), "must be a number"),
        (10**400, "too large"),
    ],
)
def test_a_bad_parameter_value(value, says):
    message = refused(nu=value)
    assert '"nu"' in message
    assert says in message


def test_numbers_of_numpy_are_numbers():
    for value in (np.float64(0.5), np.float32(0.5), np.array(0.5), np.int64(2), 2):
        assert type(Problem(EQUATION, DOMAIN, CONDITIONS, nu=value).parameters["nu"]) is float


def test_a_missing_parameter_is_named():
    assert "a parameter needs a value, nu=..." in refused()


@pytest.mark.parametrize("name", ["x", "u", "pi", "e", "sin", "integral", "u_x", "u_xx"])
def test_a_reserved_name_is_no_parameter(name):
    message = refused("u'' + u_x + u_xx = 1", **{name: 1.0})
    assert f"'{name}'" in message or f'"{name}"' in message


@pytest.mark.parametrize("name", ["2a", "a b", "", "ж", "a'"])
def test_a_parameter_name_is_an_identifier(name):
    assert "use letters" in refused("u'' = 1", **{name: 1.0})


@pytest.mark.parametrize("name", ["exact", "title", "self", "equation"])
def test_a_keyword_is_no_parameter_of_a_file(name):
    plain = {"equation": "u'' = 1", "domain": DOMAIN, "conditions": CONDITIONS, "parameters": {name: 1.0}}
    with pytest.raises(InputError, match="cannot be the name of a parameter"):
        Problem.from_dict(plain)


def test_a_parameter_that_occurs_nowhere_is_a_slip():
    assert "occurs nowhere in the problem: leave it out" in refused(nu=1.0, kappa=2.0)
    assert "did you mean 'gamma'?" in refused("gamma*u'' = x", gamma=1.0, gama=1.0)


def test_an_unknown_parameter_of_the_family_is_a_slip():
    problem = Problem("gamma*u'' = x", DOMAIN, CONDITIONS, gamma=1.0)
    with pytest.raises(InputError, match=r"did you mean 'gamma'\?"):
        problem(gama=2.0)
    with pytest.raises(InputError, match="its parameters are gamma"):
        problem(y=2.0)
    with pytest.raises(InputError, match="none at all"):
        Problem("u'' = x", DOMAIN, CONDITIONS)(nu=2.0)


@pytest.mark.parametrize(
    ("exact", "says"),
    [
        ("u' + x", "must be a function of x alone"),
        ("y", "unknown name 'y'"),
        (3.0, "text or a function"),
        ("", "empty"),
    ],
)
def test_a_bad_exact_solution(exact, says):
    assert says in refused(exact=exact, nu=1.0)


def test_messages_stay_short_and_printable():
    assert len(quoted("x" * 1000)) < SHOWN + 10
    assert quoted("a\nb") == r"'a\nb'"
    assert nearest("x" * 100_000, ["xx"]) == ""
    assert nearest("nu", ["u", "x"]) == ""
    assert nearest("U", ["u"]) == "u"


@pytest.mark.parametrize(
    "equation",
    [
        "u'' = u*u",
        "u'' = abs(u)",
        "u'' = where(x < 0.5, u**2, u)",
        "u'' = where(u < 0.5, 1, 2)",
        "u'' = where(x < 0.5, where(u < 0.5, 1, 2), 3)",
        lambda x, u: u.xx - u * u,
        lambda x, u: u.xx - (u if np.all(u.value < 1) else 2 * u),
    ],
)
def test_a_nonlinear_equation_is_known_as_such(equation):
    assert not Problem(equation, DOMAIN, CONDITIONS).linear


def test_a_linear_equation_is_known_as_such():
    assert Problem("u'' = where(x < 0.5, 2*u, sin(x)*u)", DOMAIN, CONDITIONS).linear
