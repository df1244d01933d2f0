"""Eigenvalues: certified, none spurious, none missing, double ones twice; and modes as solutions."""

import json

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import jn_zeros, mathieu_a

import gated_xtfc as gx
from gated_xtfc.apps.cli import main
from gated_xtfc.linalg.arnoldi import dense_pairs, largest_pairs
from gated_xtfc.linalg.complex_dense import ComplexDense
from gated_xtfc.solver.interval.discretisation import IntervalDiscretisation, predict
from gated_xtfc.spectra.estimate import candidates
from gated_xtfc.spectra.pencil import Pencil
from gated_xtfc.spectra.shifted import ShiftedPencil

LINE = {"x": (0, 1)}
FIXED = ["u(0) = 0", "u(1) = 0"]
N = np.arange(1, 11)
ROUND = ["u(0) = u(2*pi)", "u'(0) = u'(2*pi)"]


def stated(equation, domain=LINE, conditions=FIXED, **parameters):
    return gx.Problem(equation, domain, conditions, unknown="lam", **parameters)


WELL = {"x": (-2.5, 2.5)}, ["u(-2.5) = 0", "u(2.5) = 0"]
CASES = {
    "string": (stated("u'' + lam*u = 0"), (np.pi * N) ** 2),
    "free ends, from above": (
        stated("u'' = lam*u", conditions=["u'(0) = 0", "u'(1) = 0"]),
        -((np.pi * (N - 1)) ** 2),
    ),
    "oscillator": (stated("-u''/2 + x^2/2*u = lam*u", {"x": (-12, 12)}, ["u(-12) = 0", "u(12) = 0"]), N - 0.5),
    "Mathieu": (
        stated("u'' + (lam - 2*q*cos(2*x))*u = 0", {"x": (0, "pi")}, ["u'(0) = 0", "u'(pi) = 0"], q=5),
        [mathieu_a(k - 1, 5) for k in N],
    ),
    "Bessel": (stated("x*u'' + u' + lam*x*u = 0", conditions=["u'(0) = 0", "u(1) = 0"]), jn_zeros(0, 10) ** 2),
    "circle": (stated("u'' + lam*u = 0", {"x": (0, "2*pi")}, ROUND), [0, 1, 1, 4, 4, 9, 9, 16, 16, 25]),
    "convection": (stated("-eps*u'' + u' = lam*u", eps=0.05), 5 + 0.05 * (np.pi * N) ** 2),
    "system": (stated(["u' = v", "v' = -lam*u"]), (np.pi * N) ** 2),
    "bound states": (
        stated("-u'' - 30/cosh(x)^2*u = lam*u", {"x": (-16, 16)}, ["u(-16) = 0", "u(16) = 0"]),
        [-25.0, -16.0, -9.0, -4.0],
    ),
    "layers": (stated("-eps^2*u'' + u = lam*u", eps=1e-3), 1 + 1e-6 * (np.pi * N) ** 2),
}


@pytest.mark.parametrize("name", CASES)
def test_eigenvalues_are_all_there_and_within_their_errors(name):
    problem, exact = CASES[name]
    spectrum = gx.eigen(problem, len(exact))
    assert spectrum.converged, spectrum.message
    error = np.abs(spectrum.values - np.asarray(exact))
    assert (error <= spectrum.errors).all()
    assert (error <= 1e-8 * np.maximum(np.abs(exact), 1.0)).all()


def test_both_members_of_a_tunnelling_pair_are_found():
    spectrum = gx.eigen(stated("-h^2*u'' + (x^2 - 1)^2*u = lam*u", *WELL, h=0.05), 4)
    assert spectrum.converged
    assert spectrum.values[1] - spectrum.values[0] == pytest.approx(7.2e-12, rel=0.1)
    assert spectrum.multiplicities == (1, 1, 1, 1)
    closer = gx.eigen(stated("-h^2*u'' + (x^2 - 1)^2*u = lam*u", *WELL, h=0.01), 4)
    assert closer.multiplicities == (2, 2, 2, 2)


