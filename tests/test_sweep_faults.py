"""What can go wrong in a sweep, done to it: killed, interrupted, out of disk, out of time, read-only, workers lost."""

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc.solution.status import RowStatus
from gated_xtfc.sweeps.store import Store
from gated_xtfc.sweeps.study import Study
from gated_xtfc.sweeps.sweep import sweep

COUNT = 300
PATIENCE = 120  # seconds for what is sure to happen: a busy machine takes its time, a failure ends all the same
NU = np.geomspace(1e-8, 1.0, COUNT)
LAYER = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-2)
STATED = """
equation = "u' - nu*u'' = 0"
domain = { x = [0, 1] }
conditions = ["u(0) = 0", "u(1) = 1"]
"""
COMMAND = [sys.executable, "-m", "gated_xtfc", "sweep", "layer.toml", "--store", "s.sqlite", "--workers", "2"]
OVER = ["--over", f"nu=1e-8:1:{COUNT}"]
linux = pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="looks into /proc")


def command(folder, *more, over=OVER, **how):
    (folder / "layer.toml").write_text(STATED)
    return subprocess.Popen([*COMMAND, *over, *more], cwd=folder, stderr=subprocess.PIPE, text=True, **how)


def rows_in(store):
    try:
        database = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
        try:
            return database.execute("SELECT count(*) FROM points").fetchone()[0]
        finally:
            database.close()
    except sqlite3.OperationalError:
        return 0


def wait_for(what):
    end = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def whole(store):
    database = sqlite3.connect(store)
    try:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return {row[0]: row[1:] for row in database.execute("SELECT key, nu, status, error, neurons FROM points")}
    finally:
        database.close()


@pytest.fixture(scope="module")
def uninterrupted():
    return sweep(LAYER, {"nu": NU}, workers=1)


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]


KILLED = """
import multiprocessing, os, signal
import numpy as np
import gated_xtfc as gx

def kill(progress):
    if progress.solved >= 20:
        print(*(worker.pid for worker in multiprocessing.active_children()), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    layer = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-2)
    gx.sweep(layer, {"nu": np.geomspace(1e-8, 1.0, COUNT)}, store="s.sqlite", workers=2, progress=kill)
"""


@linux
def test_killed_in_mid_sweep_it_loses_no_row_and_goes_on_to_the_same_result(tmp_path, uninterrupted):
    store = tmp_path / "s.sqlite"
    (tmp_path / "script.py").write_text(KILLED.replace("COUNT", str(COUNT)))
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, stdout=subprocess.PIPE, text=True, timeout=PATIENCE, check=False
    )
    workers = done.stdout.split()
    assert done.returncode == -signal.SIGKILL
    assert len(workers) == 2
    kept = whole(store)
    assert 20 <= len(kept) < COUNT
    wait_for(lambda: not any(os.path.exists(f"/proc/{worker}") for worker in workers))  # none is left behind
    solved = []
    table = sweep(LAYER, {"nu": NU}, store=store, workers=1, progress=lambda p: solved.append(p.solved))
    assert solved[-1] == COUNT - len(kept)
    after = whole(store)
    assert len(after) == COUNT
    assert all(after[key] == row for key, row in kept.items())
    for name in ("nu", "status", "error", "neurons", "gates"):
        assert (table[name] == uninterrupted[name]).all()


@linux
def test_ctrl_c_stops_at_once_keeps_what_is_done_and_says_how_to_go_on(tmp_path):
    store = tmp_path / "s.sqlite"
    many = 300_000
    running = command(tmp_path, over=["--over", f"nu=1e-8:1:{many}"], start_new_session=True)
    wait_for(lambda: rows_in(store) >= 20)
    # the terminal sends it to every process of the group
    os.killpg(running.pid, signal.SIGINT)
    told = running.communicate(timeout=PATIENCE)[1]
    assert running.returncode == 130
    kept = len(whole(store))
    assert 20 <= kept < many
    assert told.startswith("gated-xtfc: interrupted: ")
    assert told.endswith("points are in s.sqlite; the same command goes on from there\n")
    assert "Traceback" not in told


