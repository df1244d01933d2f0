"""Examples by subject: scripts that stand by themselves, each with a picture. They are data here, and never imported.

The first line of a script's docstring is its title; what follows says what to look at.
"""

import ast
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

FOLDER = Path(__file__).parent
# from what most come for to what few do
SUBJECTS = (
    "boundary_layers", "interior_layers", "shocks", "spikes", "fluid_mechanics", "semiconductors", "chemistry",
    "quantum_mechanics", "structures", "inverse_problems", "planes", "fronts", "waves", "spectra", "branches",
)  # fmt: skip


@dataclass(frozen=True)
class GalleryScript:
    """One script of the gallery."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def subject(self) -> str:
        return self.path.parent.name

    @cached_property
    def title(self) -> str:
        return self._documentation.partition("\n")[0]

    @cached_property
    def about(self) -> str:
        """What to look at."""
        return self._documentation.partition("\n")[2].strip()

    @cached_property
    def code(self) -> str:
        """The script without its docstring."""
        text = self.path.read_text(encoding="utf-8")
        return text.split('"""', 2)[2].strip() + "\n"

    @property
    def _documentation(self) -> str:
        return ast.get_docstring(ast.parse(self.path.read_text(encoding="utf-8"))) or ""


def scripts() -> tuple[GalleryScript, ...]:
    """All of them, by subject; a subject that is not listed above comes last."""
    found = [GalleryScript(path) for path in FOLDER.glob("*/*.py")]
    place = {subject: k for k, subject in enumerate(SUBJECTS)}
    return tuple(sorted(found, key=lambda one: (place.get(one.subject, len(place)), one.subject, one.name)))
