"""Batches: whole arrays of members agree with `solve`, know their errors, and have the right derivatives."""

from pathlib import Path

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc import InputError
from gated_xtfc.sweeps import engine, stream
from gated_xtfc.sweeps.core_batch import CoreBatch
from gated_xtfc.types import Array

jax = pytest.importorskip("jax")
jnp = jax.numpy

ENDS = {"x": (0, 1)}
LAYER = gx.Problem("c*u' - nu*u'' = 0", ENDS, ["u(0) = 0", "u(1) = b"], nu=1e-3, b=1, c=1)
# coefficients, source, conditions and the length of the domain follow the parameters
VARIABLE = gx.Problem(
    "-nu*u'' + (1 + c*x)*u' + u = sin(3*x)", {"x": (0, "L")}, ["u(0) = c", "u(L) + nu*u'(L) = 1"], nu=1e-2, c=1, L=1
)
X = np.linspace(0.0, 1.0, 9)


@pytest.fixture(scope="module")
def layer() -> gx.Batch:
    return gx.compile(LAYER, over=["nu", "b", "c"])


@pytest.fixture(scope="module")
def variable() -> gx.Batch:
    return gx.compile(VARIABLE, over={"nu": (1e-6, 1e-1), "c": (0.5, 2.0), "L": (0.5, 1.0)})


def exact(nu: Array, b: Array, c: Array, x: Array) -> Array:
    nu, b, c = nu[:, None], b[:, None], c[:, None]
    right = (np.exp((x - 1) / nu) - np.exp(-1 / nu)) / (1 - np.exp(-1 / nu))
    left = (1 - np.exp(-x / nu)) / (1 - np.exp(-1 / nu))
    return b * np.where(c > 0, right, left)


