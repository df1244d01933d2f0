"""The notebooks run from their first cell to their last, and show what they promise; none is kept with its output."""

import json
import sys
from pathlib import Path

import matplotlib
import pytest

matplotlib.use("Agg")
ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "docs" / "site"))
from notebook_pages import executed  # noqa: E402

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
SHOWN = {"forward": "converged", "inverse": "97.5 %", "sweep": "36 rows: 36 converged"}


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_a_notebook_runs_and_shows_what_it_promises(notebook: Path) -> None:
    pytest.importorskip("pandas")
    cells = executed(notebook)
    assert cells[0].kind == "markdown"
    assert any(SHOWN[notebook.stem] in cell.shown for cell in cells)
    assert any(cell.pictures for cell in cells)
    assert any("<math>" in cell.shown for cell in cells)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_a_notebook_is_kept_without_its_output(notebook: Path) -> None:
    content = json.loads(notebook.read_text(encoding="utf-8"))
    assert content["nbformat"] == 4
    assert all(not cell["outputs"] for cell in content["cells"] if cell["cell_type"] == "code")
