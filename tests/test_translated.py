"""Programs in translated coordinates: the same values, and digits next to the new origin."""

import numpy as np
import pytest

from gated_xtfc.language.parser import parse
from gated_xtfc.language.translated import translated


@pytest.mark.parametrize(
    "text",
    ["x", "1 - x", "2*(x - 3)/4 + x", "sin(3*x - 1)^2/(2 - x)", "where(x < 1, -x, max(x, 2, a*x))", "a - x", "7"],
)
def test_a_translated_program_has_the_same_values(text: str) -> None:
    program = parse(text, parameters=("a",))
    y = np.linspace(-0.4, 0.4, 9)
    here, there = program.value({"x": y + 1.5, "a": 0.3}), translated(program, "x", 1.5).value({"x": y, "a": 0.3})
    assert np.allclose(here, there, rtol=1e-14, atol=1e-14)


def test_what_vanishes_at_the_origin_keeps_its_digits_there() -> None:
    program = translated(parse("2*(1 - x)/x"), "x", 1.0)
    assert program.value({"x": 1e-30}) == pytest.approx(-2e-30, rel=1e-14)
