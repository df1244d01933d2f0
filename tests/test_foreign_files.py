"""What `load` does with files that it did not write, or that somebody changed: one sentence, and little memory."""

import io
import json
import math
import zipfile
from pathlib import Path

import numpy as np
import pytest

import gated_xtfc as gx
from gated_xtfc.discretise.gaussian import Gaussian
from gated_xtfc.errors import InputError
from gated_xtfc.solution import envelope
from gated_xtfc.solution.archive import unpack

DATA = Path(__file__).parent / "data"
STRANGE = (None, True, "x", -1, 0, 3, 0.5, 1e308, 10**400, math.nan, math.inf, [], [None] * 3, {}, {"a": 1})


def saved(result, folder):
    result.save(folder / "result.npz")
    return (folder / "result.npz").read_bytes()


def made():
    """One result of every kind that can be saved."""
    jump = gx.Problem("u'' - where(x < c, 1, 100)*u = 1", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], c=0.5)
    broken = gx.Problem("u'' = where(x < 0.5, lam, -1)", {"x": (0, 1)}, ["u(0)=0", "u(1)=0", "u'(0)=1"], unknown="lam")
    # a singular point is for kernels
    ball = ["x*u'' + 2*u' + x*u = x*where(x < 0.5, lam, -1)", {"x": (0, 1)}, ["u(0) = 1", "u'(0) = 0", "u(1) = 0"]]
    square = {"x": (0, 1), "y": (2, 3)}
    plane = gx.Problem("-0.01*(u_xx + u_yy) + u = where(x < 0.5, 1, 2)", square, ["u = 0 on boundary"])
    layer = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=0.05)
    x = np.linspace(0.3, 1.0, 25)
    data, moved = (x, gx.solve(layer)(x) + 0.001 * np.cos(50 * x)), (x, gx.solve(jump)(x))
    results = {
        "interval": gx.solve(gx.Problem(*ball, unknown="lam")),
        "elements": gx.solve(broken),
        "rectangle": gx.solve(plane, tol=1e-5),
        "one unknown": gx.infer(layer, data, {"nu": (1e-2, 1)}, 0.01),
        "a moving place": gx.infer(jump, moved, {"c": (0.3, 0.7)}, 0.01),
        "a soft equation": gx.infer(layer, data, {"nu": (1e-2, 1)}, discrepancy=True),
    }
    two = gx.Problem("u' - nu*u'' = b", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=0.05, b=0.1)
    results["two unknowns"] = gx.infer(two, data, {"nu": (1e-2, 1), "b": (-1, 1)}, 0.01)
    return results


