"""The published meta-learner: transforms, bands, boxes; its data set: order, file, resuming, time budget."""

import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit, logit

from gated_xtfc.apps import meta_optima
from gated_xtfc.errors import InputError
from gated_xtfc.paper import optima
from gated_xtfc.paper.meta import held_out, unseen
from gated_xtfc.paper.optima import OptimaFile, Optimum, Sweep, compute, optimum
from gated_xtfc.published.meta import MetaLearner
from gated_xtfc.published.ridge import quantile
from gated_xtfc.published.search import NestedSearch
from gated_xtfc.threads import ONE, environment

TINY = Sweep(6, centres=12, tolerances=(5e-2, 60.0))


def drawn(random, count=300, spread=0.15):
    """Optima scattered about smooth curves, more at one end, in the spaces that are learned in."""
    logs = random.uniform(-4.0, -3.0, count)
    noise = spread * (1.0 + 2.0 * (logs + 4.0))
    shares = expit(1.0 + 0.8 * (logs + 3.5) + noise * random.normal(size=count))
    scales = 10.0 ** (1.5 + 0.2 * (logs + 3.5) + 0.1 * noise * random.normal(size=count))
    return 10.0**logs, 0.80 + 0.199 * shares, np.clip(scales, 10.0, 100.0)


class TestMap:
    def test_means_and_bands_are_the_printed_back_transforms(self):
        nus, splits, scales = drawn(np.random.default_rng(0))
        found = MetaLearner().fit(nus, splits, scales)
        inner = found.split_fit.predict(np.log10([2e-4]))
        share = expit(inner.mean[0])
        band = found.split(2e-4)
        assert band.mean[0] == pytest.approx(0.80 + 0.199 * share)
        assert band.std[0] == pytest.approx(0.199 * share * (1 - share) * inner.std[0])
        assert band.high[0] == pytest.approx(min(band.mean[0] + quantile(0.95) * band.std[0], 0.999))
        inner, band = found.scale_fit.predict(np.log10([2e-4])), found.scale(2e-4)
        assert band.mean[0] == pytest.approx(10.0 ** inner.mean[0])
        assert band.std[0] == pytest.approx(math.log(10.0) * 10.0 ** inner.mean[0] * inner.std[0])

    def test_regressions_see_logit_and_logarithm(self):
        nus = np.geomspace(1e-4, 1e-3, 40)
        logs = np.log10(nus)
        line = 0.3 + 0.5 * (logs + 3.5)
        found = MetaLearner().fit(nus, 0.80 + 0.199 * expit(line), 10.0 ** (1.5 + 0.1 * logs + 0.35))
        assert found.split(nus).mean == pytest.approx(0.80 + 0.199 * expit(line), abs=1e-6)
        assert found.scale(nus).mean == pytest.approx(10.0 ** (1.85 + 0.1 * logs), rel=1e-5)
        assert logit((found.split(3e-4).mean[0] - 0.8) / 0.199) == pytest.approx(0.3 + 0.5 * (np.log10(3e-4) + 3.5))

    def test_bands_hold_new_optima_and_are_wider_where_they_scatter(self):
        random = np.random.default_rng(1)
        inside = []
        for _ in range(20):
            found = MetaLearner().fit(*drawn(random))
            nus, splits, scales = drawn(random, 200)
            for band, values in ((found.split(nus), splits), (found.scale(nus), scales)):
                inside.append(np.mean((band.low <= values) & (values <= band.high)))
        assert 0.92 < np.mean(inside) < 0.98
        assert found.scale(9e-4).std[0] > 1.5 * found.scale(1.1e-4).std[0]

    def test_bands_stay_within_the_global_box(self):
        found = MetaLearner().fit(*drawn(np.random.default_rng(2), spread=2.0))
        nus = np.geomspace(1e-5, 1e-2, 50)
        for band, (low, high) in ((found.split(nus), (0.80, 0.999)), (found.scale(nus), (10.0, 100.0))):
            for values in (band.mean, band.low, band.high):
                assert values.min() >= low
                assert values.max() <= high

    def test_box_is_the_band(self):
        found = MetaLearner().fit(*drawn(np.random.default_rng(3)))
        box, split, scale = found.box(5e-4), found.split(5e-4), found.scale(5e-4)
        assert box.places == pytest.approx((split.low[0], split.high[0]))
        assert box.scales == pytest.approx((scale.low[0], scale.high[0]))
        assert box.widened == (0.0, 0.0)

    def test_collapsed_band_is_padded(self):
        found = MetaLearner().fit(*drawn(np.random.default_rng(4), spread=1e-6))
        box, split, scale = found.box(5e-4), found.split(5e-4), found.scale(5e-4)
        assert box.places == pytest.approx((split.mean[0] - 5e-3, split.mean[0] + 5e-3))
        assert box.scales == pytest.approx((scale.mean[0] - 0.5, scale.mean[0] + 0.5))

    def test_uncertain_box_moves_to_the_global_one(self):
        sure, unsure = (MetaLearner().fit(*drawn(np.random.default_rng(5), spread=s)) for s in (0.15, 3.0))
        box = unsure.box(9e-4)
        assert box.places == pytest.approx((0.80, 0.999))
        assert box.widened[0] == pytest.approx(1.0)
        assert np.ptp(sure.box(9e-4).places) < 0.5 * np.ptp(box.places)

    def test_bounded_search_keeps_all_other_settings(self):
        found = MetaLearner().fit(*drawn(np.random.default_rng(6)))
        wide = NestedSearch(place_tolerance=3e-3)
        bounded = found.bounded(wide, 2e-4)
        assert (bounded.split, bounded.place_tolerance, bounded.objective) == (wide.split, 3e-3, wide.objective)
        assert wide.places[0] < bounded.places[0] < bounded.places[1] <= wide.places[1]

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({1: 0.5}, "a split is 0.5"),
            ({2: 500.0}, "a scale is 500"),
            ({0: -1.0}, "positive"),
            ({1: math.nan}, "split"),
        ],
    )
    def test_optima_outside_the_box_are_refused(self, change, said):
        given = list(drawn(np.random.default_rng(7), 30))
        for place, value in change.items():
            given[place][3] = value
        with pytest.raises(InputError, match=said):
            MetaLearner().fit(*given)