class TestSolutions:
    def test_true_errors_are_below_the_estimates_in_a_random_set(self, layer: gx.Batch) -> None:
        random = np.random.default_rng(0)
        nu, b = 10 ** random.uniform(-8, -1, 300), random.uniform(-3.0, 3.0, 300)
        c = random.choice([-1.0, 1.0], 300)  # layers at the right and at the left: two structures
        result = layer(nu=nu, b=b, c=c)
        away = np.minimum(nu[:, None] * np.geomspace(1e-2, 40.0, 50), 1.0)
        places = np.where(c[:, None] > 0, 1.0 - away, away)
        error = np.abs(result(places) - exact(nu, b, c, places)).max(1) / np.abs(b)
        assert result.converged.all()
        assert not result.solutions
        assert result.error.max() <= 1e-8
        assert (error <= result.error).all()

    def test_derivatives_are_those_of_the_solution(self, layer: gx.Batch) -> None:
        result = layer(nu=[1e-1, 1e-2], b=2.0)
        nu = result.parameters["nu"]
        assert result(1.0, 1) * nu == pytest.approx(2.0 / (1 - np.exp(-1 / nu)), rel=1e-5)
        assert result(0.9, 2) * result.parameters["nu"] == pytest.approx(result(0.9, 1), abs=1e-5)

    def test_members_agree_with_solve(self, variable: gx.Batch) -> None:
        random = np.random.default_rng(1)
        given = {"nu": 10 ** random.uniform(-6, -3, 12), "c": random.uniform(0.5, 1, 12), "L": np.full(12, 0.75)}
        result = variable(**given)
        found = result(0.75 * X)
        for number in range(12):
            member = {name: float(column[number]) for name, column in given.items()}
            solution = gx.solve(VARIABLE(**member), tol=1e-11)
            gap = np.abs(found[number] - solution(0.75 * X)).max() / solution.scales[0]
            assert gap <= result.error[number] + solution.error
        assert result.converged.all()

    @pytest.mark.parametrize(
        ("equation", "conditions"),
        [
            ("-nu*u'' + u = x", ["u(0) = u(1)", "u'(0) = u'(1)"]),
            ("nu*u'' + 2*(x - 0.4)*u' = where(x < 0.6, 1, 2)", ["u(0) = -1", "u(1) = 1"]),
        ],
        ids=["periodic", "turning point and jump"],
    )
    def test_structures_agree_with_solve(self, equation: str, conditions: list[str]) -> None:
        problem = gx.Problem(equation, ENDS, conditions, nu=1e-2)
        nu = np.array([3e-3, 1e-3])
        result = gx.compile(problem, over=["nu"])(nu=nu, x=X)
        for number, own in enumerate(nu.tolist()):
            solution = gx.solve(problem(nu=own), tol=1e-11)
            gap = np.abs(result.values[number] - solution(X)).max() / solution.scales[0]
            assert gap <= result.error[number] + solution.error
        assert result.converged.all()
        assert not result.messages

    def test_a_zero_of_the_drift_inside_an_element_is_in_the_estimate(self) -> None:
        # there nothing but u itself holds the error, which leaves along both sides
        problem = gx.Problem(
            "nu*u'' - (x - c)*(2 + x)*u' - d*u = sin(7*x)",
            ENDS,
            ["u(0) + u'(0) = -1", "u(1) - 2*u'(1) = 1"],
            nu=1,
            c=1,
            d=1,
        )
        given = {
            "nu": np.array([6.5e-5, 1.3e-5, 2.5e-5, 3.2e-4, 1.1e-5, 3.4e-4]),
            "c": np.array([0.3627, 0.0836, 0.4605, 0.4774, 0.4414, 0.4387]),
            "d": np.array([0.1502, 4.0468, 3.1714, 3.6195, 3.2895, 3.2984]),
        }
        result = gx.compile(problem, over=list(given))(**given)
        x = given["c"][:, None] + np.linspace(-0.08, 0.08, 41)
        found = result(x)
        assert not result.solutions
        for number in range(6):
            solution = gx.solve(problem(**{name: float(column[number]) for name, column in given.items()}), tol=1e-12)
            gap = np.abs(found[number] - solution(x[number])).max() / solution.scales[0]
            assert gap <= result.error[number] + solution.error

    def test_what_is_rounded_off_is_in_the_estimate(self) -> None:
        k = np.random.default_rng(1).uniform(0.2, 40.0, 150)[:, None]
        problem = gx.Problem("u'' + k^2*u = 0", ENDS, ["u(0) = 1", "u'(1) = k"], k=5)
        result = gx.compile(problem, over=["k"])(k=k[:, 0])
        x = np.linspace(0.0, 1.0, 65)
        exact = (np.cos(k * (1 - x)) + np.sin(k * x)) / np.cos(k)
        error = np.abs(result(x) - exact).max(1) / np.abs(exact).max(1)
        formula = 1e-15 * np.abs(np.tan(k[:, 0]))  # what it loses itself where cos(k) is small
        assert (error <= result.error + formula)[result.converged].all()


class TestVerdicts:
    def test_members_that_the_batch_cannot_do_go_on_to_solve(self, layer: gx.Batch) -> None:
        nu = [1e-3, 1e-14]
        result = layer(nu=nu)
        alone = gx.solve(LAYER(nu=1e-14))
        assert list(result.solutions) == list(result.messages) == [1]
        assert result.status.tolist() == ["converged", alone.status]
        assert result(X)[1].tolist() == alone(X).tolist()
        assert layer(nu=nu, one_by_one=False).status.tolist() == ["converged", "resolution"]

    def test_values_that_make_no_problem_are_the_verdict_of_their_member_alone(self, layer: gx.Batch) -> None:
        for batch in (layer, CoreBatch(LAYER, ("nu",), 1e-8)):
            for result in (batch(nu=[1e-2, 0.0, 1e-3]), batch(nu=[1e-2, 0.0, 1e-3], x=X)):
                assert result.status.tolist() == ["converged", "failed", "converged"]
                assert "leading coefficient" in result.messages[1]
                values = result(X) if result.members.x is None else result.values
                assert np.isnan(values).all(axis=1).tolist() == [False, True, False]
                assert result.error[1] == np.inf
            with pytest.raises(InputError, match="leading coefficient"):
                batch(nu=0.0)

    def test_engines_say_what_they_are(self, layer: gx.Batch) -> None:
        assert repr(layer).startswith("Batch(Problem(")
        assert repr(CoreBatch(LAYER, ("nu",), 1e-8)).endswith(" over nu)")

    def test_a_needle_that_only_a_proof_finds_sends_members_to_solve(self) -> None:
        problem = gx.Problem("-u'' + u = a*exp(-1e19*(x - 0.3)^4)", ENDS, ["u(0) = 0", "u(1) = 0"], a=1)
        result = gx.compile(problem, over=["a"])(a=[1e4], x=X)
        assert result.converged.all()
        assert result.values[0] == pytest.approx(gx.solve(problem(a=1e4), tol=1e-10)(X), abs=1e-8)