@pytest.fixture(scope="module")
def contents(tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved")
    return {name: saved(result, folder) for name, result in made().items()}


def used(result):
    """Everything that could go wrong later if it was not looked at now."""
    if isinstance(result, gx.Posterior):
        result.predict(np.array([0.4, 0.9]), result.problem.fields[0])
        result.band(np.array([0.4, 0.9]), 0.9, result.problem.fields[0])
        result.summary()
    else:
        points = np.atleast_2d(result.points(16))
        assert np.isfinite(result[result.problem.fields[0]](*points)).all()
        result.summary()


def opened(content):
    """None where it is refused in one sentence."""
    try:
        found = unpack(io.BytesIO(content), "file.npz")
    except InputError as error:
        sentence = str(error)
    else:
        used(found)
        return found
    assert "\n" not in sentence
    assert sentence.startswith("'file.npz' is not a solution saved by this program")
    return None


def parts(content):
    with np.load(io.BytesIO(content)) as file:
        arrays = dict(file)
    return json.loads(str(arrays.pop("about"))), arrays


def packed(about, arrays):
    file = io.BytesIO()
    envelope.write_envelope(file, about, arrays)
    return file.getvalue()


KINDS = ("interval", "elements", "rectangle", "one unknown", "two unknowns", "a moving place", "a soft equation")


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_saved_opens(contents, kind):
    assert opened(contents[kind]) is not None
    assert opened(packed(*parts(contents[kind]))) is not None


@pytest.mark.parametrize("kind", KINDS)
def test_wherever_json_is_changed_the_file_is_refused_or_still_works(contents, kind):
    random = np.random.default_rng(0)
    about, arrays = parts(contents[kind])
    ways = sorted(set(paths(about)), key=str)
    for way in ways if len(ways) < 60 else [ways[i] for i in random.choice(len(ways), 60, replace=False)]:
        if way[0] == "problem":  # texts of problems have tests of their own
            continue
        for value in random.permutation(len(STRANGE))[:5]:
            changed = json.loads(json.dumps(about))
            inner = changed
            for key in way[:-1]:
                inner = inner[key]
            inner[way[-1]] = STRANGE[value]
            with np.errstate(all="ignore"):
                opened(packed(changed, arrays))


def paths(value, way=()):
    """Where values stand, once for entries of a list that look alike."""
    inside = value.items() if isinstance(value, dict) else enumerate(value[:2]) if isinstance(value, list) else ()
    for key, one in inside:
        yield (*way, key)
        yield from paths(one, (*way, key))


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_of_other_shapes_or_with_nan_are_refused(contents, kind):
    about, arrays = parts(contents[kind])
    names = [name for name in arrays if arrays[name].size]
    for name in names[:: max(1, len(names) // 12)]:
        values = arrays[name]
        nan = values.astype(float).copy()
        nan.flat[0] = math.nan
        shorter = [] if name == "samples0" else [values.ravel()[:-1]]  # there may be fewer draws
        for other in (nan, *shorter, values[None], np.array("text"), np.zeros(())):
            assert opened(packed(about, {**arrays, name: other})) is None, name
        left = {key: one for key, one in arrays.items() if key != name}
        if not name.endswith(".sigma"):  # which is not always there
            assert opened(packed(about, left)) is None, name


@pytest.mark.parametrize("kind", ["interval", "elements", "rectangle"])
def test_wherever_a_byte_is_changed_the_file_is_refused_or_still_works(contents, kind):
    random = np.random.default_rng(1)
    content = contents[kind]
    for place in random.choice(len(content), 150, replace=False):
        changed = bytearray(content)
        changed[place] ^= 1 << int(random.integers(8))
        with np.errstate(all="ignore"):
            opened(bytes(changed))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda about: about | {"tol": "small"}, "it.tol is 'small', no number"),
        (lambda about: about | {"status": "splendid"}, "not one of converged"),
        (lambda about: about | {"scales": [1.0, 1.0, 1.0]}, "it has 3 scales, not 1"),
        (lambda about: about | {"pieces": [about["pieces"][0] | {"spacing": 0.0}]}, "spacing is 0, not positive"),
        (lambda about: about | {"pieces": [about["pieces"][0] | {"spacing": 1e-300}]}, "do not cover them"),
        (lambda about: about | {"pieces": [about["pieces"][0] | {"size": 10**15}]}, "do not cover them"),
        (lambda about: about | {"pieces": about["pieces"][:1]}, "not on the domain of its problem"),
        (lambda about: about | {"format": "gated-xtfc plane 1"}, "does not have all of scale"),
        (lambda about: about | {"format": ["gated-xtfc solution 1"]}, "its format is"),
        (lambda about: about | {"problem": {"equation": "u'' = 1"}}, "no domain"),
    ],
)
def test_the_sentence_says_what_is_wrong(contents, change, says):
    about, arrays = parts(contents["interval"])
    with pytest.raises(InputError) as told:
        unpack(io.BytesIO(packed(change(about), arrays)), "file.npz")
    assert says in str(told.value)


def test_what_would_unpack_to_more_than_it_should_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    bomb = tmp_path / "bomb.npz"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("about.npy", "w") as part:
        for _ in range(100):
            part.write(bytes(1 << 20))
    assert bomb.stat().st_size < 1 << 20
    monkeypatch.setattr(zipfile.ZipFile, "read", lambda *_: pytest.fail("it was unpacked"))
    with pytest.raises(InputError, match="would unpack to 104857600 bytes"):
        gx.load(bomb)


def test_an_array_that_says_it_is_larger_than_it_is_takes_no_memory(contents, tmp_path):
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }\n"
    forged = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(80)
    with zipfile.ZipFile(io.BytesIO(contents["interval"])) as source, zipfile.ZipFile(tmp_path / "f.npz", "w") as file:
        for part in source.infolist():
            file.writestr(part, forged if part.filename == "free.npy" else source.read(part))
    with pytest.raises(InputError, match="not as long as it says"):
        gx.load(tmp_path / "f.npz")


def test_a_file_that_somebody_compressed_still_opens(contents, tmp_path):
    with np.load(io.BytesIO(contents["interval"])) as file:
        np.savez_compressed(tmp_path / "packed.npz", **file)
    assert gx.load(tmp_path / "packed.npz").converged


def test_a_mistake_of_the_programs_own_is_seen(contents, monkeypatch):
    monkeypatch.setattr(Gaussian, "restored", lambda plain: plain.nothing)
    with pytest.raises(AttributeError):
        unpack(io.BytesIO(contents["interval"]), "file.npz")


def test_a_disk_that_fails_is_not_taken_for_a_foreign_file(contents, tmp_path):
    class Failing(io.BytesIO):
        def read(self, *_):
            raise OSError(5, "Input/output error")

    with pytest.raises(OSError, match="Input/output error"):
        unpack(Failing(contents["interval"]), "a file")
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        gx.load(tmp_path)


def test_whatever_solve_returns_can_be_saved_and_opened(tmp_path):
    hard = [
        gx.Problem("u'' = exp(u)*1e6", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 90"]),
        gx.Problem("u'' + pi^2*u = 1", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"]),
        gx.Problem("u'' = 1e300*u", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"]),
        gx.Problem("u'' = u^2 - 100", {"x": (0, 1)}, ["u(0) = 1e100", "u(1) = 0"]),
    ]
    for problem in hard:
        solution = gx.solve(problem, max_rounds=3)
        solution.save(tmp_path / "hard.npz")
        assert gx.load(tmp_path / "hard.npz").status == solution.status