def test_an_eigenvalue_may_be_quadratic_and_complex():
    """lam^2 + lam + n^2 = 0."""
    problem = stated("u'' - lam*u - lam^2*u = 0", {"x": (0, "pi")}, ["u(0) = 0", "u(pi) = 0"])
    spectrum = gx.eigen(problem, 4, near=0)
    exact = [-0.5 + s * np.sqrt(0.25 - n * n + 0j) for n in (1, 2) for s in (-1, 1)]
    assert spectrum.converged
    np.testing.assert_allclose(spectrum.values, exact, atol=1e-9)
    mode = spectrum.modes[0]
    x = np.linspace(0, np.pi, 31)
    np.testing.assert_allclose(np.abs(mode(x)), np.abs(np.sin(x)), atol=1e-8)
    np.testing.assert_allclose(mode.real(x) + 1j * mode.imag(x), mode(x))


def test_eigenvalues_near_a_complex_number():
    """A rotation in the plane of two fields: i times the oscillator."""
    problem = stated(
        ["-u'' + x^2*u = lam*v", "-v'' + x^2*v = -lam*u"],
        {"x": (-8, 8)},
        [f"{f}({end}) = 0" for f in "uv" for end in (-8, 8)],
    )
    spectrum = gx.eigen(problem, 3, near=3.2j)
    assert spectrum.converged
    np.testing.assert_allclose(spectrum.values, [3j, 5j, 1j], atol=1e-8)


COTANGENT = [brentq(lambda s: np.cos(s) - s * np.sin(s), k * np.pi, (k + 0.5) * np.pi, xtol=1e-15) for k in range(4)]
LOSS = np.arctanh(0.5)  # lam cosh(lam) = -2 lam sinh(lam)
HELD = {  # conditions with the eigenvalue in them: equation, conditions, near, exact
    "linear": ("u'' + lam*u = 0", ["u(0) = 0", "u'(1) = lam*u(1)"], None, np.square(COTANGENT)),
    "only in a condition": ("u'' = u", ["u'(0) = 0", "u'(1) = lam*u(1)"], None, [np.tanh(1.0)]),
    "beside a square": (
        "u'' = lam^2*u",
        ["u(0) = 0", "u'(1) = -2*lam*u(1)"],
        0,
        [-LOSS, -LOSS - 1j * np.pi, -LOSS + 1j * np.pi],
    ),
    "square": ("u'' + lam*u = 0", ["u(0) = 0", "u'(1) = (lam^2 - 2*lam)*u(1)"], 0.5, None),
    "with a factor i": (
        "u'' + lam^2*u = 0",
        ["u(0) = 0", "u'(1) = 2*i*lam*u(1)"],
        -0.4j,
        [-1j * LOSS, -1j * LOSS + np.pi, -1j * LOSS - np.pi],
    ),
    "with an integral": ("u'' + lam*u = 0", ["u(0) = 0", "integral(u) = lam*u'(1)"], None, None),
}


@pytest.mark.parametrize("name", HELD)
def test_the_eigenvalue_may_be_in_a_condition(name):
    equation, conditions, near, exact = HELD[name]
    spectrum = gx.eigen(stated(equation, conditions=conditions), 3 if exact is None else len(exact), near)
    assert spectrum.converged, spectrum.message
    if exact is None:  # u = sin(s x)
        s = np.sqrt(spectrum.values.astype(complex))
        lam = s * s
        left, right = {
            "square": (s * np.cos(s), (lam**2 - 2 * lam) * np.sin(s)),
            "with an integral": ((1 - np.cos(s)) / s, lam * s * np.cos(s)),
        }[name]
        np.testing.assert_allclose(left, right, rtol=1e-9)
        return
    off = np.array([np.abs(spectrum.values - value).min() for value in exact])
    assert (off <= spectrum.errors.max()).all()
    assert spectrum.errors.max() < 1e-9


def test_complex_coefficients_are_written_as_they_are():
    """Orr and Sommerfeld's equation for the flow between two plates, as in the book."""
    flow = gx.Problem(
        "(u'''' - 2*a^2*u'' + a^4*u)/(i*a*Re) = (1 - y^2)*(u'' - a^2*u) + 2*u - c*(u'' - a^2*u)",
        {"y": (-1, 1)},
        ["u(-1) = 0", "u(1) = 0", "u'(-1) = 0", "u'(1) = 0"],
        unknown="c",
        a=1,
        Re=1e4,
    )
    spectrum = gx.eigen(flow, 1, near=0.25 + 0.01j)
    assert spectrum.converged, spectrum.message
    assert abs(spectrum.values[0] - (0.23752649 + 0.00373967j)) < 1e-8
    mode = spectrum.modes[0]
    assert mode.constants["c"] == spectrum.values[0]
    assert abs(mode(1.0)) < 1e-14
    assert abs(mode(1.0, 1)) < 1e-10
    assert np.abs(mode.scaled_residual(mode.points(201))).max() < 1e-9
    assert spectrum.table().split()[0] == "c"


