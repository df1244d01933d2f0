"""A file is whole or not there at all, whatever happens while it is written; and what was there before stays."""

import os
import re
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc.apps.cli import main
from gated_xtfc.errors import InputError
from gated_xtfc.files import replacing, replacing_text, write_text

LAYER = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-2)
PATIENCE = 120  # seconds for what is sure to happen: a busy machine takes its time, a failure ends all the same
SOURCE = Path(gx.__file__).parent
WRITES = re.compile(r"""\.write_text\(|\.write_bytes\(|open\([^)]*["'][wax]b?["']|\.write_parquet\((?!file\))""")


def run(script, folder):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], cwd=folder, capture_output=True, text=True, timeout=PATIENCE
    )


@pytest.fixture(scope="module")
def solution():
    return gx.solve(LAYER)


@pytest.fixture(scope="module")
def writers(solution):
    """Everything that writes a file, by the ending of its name."""
    x = np.linspace(0.9, 1.0, 20)
    posterior = gx.infer(LAYER, data=(x, solution(x)), unknown={"nu": (1e-3, 1e-1)}, noise=0.01)
    table = gx.sweep(LAYER, {"nu": np.geomspace(1e-4, 1e-2, 30)}, workers=1)
    model = gx.learn(table)
    return {
        "solution.npz": solution.save,
        "solution.csv": solution.to_csv,
        "solution.svg": solution.plot,
        "solution.png": solution.plot,
        "posterior.npz": posterior.save,
        "posterior.csv": posterior.to_csv,
        "posterior.json": posterior.to_json,
        "posterior.png": posterior.plot,
        "model.json": model.save,
        "model.svg": model.plot,
        "table.csv": table.to_csv,
        "table.parquet": table.to_parquet,
    }


def test_files_are_written_in_one_place():
    found = {
        f"{file.relative_to(SOURCE)}: {line.strip()}"
        for file in SOURCE.rglob("*.py")
        if file.name not in ("files.py", "worker.py")  # a worker of the studio writes to a pipe
        for line in file.read_text(encoding="utf-8").splitlines()
        if WRITES.search(line) and ">>>" not in line
    }
    # lines that are added to a file, of which a cut-off one is left out; and a file that is made to see whether one can
    assert {line.split(":")[0] for line in found} == {"paper/optima.py", "apps/output.py"}, found


def test_what_is_written_is_there_and_nothing_else(tmp_path, writers):
    for name, write in writers.items():
        write(tmp_path / name)
        first = (tmp_path / name).read_bytes()
        assert first
        write(tmp_path / name)  # over the one that is there
        assert len((tmp_path / name).read_bytes()) == len(first)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(writers)


def test_a_full_disk_gives_one_sentence_and_the_old_file_stays(tmp_path, monkeypatch, writers):
    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    for name, write in writers.items():
        (tmp_path / name).write_bytes(b"old")
        with pytest.raises(InputError, match="No space left on device") as told:
            write(tmp_path / name)
        assert name in str(told.value)
        assert (tmp_path / name).read_bytes() == b"old"
    assert {path.name for path in tmp_path.iterdir()} == set(writers)


def test_a_file_that_may_not_grow_gives_one_sentence_and_the_old_file_stays(tmp_path):
    pytest.importorskip("resource")
    script = """
        import resource, sys
        import gated_xtfc as gx
        from gated_xtfc.apps.cli import main
        solution = gx.solve(gx.Problem("u'' = x", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"]))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
        for write, name in ((solution.save, "a.npz"), (solution.to_csv, "a.csv"), (solution.plot, "a.png")):
            open(name, "wb").write(b"old")
            try:
                write(name)
            except gx.InputError as error:
                assert "File too large" in str(error), error
            else:
                raise SystemExit("it was written")
            assert open(name, "rb").read() == b"old", name
        stated = ["--equation", "u''=x", "--domain", "x=0:1", "--condition", "u(0)=0", "--condition", "u(1)=1"]
        sys.exit(main(["solve", *stated, "--out", "out"]))
        """
    done = run(script, tmp_path)
    assert done.returncode == 2, done.stderr
    assert re.fullmatch(r"gated-xtfc: cannot write .*File too large.*\n", done.stderr)
    assert list((tmp_path / "out").iterdir()) == []