class TestSweep:
    def test_any_beginning_of_the_order_is_spread_over_the_range(self):
        order = Sweep(500).order
        assert sorted(order) == list(range(500))
        for some in (16, 50, 125):
            gaps = np.diff(sorted(order[:some]))
            assert gaps.max() <= 4 * 500 / some

    def test_grid_is_logarithmic_with_both_ends(self):
        sweep = Sweep(5, 1e-4, 1e-2)
        assert [sweep.nu(k) for k in range(5)] == pytest.approx([1e-4, 10**-3.5, 1e-3, 10**-2.5, 1e-2])

    def test_tested_values_are_between_those_of_the_data_set(self):
        sweep = Sweep(500)
        nus = unseen(sweep, 20)
        assert len(set(nus)) == 20
        grid = np.array([sweep.nu(k) for k in range(500)])
        assert all(np.abs(np.log(nu / grid)).min() > 0.4 * np.log(grid[1] / grid[0]) for nu in nus)

    def test_two_hundred_are_held_out_where_there_are_enough(self):
        assert held_out(500).sum() == 200
        assert held_out(100).sum() == 20

    @pytest.mark.parametrize("bad", [{"count": 1}, {"low": 0.0}, {"low": 1e-2}, {"variant": "other"}])
    def test_bad_sweeps_are_refused(self, bad):
        with pytest.raises(InputError):
            Sweep(**bad)


