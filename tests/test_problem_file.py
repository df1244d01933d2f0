"""Problem files: TOML in, Problem or one sentence out."""

import pytest

from gated_xtfc.errors import InputError
from gated_xtfc.problem.file import Guidance, from_mapping, read
from gated_xtfc.problem.interchange import read as load
from gated_xtfc.problem.problem import Problem

TEXT = """
title = "one layer"
equation = "u' - nu*u'' = 0"
domain = { x = [0, "1"] }
conditions = ["u(0) = 0", "u(1) = 1"]
parameters = { nu = 1e-4 }
exact = "(exp((x-1)/nu) - exp(-1/nu))/(1 - exp(-1/nu))"
"""
PLAIN = {"equation": "u'' = 1", "domain": {"x": [0, 1]}, "conditions": ["u(0) = 0", "u(1) = 1"]}


def test_a_file_is_a_problem(tmp_path):
    path = tmp_path / "layer.toml"
    path.write_text(TEXT)
    problem = load(path)
    assert problem.title == "one layer"
    assert problem.parameters["nu"] == 1e-4
    assert problem.exact(1.0) == 1.0
    assert problem == load(str(path))


def test_a_byte_order_mark_does_no_harm(tmp_path):
    path = tmp_path / "marked.toml"
    path.write_text(TEXT, encoding="utf-8-sig")
    assert load(path).title == "one layer"


def test_dotted_keys_and_tables_are_toml(tmp_path):
    path = tmp_path / "dotted.toml"
    path.write_text('equation = "u\' = nu"\ndomain.x = [0, 1]\nconditions = ["u(0) = 0"]\n[parameters]\nnu = 2\n')
    assert load(path).parameters["nu"] == 2.0


def test_a_mapping_is_the_same_without_the_file():
    assert from_mapping(PLAIN) == Problem(PLAIN["equation"], PLAIN["domain"], PLAIN["conditions"])
    one = {**PLAIN, "equations": [PLAIN["equation"]]}
    del one["equation"]
    assert from_mapping(one) == from_mapping(PLAIN)


def test_what_to_dict_writes_can_be_read():
    problem = from_mapping({**PLAIN, "title": "t", "exact": "x"})
    assert from_mapping(problem.to_dict()) == problem


SYSTEM = """
equations = ["u' = v", "nu*v' = -exp(u)*lam"]
domain = { x = [0, 1] }
conditions = ["u(0) = 0", "u(1) = 0", "v(0) = 1"]
parameters = { nu = 1 }
unknown = ["lam"]
exact = { u = "x", v = "1" }
guess = { u = "x*(1 - x)", v = 1 }
continuation = "nu"
"""


def test_a_system_with_unknown_constants_and_guidance(tmp_path):
    path = tmp_path / "system.toml"
    path.write_text(SYSTEM)
    statement = read(path)
    problem = from_mapping(statement)
    assert problem == load(path)
    assert problem.fields == ("u", "v")
    assert problem.unknown == ("lam",)
    assert problem.exacts["v"](0.5) == 1.0
    assert Guidance.stated(statement) == Guidance({"u": "x*(1 - x)", "v": 1}, "nu")
    assert from_mapping(problem.to_dict()) == problem


def test_guidance_is_no_part_of_the_problem():
    guided = {**PLAIN, "guess": "x", "continuation": "nu"}
    assert from_mapping(guided) == from_mapping(PLAIN)
    assert Guidance.stated(guided) == Guidance("x", "nu")
    assert Guidance.stated(PLAIN) == Guidance(None, None)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"equatoin": "u' = 0"}, "did you mean 'equation'?"),
        ({"tol": 1e-3}, 'unknown key "tol"'),
        ({"equation": 3}, "equation in the problem file must be a text"),
        ({"equation": ["u' = 0"]}, "must be a text"),
        ({"equations": ["u' = 0"]}, "one of the keys equation and equations"),
        ({"domain": [0, 1]}, "domain in the problem file must be a table"),
        ({"domain": {"x": [0, [1]]}}, "must be a number"),
        ({"conditions": "u(0) = 0"}, "conditions in the problem file must be a list"),
        ({"conditions": [0, 1]}, "list of texts"),
        ({"parameters": [1]}, "parameters in the problem file must be a table"),
        ({"parameters": {"nu": "1"}}, "must be a number"),
        ({"parameters": {"nu": True}}, "must be a number"),
        ({"exact": 1}, "exact in the problem file must be a text"),
        ({"exact": {"u": 1}}, "the exact solutions in the problem file must be texts"),
        ({"unknown": "lam"}, "unknown in the problem file must be a list of names"),
        ({"unknown": [1]}, "the unknown constants in the problem file must be texts"),
        ({"guess": [1]}, "guess in the problem file must be a text, a number, or a table"),
        ({"guess": True}, "guess in the problem file must be a text"),
        ({"guess": {"u": ["x"]}}, "the guess for u in the problem file must be a text or a number"),
        ({"continuation": 1e-3}, "continuation in the problem file must be the name of a parameter"),
        ({"gess": "x"}, "did you mean 'guess'?"),
        ({"title": 1}, "title in the problem file must be a text"),
    ],
)
def test_wrong_keys_and_types_say_so(change, says):
    with pytest.raises(InputError) as caught:
        from_mapping({**PLAIN, **change})
    assert says in str(caught.value)


@pytest.mark.parametrize("key", sorted(PLAIN))
def test_a_missing_key_is_named(key):
    with pytest.raises(InputError, match=key):
        from_mapping({name: value for name, value in PLAIN.items() if name != key})


def test_equations_must_be_texts():
    with pytest.raises(InputError, match="must be texts"):
        from_mapping({"equations": [1], "domain": {"x": [0, 1]}, "conditions": []})
    with pytest.raises(InputError, match="keys and values"):
        from_mapping(["u' = 0"])


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"equation = 'u", "not valid TOML"),
        (b"u' = 0", "not valid TOML"),
        (b"", "one of the keys"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"a = " + b"[" * 100_000, "nested too deeply"),
        (b"a = " + b"9" * 5000, "not valid TOML"),
        (b"a." * 100_000 + b"a = 1", "more than 32 parts"),
        (b"[" + b'"a". ' * 50_000 + b"a]", "more than 32 parts"),
        (b'equation = """' + b"x+" * 500_000 + b'"""', "larger than"),
        (b'equation = """u\' = ' + b"x+" * 60_000 + b'1"""\ndomain.x = [0, 1]\nconditions = []', "characters"),
    ],
)
def test_a_file_that_is_no_problem_says_so(tmp_path, content, says):
    path = tmp_path / "bad.toml"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        load(path)
    assert says in str(caught.value)


def test_a_missing_file_and_a_folder_say_so(tmp_path):
    with pytest.raises(InputError, match="there is no problem file"):
        load(tmp_path / "absent.toml")
    with pytest.raises(InputError, match="cannot be read"):
        load(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        load("a\0b")