def test_a_folder_that_cannot_be_written_to_gives_one_sentence_and_the_old_file_stays(tmp_path, monkeypatch, solution):
    solution.save(tmp_path / "kept.npz")
    before, opened = (tmp_path / "kept.npz").read_bytes(), Path.open

    def refusing(path, mode="r", *more, **options):
        if mode == "xb":  # as a read-only folder does to all but the superuser
            raise PermissionError(13, "Permission denied")
        return opened(path, mode, *more, **options)

    monkeypatch.setattr(Path, "open", refusing)
    with pytest.raises(InputError, match=r"cannot write .*kept.npz\": Permission denied"):
        solution.save(tmp_path / "kept.npz")
    assert (tmp_path / "kept.npz").read_bytes() == before


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nowhere/solution.npz", "No such file or directory"),
        ("folder", "a folder of that name is in the way"),
        ("", "not the name of a file"),
        ("a\0b", "not the name of a file"),
    ],
)
def test_a_place_that_cannot_be_written_to_is_named(tmp_path, monkeypatch, solution, name, says):
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    with pytest.raises(InputError, match=says):
        solution.save(name)


def test_a_writer_that_fails_leaves_the_old_file_and_no_other(tmp_path):
    file = tmp_path / "text"
    write_text(file, "old")
    with pytest.raises(ZeroDivisionError), replacing_text(file) as text:
        text.writelines("new" * (100_000 // left) for left in (2, 1, 0))
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_links_and_permissions_outlive_a_new_content(tmp_path):
    file, link = tmp_path / "file", tmp_path / "link"
    write_text(file, "old")
    file.chmod(0o640)
    link.symlink_to(file)
    write_text(link, "new")
    assert link.is_symlink()
    assert file.read_text() == "new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="there are no such devices")
def test_a_device_is_written_to_as_it_is():
    with replacing("/dev/null") as device:
        device.write(b"gone")
    assert not Path("/dev/null").is_file()


KILLED = """
    import json, os, random, signal, sys, time
    from pathlib import Path
    import gated_xtfc as gx
    from gated_xtfc.apps import solve_command
    from gated_xtfc.apps.output import OutputFolder

    random.seed(0)
    problem = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-2)
    both = [gx.solve(problem), gx.solve(problem(nu=1e-6))]
    written = {one.problem.parameters["nu"]: one(0.999) for one in both}
    folder = OutputFolder.prepare("out", solve_command.FILES)
    solve_command.write(both[0], "{}", folder)  # figures need their fonts once

    def whole():
        if Path("kept.npz").exists():
            there = gx.load("kept.npz")
            assert there(0.999) == written[there.problem.parameters["nu"]]
        for path in Path("out").iterdir():
            content = path.read_bytes()
            if path.suffix == ".part":  # what was being written when the process died
                path.unlink()
            elif path.suffix == ".png":
                assert content.endswith(b"IEND" + bytes.fromhex("ae426082"))
            elif path.suffix == ".svg":
                assert content.rstrip().endswith(b"</svg>")
            elif path.suffix == ".csv":
                assert content.count(b"\\n") == 1002 and content.endswith(b"\\n")
            else:
                assert json.loads(content) == {}

    for instant in range(40):
        begun, begins = os.pipe()
        child = os.fork()
        if not child:
            os.write(begins, b"!")
            while True:
                for one in both:
                    one.save("kept.npz")
                    if instant % 2:
                        solve_command.write(one, "{}", folder)
        os.read(begun, 1)
        time.sleep(random.uniform(0.0, 0.02 if instant % 2 == 0 else 0.4))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(begun), os.close(begins)
        whole()
    print("whole")
    """


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a process is copied and killed")
def test_a_process_that_is_killed_while_it_writes_leaves_whole_files(tmp_path):
    done = run(KILLED, tmp_path)
    assert done.stdout == "whole\n", done.stderr


def test_the_command_line_says_in_one_line_what_cannot_be_written(tmp_path, capsys, monkeypatch):
    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    stated = ["--equation", "u''=x", "--domain", "x=0:1", "--condition", "u(0)=0", "--condition", "u(1)=1"]
    assert main(["solve", *stated, "--out", str(tmp_path / "out")]) == 2
    assert re.fullmatch(r"gated-xtfc: cannot write .*No space left on device; .*\n", capsys.readouterr().err)
    assert list((tmp_path / "out").iterdir()) == []