def test_a_complex_system_has_no_mirror_images():
    """-u'' + i v, -v'' + 2 i u: pi^2 n^2 + i sqrt(2) and - i sqrt(2)."""
    walls = ["u(0) = 0", "u(1) = 0", "v(0) = 0", "v(1) = 0"]
    spectrum = gx.eigen(stated(["-u'' + i*v = lam*u", "-v'' + 2*i*u = lam*v"], conditions=walls), 4)
    assert spectrum.converged, spectrum.message
    exact = [(k * np.pi) ** 2 + s * 1j * np.sqrt(2) for k in (1, 2) for s in (-1, 1)]
    np.testing.assert_allclose(spectrum.values, exact, rtol=1e-10)


def test_a_complex_condition_is_the_size_of_complex_modes():
    sized = gx.eigen(stated("u'' + i*u = lam*u", conditions=[*FIXED, "u'(0) = 1 + i"]), 2)
    np.testing.assert_allclose(sized.values, [1j - (k * np.pi) ** 2 for k in (1, 2)], rtol=1e-10)
    assert sized.modes[1](0.0, 1) == pytest.approx(1 + 1j, rel=1e-9)


def test_sampled_modes_are_columns_with_real_and_imaginary_parts():
    problem = stated("i*u'' + lam*u = 0")
    spectrum = gx.eigen(problem, 2, near=0)
    columns = spectrum.sampled(31)
    assert list(columns) == ["x", "u_1", "u_1_imaginary", "u_2", "u_2_imaginary"]
    second = spectrum.modes[1]["u"](columns["x"])
    np.testing.assert_allclose(columns["u_2"] + 1j * columns["u_2_imaginary"], second)


def test_infinite_ends_are_cut_off_where_it_does_not_matter():
    ends = ["u(-inf) = 0", "u(inf) = 0"]
    spectrum = gx.eigen(stated("-u''/2 + x^2/2*u = lam*u", {"x": ("-inf", "inf")}, ends), 5)
    assert spectrum.converged, spectrum.message
    assert (np.abs(spectrum.values - N[:5] + 0.5) <= spectrum.errors).all()
    assert (spectrum.errors <= 1e-8 * spectrum.values).all()


def test_a_continuous_spectrum_is_not_taken_for_eigenvalues():
    ends = ["u(-inf) = 0", "u(inf) = 0"]
    spectrum = gx.eigen(stated("-u'' - 6/cosh(x)^2*u = lam*u", {"x": ("-inf", "inf")}, ends), 4)
    assert not spectrum.converged
    assert "continuous" in spectrum.message
    np.testing.assert_allclose(spectrum.values, [-4.0, -1.0], atol=1e-7)


@pytest.mark.parametrize("normalise", ["max", "square"])
def test_modes_solve_the_equation_and_are_normalised(normalise):
    spectrum = gx.eigen(stated("u'' + lam*u = 0"), 3, normalise=normalise)
    for number, mode in enumerate(spectrum.modes, start=1):
        x = mode.points(301)
        height = 1.0 if normalise == "max" else np.sqrt(2.0)
        assert np.abs(mode(x) - height * np.sin(number * np.pi * x)).max() <= 1e-9
        assert mode(0.0) == mode(1.0) == 0.0
        assert np.abs(mode.scaled_residual(x)).max() <= 1e-9
        assert mode.constants["lam"] == spectrum.values[number - 1]


def test_a_condition_that_is_not_homogeneous_is_the_size_of_modes():
    problem = stated("u'' + lam*u = 0", conditions=[*FIXED, "u'(0) = 2"])
    for mode in gx.eigen(problem, 3).modes:
        assert mode(0.0, 1) == pytest.approx(2.0, rel=1e-9)


def test_modes_have_as_many_zeros_as_sturm_says():
    spectrum = gx.eigen(CASES["oscillator"][0], 6)
    for number, mode in enumerate(spectrum.modes):
        inner = mode.roots()
        assert np.count_nonzero(np.abs(inner) < 6.0) == number