def test_two_sweeps_into_one_file_store_every_point_once(tmp_path, uninterrupted):
    both = [command(tmp_path, "--workers", "1", stdout=subprocess.PIPE) for _ in range(2)]
    for running in both:
        _, told = running.communicate(timeout=PATIENCE)
        assert running.returncode == 0, told
    rows = whole(tmp_path / "s.sqlite")
    assert len(rows) == COUNT
    assert sorted(row[2] for row in rows.values()) == sorted(uninterrupted["error"].tolist())


@linux
def test_a_worker_killed_from_outside_costs_no_point(tmp_path):
    killed = []

    def kill(progress):
        if progress.solved >= 5 and not killed:
            killed.append(multiprocessing.active_children()[0].pid)
            os.kill(killed[0], signal.SIGKILL)

    table = sweep(LAYER, {"nu": NU[:200]}, store=tmp_path / "s.sqlite", workers=2, progress=kill)
    assert killed
    assert len(table) == 200
    assert table.converged.all()


DASK = """
import os, signal, sys
import numpy as np
from distributed import Client, LocalCluster
import gated_xtfc as gx

def main():
    layer = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-2)
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            pids, killed = client.run(os.getpid), []

            def kill(progress):
                if progress.solved >= 5 and not killed:
                    killed.append(next(iter(pids.values())))
                    os.kill(killed[0], signal.SIGKILL)

            nu = np.geomspace(1e-8, 1.0, 200)
            table = gx.sweep(layer, {"nu": nu}, store="s.sqlite", executor=client, progress=kill)
            assert client.submit(int, 3).result() == 3  # it is still the caller's
    print(len(killed), len(table), table.converged.all())

if __name__ == "__main__":
    main()
"""


def test_a_dask_worker_killed_in_mid_sweep_costs_no_point(tmp_path, uninterrupted):
    pytest.importorskip("distributed", reason="Dask is not installed: pip install 'gated-xtfc[dask]'")
    (tmp_path / "script.py").write_text(DASK)
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.stdout == "1 200 True\n", done.stderr
    assert len(whole(tmp_path / "s.sqlite")) == 200


def test_a_missing_dask_and_a_missing_scheduler_are_named(monkeypatch):
    from gated_xtfc.sweeps.workers import dask_client

    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(gx.InputError, match=r".*\[dask\]"):
        dask_client("tcp://127.0.0.1:1")


def sleepy(x, u, nu):
    """An equation that takes its time at one value of nu, cannot be evaluated at another, and kills at a third."""
    if nu == 0.25:
        time.sleep(PATIENCE)
    if nu == 0.125:
        raise ZeroDivisionError("no such member")
    if nu == 0.0625 and multiprocessing.parent_process() is not None:
        os.kill(os.getpid(), signal.SIGKILL)
    return u.x - nu * u.xx


