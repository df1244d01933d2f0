"""The examples in the docstrings of public names run, in a folder of their own, and say what they show."""

import doctest
import inspect

import pytest

import gated_xtfc as gx

PUBLIC = [name for name in gx.__all__ if callable(getattr(gx, name))]
SHOWN = [  # an example is part of what they promise
    "Design", "GateModel", "LogNormal", "LogUniform", "Normal", "Problem", "Solution", "Status", "SweepProgress",
    "Table", "Uniform", "learn", "open_sweep", "solve", "sweep",
]  # fmt: skip


def examples(name):
    found = doctest.DocTestFinder(exclude_empty=True).find(getattr(gx, name), name, globs={})
    return [one for one in found if one.examples]


@pytest.mark.parametrize("name", PUBLIC)
def test_examples_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for one in examples(name):
        told = []
        doctest.DocTestRunner().run(one, out=told.append)
        assert not told, "".join(told)


@pytest.mark.parametrize("name", SHOWN)
def test_public_names_show_an_example(name):
    assert "\nExamples\n--------\n" in inspect.getdoc(getattr(gx, name))
    assert examples(name)