class TestFunction:
    def test_gradients_are_those_of_tight_solves(self, variable: gx.Batch) -> None:
        def misfit(parameters: dict[str, object]) -> object:
            values, error = variable.function(0.59 * X, **parameters)
            return ((values - 1.0) ** 2).sum(), (values, error)

        at = {"nu": 1e-2, "c": 1.2, "L": 0.6}
        with jax.enable_x64(True):
            run = jax.jit(jax.vmap(jax.value_and_grad(misfit, has_aux=True)))
            (_, (values, error)), slopes = run({name: jnp.array([value]) for name, value in at.items()})
        found = [float(slopes[name][0]) for name in at]
        solution = gx.solve(VARIABLE(**at), tol=1e-11)
        gap = np.abs(np.asarray(values)[0] - solution(0.59 * X)).max() / solution.scales[0]
        assert gap <= float(error[0]) + solution.error

        def tight(nu: float, c: float, length: float) -> float:
            return float(((gx.solve(VARIABLE(nu=nu, c=c, L=length), tol=1e-13)(0.59 * X) - 1.0) ** 2).sum())

        step = 1e-5
        for i, own in enumerate(found):
            up, down = list(at.values()), list(at.values())
            up[i] *= 1 + step
            down[i] *= 1 - step
            slope = (tight(*up) - tight(*down)) / (up[i] - down[i])
            assert own == pytest.approx(slope, rel=1e-6)

    def test_single_precision_is_refused(self, layer: gx.Batch) -> None:
        with jax.enable_x64(False), pytest.raises(InputError, match="double precision"):
            layer.function(X, nu=1e-2)


class TestInput:
    @pytest.mark.parametrize(
        ("problem", "over", "says"),
        [
            (gx.Problem("u'' = a", ENDS, ["u(0)^2 = 1", "u(1) = 1"], a=1), ["a"], "nonlinear conditions"),
            (LAYER, ["mu"], "no parameter"),
            (LAYER, [], "goes over parameters"),
            (LAYER, {"nu": (1, 0)}, "the smaller first"),
            (LAYER, {"nu": "wide"}, "two numbers"),
            (gx.Problem("u' = a*v", ENDS, ["u(0) = 0"], a=1, v=1)(a=2), ["mu"], "no parameter"),
            (gx.Problem("u'' = a", ENDS, ["u(0) = 0", "integral(u) = 1"], a=1), ["a"], "an integral"),
            (gx.Problem("u'' = a", ENDS, ["u(0) = 0", "u(0.5) = 1"], a=1), ["a"], "inside the domain"),
            (gx.Problem(lambda x, u, a: u.xx - a, ENDS, ["u(0) = 0", "u(1) = 1"], a=1), ["a"], "Python function"),
        ],
    )
    def test_what_no_batch_can_be_made_of_is_said(self, problem: gx.Problem, over: list[str], says: str) -> None:
        with pytest.raises(InputError, match=says):
            gx.compile(problem, over=over)

    @pytest.mark.parametrize(
        ("given", "says"),
        [
            ({}, "give values"),
            ({"mu": 1.0}, "name it in over"),
            ({"nu": [1e-2, np.nan]}, "NaN"),
            ({"nu": "thin"}, "must be numbers"),
            ({"nu": [1e-2], "b": [1.0, 2.0]}, "as many values"),
            ({"nu": []}, "as many values"),
            ({"nu": [[1e-2]]}, "one dimension"),
            ({"nu": [1e-2], "x": [2.0]}, "outside"),
            ({"nu": [1e-2], "x": ["middle"]}, "x must be numbers"),
            ({"nu": [1e-2], "x": [0.5j]}, "x must be numbers"),
        ],
    )
    def test_values_that_do_not_fit_are_refused(self, layer: gx.Batch, given: dict[str, object], says: str) -> None:
        with pytest.raises(InputError, match=says):
            layer(**given)  # type: ignore[arg-type]

    def test_a_result_says_what_it_cannot_do(self, layer: gx.Batch) -> None:
        at_places, anywhere = layer(nu=[1e-2], x=X), layer(nu=[1e-2])
        for ask, says in (
            (lambda: at_places(0.5), "without x"),
            (lambda: anywhere.values, "solved for no x"),
            (lambda: anywhere(0.5, 3), "derivative 3"),
            (lambda: anywhere([[0.1], [0.2]]), "shape"),
        ):
            with pytest.raises(InputError, match=says):
                ask()


