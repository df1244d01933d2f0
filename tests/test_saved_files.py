"""Files that an earlier state of the library wrote still open, and mean what they meant."""

import shutil
from pathlib import Path

import pytest

import gated_xtfc as gx

DATA = Path(__file__).parent / "data"


@pytest.fixture
def store(tmp_path):
    return shutil.copy(DATA / "saved_sweep.sqlite", tmp_path)


def test_a_store_opens(store):
    table = gx.open_sweep(store)
    assert str(table) == "Table(16 points over eps; 16 converged)"
    assert table.quantities == ("u(0.5)",)
    assert len(table.gates(0)) == 1
    again = gx.solve(table.problem(0))
    assert table["u(0.5)"][0] == pytest.approx(again(0.5), abs=2e-8)


def test_a_sweep_goes_on_from_its_store(store):
    before, solved = gx.open_sweep(store), []
    points = [{"eps": eps} for eps in [*before["eps"].tolist(), 0.25]]
    quantities = ["u(0.5)"]
    after = gx.sweep(
        before.problem(0), points, store=store, workers=1, quantities=quantities, progress=lambda p: solved.append(p)
    )
    assert len(after) == 17
    assert solved[-1].solved == 1


def test_a_gate_model_opens():
    model = gx.GateModel.load(DATA / "saved_gates.json")
    mean, low, high = model.predict(1e-4)["layer 1 thickness"]
    assert mean == pytest.approx(4.6795535e-05, rel=1e-7)
    assert low == pytest.approx(4.47473097e-05, rel=1e-7)
    assert high == pytest.approx(4.89375139e-05, rel=1e-7)
    third = gx.Problem("eps*u''' + u'' = 2", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1", "u'(1) = 0"], eps=1e-4)
    assert gx.solve(third, gates=model).converged


def test_a_posterior_opens():
    posterior = gx.load(DATA / "saved_posterior.npz")
    assert posterior.mean == pytest.approx({"b": 0.9937197831714834})
    assert posterior.std == pytest.approx({"b": 0.012152091850529102})
    assert repr(posterior.priors["b"]) == "Normal(mean=1, std=0.5, low=-3, high=5)"