def test_convection_does_not_spoil_the_eigenvalues_of_one_equation():
    """Their condition is exp(1/(2 eps)) in u, but not in exp(-x/(2 eps)) u."""
    spectrum = gx.eigen(stated("-eps*u'' + u' = lam*u", eps=1e-3), 10)
    assert spectrum.converged, spectrum.message
    error = np.abs(spectrum.values - 250 - 1e-3 * (np.pi * N) ** 2)
    assert (error <= spectrum.errors).all()
    mode = spectrum.modes[2]
    x = mode.points(801)
    exact = np.exp(500 * (x - 1)) * np.sin(3 * np.pi * x)
    scale = (exact @ mode(x)) / (exact @ exact)
    assert np.abs(mode(x) - scale * exact).max() <= mode.error
    assert abs(mode(x)).max() == pytest.approx(1.0, abs=1e-3)


def test_convection_is_taken_out_of_conditions_as_well():
    """u(0) = 0, u'(1) = 0: s cos(s) + sin(s)/(2 eps) = 0 and lam = 1/(4 eps) + eps s^2."""
    spectrum = gx.eigen(stated("-eps*u'' + u' = lam*u", conditions=["u(0) = 0", "u'(1) = 0"], eps=0.01), 4)
    s = [brentq(lambda s: s * np.cos(s) + 50 * np.sin(s), (k - 0.5) * np.pi + 1e-9, k * np.pi) for k in range(1, 5)]
    assert spectrum.converged
    np.testing.assert_allclose(spectrum.values, 25 + 0.01 * np.square(s), rtol=1e-10)


@pytest.mark.parametrize("eps", [2e-2, 1e-3])
def test_what_rounding_moves_is_not_called_converged(eps):
    """As a system convection stays in: the condition of its eigenvalues is exp(1/(2 eps))."""
    spectrum = gx.eigen(stated(["u' = v", "-eps*v' + v = lam*u"], eps=eps), 6)
    assert spectrum.status == gx.Status.ROUNDING, spectrum.message
    assert "far from normal" in spectrum.message
    exact = 0.25 / eps + eps * (np.pi * N) ** 2
    for value, error in zip(spectrum.values, spectrum.errors, strict=True):
        assert np.abs(value - exact).min() <= error


def test_largest_pairs_are_those_of_the_matrix():
    matrix = np.diag(1.0 / np.arange(1.0, 301.0)) + np.triu(np.sin(np.arange(300.0)[:, None] * np.arange(300)), 1) / 300
    matrix[1, 1] = matrix[0, 0]
    found = largest_pairs(lambda f: matrix @ f, 300, 8, 300)
    whole, left = dense_pairs(matrix)
    np.testing.assert_allclose(np.sort(found.values[:8].real), np.sort(whole.values[:8].real), rtol=1e-6)
    np.testing.assert_allclose(matrix @ whole.vectors, whole.vectors * whole.values, atol=1e-12)
    np.testing.assert_allclose(matrix.T @ left.vectors, left.vectors * left.values.conj(), atol=1e-12)


def test_complex_least_squares_are_those_of_the_pseudo_inverse():
    rng = np.random.default_rng(0)
    matrix = rng.standard_normal((9, 5)) + 1j * rng.standard_normal((9, 5))
    inverse, factor = np.linalg.pinv(matrix), ComplexDense.of(matrix)
    np.testing.assert_allclose(factor.homogeneous(np.eye(9, dtype=complex)), inverse, atol=1e-12)
    np.testing.assert_allclose(factor.adjoint(np.eye(5, dtype=complex)), inverse, atol=1e-12)


@pytest.mark.parametrize("shift", [-3.0, 1.0 + 2.0j])
def test_the_band_and_the_matrix_make_the_same_of_a_function(shift, monkeypatch):
    pencil = Pencil.of(stated("u'' - lam*u' - lam^2*(1 + x)*u = 0"))
    layout = IntervalDiscretisation(pencil.problem, 1.5).lay_out((predict(pencil.operator(1.0)),))
    shifted = ShiftedPencil.of(pencil, layout, complex(shift))
    x = layout.x[layout.site_indices]
    f = np.concatenate([np.sin(3 * x), np.cos(x)])[:, None].astype(shifted.kind)
    direct, seen = shifted.apply(f), shifted.adjoint(f)
    np.testing.assert_allclose(shifted.matrix() @ f, direct, atol=1e-12)
    np.testing.assert_allclose(shifted.matrix().conj().T @ f, seen, atol=1e-10)
    monkeypatch.setattr("gated_xtfc.spectra.shifted.EXPLICIT", 0)
    np.testing.assert_allclose(shifted.apply(f), direct, atol=1e-6 * np.abs(direct).max())
    np.testing.assert_allclose(shifted.adjoint(f), seen, atol=1e-6 * np.abs(seen).max())