def test_a_data_set_has_members_and_places(layer: gx.Batch) -> None:
    pytest.importorskip("xarray")
    made = layer(nu=[1e-2, 1e-3]).to_xarray(X)
    assert made.sizes == {"member": 2, "x": X.size}
    assert made["nu"].to_numpy().tolist() == [1e-2, 1e-3]
    assert made["u"].to_numpy()[:, -1] == pytest.approx([1.0, 1.0], abs=1e-8)


FOURTH = gx.Problem(
    "eps*u'''' - u'' + u = b*x",
    ENDS,
    ["u(0) = u(1)", "u'(0) = u'(1)", "u''(0) = u''(1)", "u'''(0) = u'''(1)"],
    eps=1e-3,
    b=1,
)
OPPOSED = gx.Problem(
    ["-eps*u'' + u' + v = 1", "-eps*v'' - v' + b*u = x"],
    ENDS,
    ["u(0) = 0", "v(0) = b", "u(1) = 1", "v(1) = 0"],
    eps=1e-2,
    b=1,
)
SHOCK = gx.Problem("eps*u'' + u*u' - u = 0", ENDS, ["u(0) = a", "u(1) = 3/2"], eps=1e-2, a=-7 / 6)


class TestOtherEquations:
    @pytest.mark.parametrize("problem", [FOURTH, OPPOSED], ids=["fourth order, periodic", "opposed layers"])
    def test_every_field_is_within_its_estimate(self, problem: gx.Problem) -> None:
        random = np.random.default_rng(2)
        given = {"eps": 10 ** random.uniform(-6, -2, 6), "b": random.uniform(0.5, 1.5, 6)}
        result = gx.compile(problem, over=["eps", "b"])(**given)
        assert result.converged.all()
        assert not result.solutions
        for number in range(6):
            member = {name: float(column[number]) for name, column in given.items()}
            solution = gx.solve(problem(**member), tol=1e-11)
            for name, scale in zip(problem.fields, solution.scales, strict=True):
                gap = np.abs(result(X, field=name)[number] - solution[name](X)).max() / scale
                assert gap <= result.error[number] + solution.error

    def test_shocks_are_found_where_they_stand(self) -> None:
        given = {"eps": np.array([1e-2, 1e-3, 3e-4]), "a": np.array([-1.1, -1.2, -1.3])}
        result = gx.compile(SHOCK, over=["eps", "a"])(**given)
        assert result.converged.all()
        assert not result.solutions
        for number in range(3):
            member = {name: float(column[number]) for name, column in given.items()}
            solution = gx.solve(SHOCK(**member), tol=1e-10)
            middle = 0.5 * (1.0 - 1.5 - member["a"])  # where both sides balance
            x = np.clip(middle + member["eps"] * np.linspace(-20, 20, 41), 0, 1)
            gap = np.abs(result(np.tile(x, (3, 1)))[number] - solution(x)).max() / solution.scales[0]
            assert gap <= result.error[number] + solution.error


