"""What the command line imports. Times are for the benchmarks; here it is which modules are not there."""

import json
import subprocess
import sys

import pytest

from gated_xtfc.core.compiled import core

HELP = {f"gated_xtfc.apps.{name}" for name in ("arguments", "manual", "parser")}  # texts and argparse
CORE = {f"gated_xtfc.{name}" for name in ("apps.manual", "core", "core.compiled", "core._elements")}  # is it there?
PROBE = """
import sys
from gated_xtfc.apps.cli import main
code = main(sys.argv[1:])
print("\\n".join(sorted(sys.modules)), file=sys.stderr)
sys.exit(code)
"""
SOLVE = [
    "solve",
    "--equation",
    "u' - nu*u'' = 0",
    "--domain",
    "x=0:1",
    "--condition",
    "u(0)=0",
    "--condition",
    "u(1)=1",
]


def loaded(*arguments: str) -> tuple[set[str], str]:
    done = subprocess.run([sys.executable, "-c", PROBE, *arguments], capture_output=True, text=True, check=True)
    return set(done.stderr.split()), done.stdout


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["solve", "--help"]])
def test_help_and_version_import_no_numerics_and_none_of_the_library(arguments: list[str]) -> None:
    modules, output = loaded(*arguments)
    assert output
    assert modules.isdisjoint({"numpy", "scipy", "matplotlib", "rich", "tomllib", "json", "typing", "shutil"})
    ours = {name for name in modules if name.startswith("gated_xtfc")}
    assert ours <= {
        "gated_xtfc",
        "gated_xtfc.apps",
        "gated_xtfc.apps.cli",
        *(CORE if "--version" in arguments else HELP),
    }


def test_solve_with_json_imports_neither_rich_nor_matplotlib() -> None:
    modules, output = loaded(*SOLVE, "--set", "nu=1e-2", "--json")
    assert json.loads(output)["status"] == "converged"
    assert modules.isdisjoint({"rich", "matplotlib", "gated_xtfc.plots", "gated_xtfc.zoo"})
    assert modules.isdisjoint({"ssl", "http.client", "email", "urllib.request"})  # what nothing here asks for
    assert modules.isdisjoint(
        {"scipy.special", "scipy.sparse", "scipy.optimize", "scipy.integrate", "scipy.interpolate"}
    )


@pytest.mark.skipif(core() == "NumPy", reason="there is no compiled core")
def test_a_solve_by_the_compiled_core_does_without_scipy() -> None:
    command = (
        "import sys, gated_xtfc as gx; "
        "gx.solve(gx.Problem('u\\' - nu*u\\'\\' = 0', {'x': (0, 1)}, ['u(0) = 0', 'u(1) = 1'], nu=1e-4)); "
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True)
    assert not {name for name in done.stdout.split() if name.startswith("scipy")}


def test_a_nonlinear_system_with_json_imports_no_more() -> None:
    stated = ["--equation", "u' = v", "--equation", "v' = -exp(u)", *SOLVE[3:-1], "u(1)=0"]
    modules, output = loaded("solve", *stated, "--json")
    assert json.loads(output)["status"] == "converged"
    assert modules.isdisjoint({"rich", "matplotlib", "gated_xtfc.plots", "scipy.special", "scipy.sparse"})


def test_the_table_does_not_import_matplotlib() -> None:
    modules, output = loaded(*SOLVE, "--set", "nu=1e-2")
    assert "converged" in output
    assert "matplotlib" not in modules


def test_the_zoo_imports_nothing_slow_before_an_exact_solution_is_evaluated() -> None:
    command = (
        "import sys; from gated_xtfc import zoo; "
        "[zoo.problem(name) for name in (*zoo.NAMES, *zoo.RECTANGLE_NAMES)]; print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True)
    modules = set(done.stdout.split())
    assert "gated_xtfc.zoo" in modules
    assert modules.isdisjoint({"scipy.special", "scipy.sparse", "scipy.optimize"})


def test_importing_the_package_imports_none_of_it() -> None:
    command = "import sys, gated_xtfc; print(gated_xtfc.__version__); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True)
    assert not {name for name in done.stderr.split() if name.startswith("gated_xtfc.")}
    assert "numpy" not in done.stderr.split()