def test_unresolved_modes_of_a_coarse_layout_have_errors_that_say_so():
    pencil = Pencil.of(CASES["string"][0])
    layout = IntervalDiscretisation(pencil.problem, 1.5).lay_out((predict(pencil.operator(10.0)),))
    found = candidates(ShiftedPencil.of(pencil, layout, -1.0 + 0j), 14)
    for number, one in enumerate(sorted(found, key=lambda one: one.value.real)[:14], start=1):
        assert abs(one.value - (np.pi * number) ** 2) <= one.error


@pytest.mark.parametrize(
    ("make", "options", "told"),
    [
        (lambda: stated("u'' + lam*u^2 = 0"), {}, "not linear in its fields"),
        (lambda: stated("u'' + lam*u = 1"), {}, "without a field"),
        (lambda: stated("u'' + lam*u = 0", conditions=["u(0) = 0", "u(1) = 1"]), {}, "homogeneous"),
        (lambda: stated("u'' + sqrt(lam)*u = 0"), {}, "polynomial"),
        (lambda: stated("u'' + lam*u = 0", conditions=[*FIXED, "u'(0) = 0"]), {}, "leave one out"),
        (lambda: gx.Problem("u'' + u = 0", LINE, FIXED), {}, "one unknown constant"),
        (lambda: stated("u'' + lam*u = 0", conditions=["u(0) = 0", "u(1) = lam"]), {}, "without a field"),
        (lambda: stated("u'' + lam*u = 0", conditions=["u(0) = 0", "u'(1) = lam*u(1)^2"]), {}, "not linear"),
        (lambda: stated("u'' + lam*u = 0", conditions=["u(0) = 0", "u'(1) = sqrt(lam)*u(1)"]), {}, "polynomial"),
        (lambda: stated("u'' + lam*u = 0", conditions=["u(0) = 0", "u'(1) = lam*u(1) + 1"]), {}, "without a field"),
        (lambda: stated("u'' + i*u = lam*u", conditions=["u(0) = 0", "u(1) = i"]), {}, "homogeneous"),
        (lambda: stated("u'' + lam*u = 0"), {"count": 0}, "0 eigenvalues"),
        (lambda: stated("u'' + lam*u = 0"), {"near": "biggest"}, '"largest real" or a number'),
        (lambda: stated("u'' + lam*u = 0"), {"near": "largest real"}, "no end on the side"),
        (lambda: stated("u'' + lam*u = 0"), {"near": float("nan")}, "finite number"),
        (lambda: stated("u'' + lam*u = 0"), {"tol": -1.0}, "tol is"),
        (lambda: stated("u'' + lam*u = 0"), {"normalise": "area"}, "normalise"),
        (lambda: "u'' + lam*u = 0", {}, "Problem"),
    ],
)
def test_what_is_no_eigenproblem_is_refused_in_one_sentence(make, options, told):
    with pytest.raises(gx.InputError, match=told):
        gx.eigen(make(), **{"count": 2, **options})


def test_an_eigenproblem_is_not_solved_without_its_size():
    with pytest.raises(gx.InputError, match="1 missing, or ask eigen"):
        gx.solve(CASES["string"][0])


def test_command_prints_the_eigenvalues_and_writes_files(tmp_path, capsys):
    file = tmp_path / "string.toml"
    file.write_text(
        'equation = "u\'\' + lam*u = 0"\ndomain = { x = [0, 1] }\nconditions = ["u(0) = 0", "u(1) = 0"]\n'
        'unknown = ["lam"]\n'
    )
    assert main(["eigen", str(file), "--count", "3", "--out", str(tmp_path / "out")]) == 0
    assert "9.8696044" in capsys.readouterr().out
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "spectrum.png", "spectrum.svg", "spectrum.csv", "spectrum.json", "modes.csv",
    }  # fmt: skip
    assert main(["eigen", str(file), "--near", "40", "--count", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["values"][0][0] == pytest.approx(4 * np.pi**2)
    assert main(["eigen", str(file), "--near", "somewhere"]) == 2
    assert "--near takes" in capsys.readouterr().err