class TestDerivatives:
    def test_second_derivatives_of_nonlinear_members_are_those_of_tight_solves(self) -> None:
        problem = gx.Problem("-u'' + nu*u^3 = 1", ENDS, ["u(0) = 1", "u(1) = 0"], nu=1)
        function = gx.compile(problem, over={"nu": (0.5, 2.0)}, tol=1e-10).function

        def tight(nu: float) -> float:
            return float(gx.solve(problem(nu=nu), tol=1e-12)(0.5))

        with jax.enable_x64(True):
            bend = jax.jacfwd(jax.grad(lambda nu: function(0.5, nu=nu)[0]))(1.1)
        step = 3e-3
        differences = (tight(1.1 + step) - 2.0 * tight(1.1) + tight(1.1 - step)) / step**2
        assert float(bend) == pytest.approx(differences, rel=1e-4)

    def test_a_source_and_its_numbers_are_differentiated(self) -> None:
        def source(x: object, load: object) -> object:
            return load @ jnp.sin(jnp.pi * x * jnp.arange(1, 4))  # type: ignore[operator]

        problem = gx.Problem("-u'' = 0*a", ENDS, ["u(0) = 0", "u(1) = 0"], a=1)
        batch = gx.compile(problem, over=["load"], source=source)
        load = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
        with jax.enable_x64(True):
            slopes = jax.jacrev(lambda one: batch.function(0.25, load=one)[0])(jnp.array([1.0, 2.0, 3.0]))
        exact = np.sin(0.25 * np.pi * np.arange(1, 4)) / (np.pi * np.arange(1, 4)) ** 2
        assert batch(load=load, x=[0.25]).values[:, 0] == pytest.approx(load @ exact, abs=1e-8)
        assert np.asarray(slopes) == pytest.approx(exact, abs=1e-8)


class TestEngines:
    def test_the_core_and_jax_agree(self, layer: gx.Batch) -> None:
        given = {"nu": np.geomspace(1e-6, 1e-1, 7), "c": np.ones(7)}
        ours, other = CoreBatch(LAYER, ("nu", "c"), 1e-8)(x=X, **given), layer(x=X, **given)
        assert ours.converged.all()
        assert (np.abs(ours.values - other.values).max(1) <= ours.error + other.error).all()

    def test_a_swept_batch_has_the_rows_of_a_sweep(self, tmp_path: Path) -> None:
        design = {"nu": np.geomspace(1e-6, 1e-1, 5)}
        asked = ["u(0.5)", "nu*u'(1)"]
        one = gx.sweep(LAYER, design, quantities=asked, workers=1)
        two = gx.sweep(LAYER, design, quantities=asked, engine="batch", store=tmp_path / "rows.sqlite")
        assert two.converged.all()
        for name in asked:
            assert two[name] == pytest.approx(one[name], abs=1e-6)

    @pytest.mark.parametrize("there", [True, False], ids=["JAX", "core"])
    def test_a_point_that_makes_no_problem_stops_no_sweep(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool
    ) -> None:
        monkeypatch.setattr(engine, "has_jax", lambda: there)

        def run(retry: bool) -> gx.Table:
            store, design = tmp_path / "rows.sqlite", {"nu": [1e-2, 0.0]}
            return gx.sweep(LAYER, design, quantities="u(0.5)", engine="batch", store=store, retry=retry)

        for retry in (False, True):  # again, with that point alone
            table = run(retry)
            assert table["status"].tolist() == ["converged", "failed"]
            assert np.isnan(table["u(0.5)"]).tolist() == [False, True]

    @pytest.mark.parametrize("name", ["data.npz", "data.zarr"])
    def test_a_data_set_goes_on_with_the_blocks_that_are_missing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
    ) -> None:
        monkeypatch.setattr(stream, "BLOCK", 4)
        monkeypatch.setattr(engine, "has_jax", lambda: False)
        design, path, seen = {"nu": np.geomspace(1e-4, 1e-1, 10)}, tmp_path / name, []

        def stop(progress: gx.SweepProgress) -> None:
            raise KeyboardInterrupt

        def run(progress: object) -> gx.Table:
            store = tmp_path / "rows.sqlite"
            return gx.sweep(LAYER, design, engine="batch", store=store, dataset=path, x=5, progress=progress)  # type: ignore[arg-type]

        with pytest.raises(KeyboardInterrupt):
            run(stop)
        table = run(seen.append)
        assert [one.solved for one in seen] == [4, 6]
        assert len(table) == 10
        if name == "data.npz":
            made = np.load(path)
            assert made["u"].shape == (10, 5)
            assert made["u"][:, -1] == pytest.approx(1.0, abs=1e-8)
        else:
            whole = [np.fromfile(path / "u" / f"{i}.0").reshape(4, 5) for i in range(3)]
            assert np.concatenate(whole)[:10, -1] == pytest.approx(1.0, abs=1e-8)

    @pytest.mark.parametrize(
        ("options", "says"),
        [
            ({"engine": "batch", "quantities": "max(u)"}, "values at places"),
            ({"engine": "batch", "solutions": True}, "takes no solutions"),
            ({"dataset": "data.npz"}, 'engine="batch"'),
            ({"engine": "batch", "dataset": "data.csv"}, "a file .npz or a folder .zarr"),
            ({"engine": "fast"}, '"solve" or "batch"'),
        ],
    )
    def test_what_a_swept_batch_cannot_do_is_said(self, options: dict[str, object], says: str) -> None:
        with pytest.raises(InputError, match=says):
            gx.sweep(LAYER, {"nu": [1e-2]}, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [4, 5])