class TestFile:
    def test_computes_what_is_missing_and_nothing_else(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path, asked = tmp_path / "optima.jsonl", []
        original = optima.optimum

        def watched(sweep: Sweep, index: int, deadline: float) -> Optimum | None:
            asked.append(index)
            return original(sweep, index, deadline)

        monkeypatch.setattr(optima, "optimum", watched)
        file = OptimaFile(path, TINY)
        for index in TINY.order[:2]:
            file.add(original(TINY, index))  # type: ignore[arg-type]
        with path.open("a") as lines:
            lines.write('{"index": 1, "nu"')  # killed in the middle of a line
        again = OptimaFile(path, TINY)
        assert again.missing == TINY.order[2:]
        assert compute(again, workers=1)
        assert asked == TINY.order[2:]
        whole = OptimaFile(path, TINY)
        assert [one.nu for one in whole.optima] == [TINY.nu(k) for k in range(6)]
        assert whole.optima == again.optima
        for one in whole.optima:
            assert 0.80 <= one.split <= 0.999
            assert 10.0 <= one.scale <= 100.0

    def test_one_without_time_is_not_found(self) -> None:
        assert optimum(TINY, 0, deadline=time.time() - 1.0) is None

    def test_budget_ends_the_work_and_keeps_what_is_done(self, tmp_path: Path) -> None:
        file = OptimaFile(tmp_path / "optima.jsonl", TINY)
        assert not compute(file, workers=1, budget=0.0)
        assert file.found == {}

    def test_processes_give_the_same_optima_with_one_thread_each(self, tmp_path: Path) -> None:
        command = [sys.executable, "-m", "gated_xtfc.apps.meta_optima", "--count", "2", "--centres", "6"]
        file = tmp_path / "optima.jsonl"
        done = subprocess.run([*command, "--out", str(file), "--workers", "2"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert "2 of 2 optima" in done.stdout
        assert "about" in done.stderr
        sweep = Sweep(2, centres=6)
        found = OptimaFile(file, sweep).optima
        here = optimum(sweep, 1)
        assert here is not None
        assert (found[1].split, found[1].scale, found[1].value) == (here.split, here.scale, here.value)

    def test_threads_are_put_back(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OMP_NUM_THREADS", "7")
        monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
        with environment(ONE):
            assert os.environ["OMP_NUM_THREADS"] == os.environ["MKL_NUM_THREADS"] == "1"
        assert os.environ["OMP_NUM_THREADS"] == "7"
        assert "MKL_NUM_THREADS" not in os.environ

    def test_file_of_another_sweep_or_of_anything_else_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "optima.jsonl"
        OptimaFile(path, TINY)
        with pytest.raises(InputError, match="another sweep"):
            OptimaFile(path, Sweep(7))
        path.write_text("x,u\n0,1\n")
        with pytest.raises(InputError, match="not a file of optima"):
            OptimaFile(path, TINY)
        path.write_text("")
        with pytest.raises(InputError, match="not a file of optima"):
            OptimaFile(path, TINY)

    def test_optima_made_elsewhere_are_taken_over(self, tmp_path: Path) -> None:
        there, here = (OptimaFile(tmp_path / name, TINY) for name in ("there.jsonl", "here.jsonl"))
        one = Optimum(2, TINY.nu(2), 0.9, 30.0, 1e-3, False, 10, 10, 0.1)
        there.add(one)
        assert here.take_over(tmp_path / "there.jsonl") == 1
        assert here.take_over(tmp_path / "there.jsonl") == 0
        assert OptimaFile(tmp_path / "here.jsonl", TINY).optima == (one,)
        with pytest.raises(InputError, match="no file of optima"):
            here.take_over(tmp_path / "nowhere.jsonl")

    def test_lines_are_plain_json(self, tmp_path: Path) -> None:
        file = OptimaFile(tmp_path / "optima.jsonl", TINY)
        file.add(Optimum(2, TINY.nu(2), 0.9, 30.0, 1e-3, False, 10, 10, 0.1))
        head, row = (json.loads(line) for line in file.path.read_text().splitlines())
        assert head["count"] == 6
        assert row["split"] == 0.9

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [(["--workers", "0"], "--workers is 0"), (["--count", "1"], "count is 1"), (["--variant", "x"], "variant")],
    )
    def test_bad_options_are_one_sentence(
        self, arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert meta_optima.main(["--out", str(tmp_path / "o.jsonl"), *arguments]) == 2
        assert said in capsys.readouterr().err
