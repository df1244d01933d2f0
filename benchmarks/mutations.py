"""Constants that no test notices: each is made larger and smaller in a copy of the sources, and the solver's tests run.

`python benchmarks/mutations.py` goes through all of them, which takes an hour or two; names of constants or of files,
as in `python benchmarks/mutations.py SAFETY refine.py`, choose among them. Run by hand: nothing is asserted or written.
"""

import ast
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "gated_xtfc"
FILES = (
    *sorted((PACKAGE / "solver").rglob("*.py")),
    *sorted((PACKAGE / "gates").glob("*.py")),
    *sorted((PACKAGE / "discretise").glob("*.py")),
    *sorted((PACKAGE / "linalg").glob("*.py")),
    PACKAGE / "operator" / "symbol.py",
)
SUBJECTS = (
    "predict features symbol coordinate bases trial solvers convergence refine reliability cost recovery certificate "
    "condition unknown_constants systems regression solution bad_nonlinear plane_problem parity plane nonlinear"
)
FACTORS = 0.1, 0.5, 2.0, 10.0
JOBS = 2
PATIENCE = 600  # seconds; what has become so slow is noticed


@dataclass(frozen=True)
class Mutation:
    """One number of the sources, and the text that stands in for it."""

    file: Path
    name: str
    line: int
    start: int
    stop: int
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.file.relative_to(PACKAGE)}: {self.name} = {self.old} -> {self.new}"

    def write(self, target: Path) -> None:
        lines = self.file.read_text(encoding="utf-8").splitlines(keepends=True)
        line = lines[self.line - 1]
        lines[self.line - 1] = line[: self.start] + self.new + line[self.stop :]
        target.write_text("".join(lines), encoding="utf-8")


def mutations(file: Path) -> Iterator[Mutation]:
    """Of every number among a module's constants, alone or in a tuple or dictionary."""
    text = file.read_text(encoding="utf-8")
    for node in ast.parse(text).body:
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Constant | ast.Tuple | ast.Dict):
            continue
        name = ast.unparse(node.targets[0])
        value = node.value
        parts = (
            [value] if isinstance(value, ast.Constant) else value.elts if isinstance(value, ast.Tuple) else value.values
        )
        for part in parts:
            if isinstance(part, ast.Constant) and type(part.value) in (int, float):
                for factor in FACTORS:
                    new = part.value * factor
                    new = max(1, round(new)) if isinstance(part.value, int) else new
                    if new != part.value:
                        span = part.lineno, part.col_offset, part.end_col_offset or 0
                        yield Mutation(file, name, *span, ast.unparse(part), f"{new!r}")


def noticed(mutation: Mutation, tests: list[str]) -> str:
    """The first test that fails; empty where none does."""
    with tempfile.TemporaryDirectory() as folder:
        sources = Path(folder) / "src"
        shutil.copytree(ROOT / "src", sources, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        mutation.write(sources / mutation.file.relative_to(ROOT / "src"))
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-x",
            "-q",
            "--no-header",
            "-rfE",
            "--tb=no",
            "-p",
            "no:cacheprovider",
        ]
        environment = os.environ | {"PYTHONPATH": str(sources), "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            done = subprocess.run(
                [*command, *tests], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE
            )
        except subprocess.TimeoutExpired:
            return f"nothing failed within {PATIENCE} s"
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return failed[0].split(" - ")[0] if failed else f"pytest ended with {done.returncode}" if done.returncode else ""


def chosen(words: list[str]) -> list[Mutation]:
    every = [mutation for file in FILES for mutation in mutations(file)]
    return [m for m in every if not words or {*m.name.split(", "), m.file.name} & set(words)]


def main() -> None:
    tests = [f"tests/test_{subject}.py" for subject in SUBJECTS.split()]
    tests = [test for test in tests if (ROOT / test).exists()]
    missed = []
    with ThreadPoolExecutor(JOBS) as pool:
        running = {pool.submit(noticed, mutation, tests): mutation for mutation in chosen(sys.argv[1:])}
        for done in as_completed(running):
            print(f"{running[done]}: {done.result() or 'NOT NOTICED'}", flush=True)
            if not done.result():
                missed.append(str(running[done]))
    print("\nNo test notices:" if missed else "\nA test notices each of them.")
    print("\n".join(sorted(missed)))


if __name__ == "__main__":
    main()