def test_elimination_and_inverse_solve_the_same_equations(count: int) -> None:
    elimination = pytest.importorskip("gated_xtfc.batch.elimination")
    random = np.random.default_rng(3)
    matrix = random.standard_normal((count, count, 2, 3)) + 9.0 * np.eye(count)[:, :, None, None]
    right = random.standard_normal((count, 2, 2, 3))
    with jax.enable_x64(True):
        one = elimination.divided(elimination.eliminated(jnp.asarray(matrix)), jnp.asarray(right))
        two = elimination.divided(elimination.inverted(jnp.asarray(matrix)), jnp.asarray(right))
    assert np.asarray(one) == pytest.approx(np.asarray(two), abs=1e-13)


@pytest.mark.parametrize("sites", [2, 8])
def test_a_kernel_solves_what_arrays_solve(sites: int) -> None:
    condensed = pytest.importorskip("gated_xtfc.batch.condensed")
    fused = pytest.importorskip("gated_xtfc.batch.fused")
    if fused.kernels() is None:
        pytest.skip("this JAX writes no kernels")
    random = np.random.default_rng(5)
    elements, members = 3, 2 * fused.BLOCK
    with jax.enable_x64(True):
        size, first, zeroth, source = jnp.asarray(0.3 * random.standard_normal((4, sites, elements, members)))
        second, flip, late = 1.0 + size**2, *(jnp.asarray(random.random((2, elements, members)) < 0.5))
        ones = jnp.ones((elements, members))
        system = condensed.ElementSystem(second, first, zeroth, ones, ones, jnp.ones((2, 4, members)))
        plain = condensed.local_factor(system, condensed.Orientation(flip, late), source)
        found = fused.fused(second, first, zeroth, late, source, interpret=True)
    expected = plain.by_value, plain.by_slope, plain.unit, plain.particular
    for one, other in zip(found, expected, strict=True):
        assert np.asarray(one) == pytest.approx(np.asarray(other), abs=1e-12)


def test_two_sweeps_know_how_nodes_answer_to_every_element() -> None:
    chain = pytest.importorskip("gated_xtfc.batch.chain")
    random = np.random.default_rng(4)
    rows, first, last = random.standard_normal((2, 4, 6, 5)), *random.standard_normal((2, 2, 5))
    sides = random.standard_normal((2, 6, 5))
    with jax.enable_x64(True):
        made = chain.chained(tuple(tuple(jnp.asarray(one) for one in row) for row in rows), jnp.asarray(first))
        found = chain.responses(made, *(jnp.asarray(one) for one in sides), jnp.asarray(last))
        alone, none = jnp.eye(6)[:, :, None] * sides[:, :, None], jnp.zeros((6, 5))
        values, _ = chain.chain_solve(made, *alone, none, jnp.asarray(last), none)
    assert np.asarray(found) == pytest.approx(np.abs(np.asarray(values)).max(0), rel=1e-9)