ODD = gx.Problem(sleepy, {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1)


def test_a_point_that_fails_or_takes_too_long_is_recorded_and_the_sweep_goes_on():
    table = sweep(ODD, {"nu": [1.0, 0.25, 0.125, 0.5]}, workers=1, time_limit=2.0, quantities=["u(0.5)"])
    assert table["status"].tolist() == ["converged", "time limit", "failed", "converged"]
    assert "more than the 2 seconds" in table["message"][1]
    assert "no such member" in table["message"][2]
    assert np.isinf(table["error"][1:3]).all()
    assert np.isnan(table["u(0.5)"]).tolist() == [False, True, True, False]


def test_the_statuses_of_rows_without_a_solution_are_strings_that_no_solution_has():
    assert list(RowStatus) == ["failed", "time limit", "worker died"]
    assert not set(RowStatus) & set(gx.Status)


def test_a_point_that_kills_its_worker_is_recorded_and_the_sweep_goes_on():
    values = [1.0, 0.5, 0.0625, 0.3, 0.7, 0.9]
    table = sweep(ODD, {"nu": values}, workers=2)
    assert table["status"].tolist() == ["converged", "converged", "worker died", *["converged"] * 3]


def test_failed_points_are_tried_again_on_request_only(tmp_path):
    store, bad = tmp_path / "s.sqlite", gx.Problem("u' - u''/nu = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1)
    first = sweep(bad, {"nu": [1.0, 0.0]}, store=store, workers=1)
    assert first["status"].tolist() == ["converged", "failed"]
    solved = []
    for retry in (False, True):
        sweep(bad, {"nu": [1.0, 0.0]}, store=store, workers=1, retry=retry, progress=lambda p: solved.append(p.solved))
    assert solved == [1]


def test_a_script_without_a_guard_gets_one_sentence(tmp_path):
    script = """
        import gated_xtfc as gx
        problem = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1)
        try:
            gx.sweep(problem, {"nu": [0.1, 0.2, 0.3, 0.4]}, workers=2)
        except gx.InputError as error:
            print(error)
    """
    (tmp_path / "script.py").write_text(textwrap.dedent(script))
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "if __name__ == '__main__':" in done.stdout


class TestStore:
    STUDY = Study(LAYER, ("nu",))

    def rows(self, count, size):
        return [(bytes([i, size]), float(i), "converged", "x" * 50_000, 0.0, 1, 1, 0.0, "[]") for i in range(count)]

    def test_a_full_disk_is_told_and_keeps_what_was_stored(self, tmp_path):
        path = tmp_path / "s.sqlite"
        with Store(path, self.STUDY.identity(), self.STUDY.columns) as store:
            store.add(self.rows(5, 0))
            store.database.execute("PRAGMA max_page_count = 100")  # SQLite then refuses as it does on a full disk
            with pytest.raises(gx.InputError, match=r"the disk is full.*goes on from there"):
                store.add(self.rows(50, 1))
            assert len(store.keys()) == 5
        assert len(whole(path)) == 5

    @linux
    def test_a_file_that_the_system_lets_grow_no_further_is_told_and_not_corrupted(self, tmp_path):
        script = """
            import resource, sys
            import numpy as np
            import gated_xtfc as gx
            problem = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-2)
            resource.setrlimit(resource.RLIMIT_FSIZE, (120_000, 120_000))
            try:
                gx.sweep(problem, {"nu": np.geomspace(1e-8, 1, 300)}, store="s.sqlite", workers=1)
            except gx.InputError as error:
                print(error)
        """
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(script)], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert done.stdout.startswith('the store "s.sqlite" failed: the disk')
        kept = len(whole(tmp_path / "s.sqlite"))
        assert 0 < kept < COUNT
        assert len(sweep(LAYER, {"nu": NU}, store=tmp_path / "s.sqlite", workers=1)) == COUNT

    def test_a_disk_that_is_really_full_is_told(self, tmp_path):
        mount = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
        try:
            subprocess.run([*mount, "mount -t tmpfs none ."], cwd=tmp_path, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            pytest.skip("this system lets nobody mount a small disk")
        (tmp_path / "layer.toml").write_text(STATED)
        steps = 'mkdir d && mount -t tmpfs -o size=200k none d && cp layer.toml d && cd d && exec "$@"'
        one = [*COMMAND[:-1], "1", *OVER]
        done = subprocess.run(
            [*mount, steps, "sh", *one], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=PATIENCE
        )
        assert done.returncode == 2
        assert "the disk" in done.stderr
        assert "goes on from there" in done.stderr

    @linux
    @pytest.mark.parametrize("new", [True, False])
    def test_a_store_that_cannot_be_written_to_is_told_before_anything_is_solved(self, new):
        script = f"""
            import os
            import gated_xtfc as gx
            problem = gx.Problem("u' - nu*u'' = 0", {{"x": (0, 1)}}, ["u(0) = 0", "u(1) = 1"], nu=1e-2)
            import gated_xtfc.sweeps.sweep, gated_xtfc.zoo
            if os.geteuid() == 0:
                os.seteuid(65534)  # to root nothing is read-only
            try:
                gx.sweep(problem, {{"nu": [0.2]}}, store="s.sqlite", workers=1)
            except gx.InputError as error:
                print(error)
            if {not new}:
                print(len(gx.open_sweep("s.sqlite")))
        """
        # not in tmp_path: others than root must come in, and another run of pytest would close its folders to them
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            if not new:
                sweep(LAYER, {"nu": [0.1]}, store=folder / "s.sqlite", workers=1)
            for place in [folder, *folder.iterdir()]:
                place.chmod(0o555 if place.is_dir() else 0o444)
            done = subprocess.run(
                [sys.executable, "-c", textwrap.dedent(script)], cwd=folder, capture_output=True, text=True, check=False
            )
            folder.chmod(0o755)
        assert done.returncode == 0, done.stderr
        first, *rest = done.stdout.splitlines()
        assert first.startswith('the store "s.sqlite" failed: it cannot be')
        assert rest == ([] if new else ["1"])
