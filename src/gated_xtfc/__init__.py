"""Differential equations with sharp layers: the text of an equation in, a solution with an error estimate out.

    import gated_xtfc as gx

    problem = gx.Problem("u' - nu*u'' = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], nu=1e-4)
    solution = gx.solve(problem, tol=1e-10)
    print(solution.status, solution.error, solution(0.9999))

The method in a line:

    text -> Problem -> gates -> kernels -> conditions built in -> rows -> least squares -> Solution
            -> where is it not good enough? -> gates

Gates stretch the coordinate at layers until there are none left in it; kernels of one width then resolve the solution.

Public names; `help` of each has arguments and examples:

    one problem         Problem, solve, Solution, Status, Round, load, InputError; Layer and Block are gates;
                        read and write problem files
    parameters, data    infer, Posterior, compare_models; priors are Uniform, LogUniform, Normal, LogNormal
    what evolves        EvolutionSolution, Front
    eigenvalues         eigen, Spectrum
    several solutions   branch, Branch; solutions, SolutionList
    many members        solve_many, Solutions; sweep, Design, SweepProgress, Table, open_sweep; learn, GateModel
    whole arrays        compile, Batch, BatchSolutions: solved at once by JAX, and differentiable

Inside, along the line: `language` reads texts, `problem` states what is to be solved, `operator` linearises, `gates`
predicts where resolution goes, `discretise` lays out kernels and sites, `linalg` and the compiled `core` solve,
`solver` leads from a problem to a `solution`. On top of it stand `batch`, `spectra`, `branches`, `inverse`, `sweeps`,
`learning`, and `scipy`: SciPy's `solve_bvp` on this solver. To compare with there are `published` (the method of the
paper), `baselines` and `paper`; `zoo` has families with known solutions. `plots` draws, `apps` is the command line and
the studio, `gallery` has examples by subject.
"""

TYPE_CHECKING = False  # typing's own takes longer to import than `gated-xtfc --help` takes without it
if TYPE_CHECKING:
    from gated_xtfc.batch.compiled import Batch
    from gated_xtfc.batch.result import BatchSolutions
    from gated_xtfc.branches.branch import Branch
    from gated_xtfc.branches.follow import branch
    from gated_xtfc.branches.several import SolutionList, solutions
    from gated_xtfc.errors import InputError
    from gated_xtfc.gates.gate import Block, Layer
    from gated_xtfc.inverse.infer import infer
    from gated_xtfc.inverse.model_comparison import compare_models
    from gated_xtfc.inverse.posterior import Posterior
    from gated_xtfc.inverse.priors import LogNormal, LogUniform, Normal, Uniform
    from gated_xtfc.learning.model import GateModel, learn
    from gated_xtfc.problem.interchange import read, write
    from gated_xtfc.problem.problem import Problem
    from gated_xtfc.solution.archive import load
    from gated_xtfc.solution.base import Solution
    from gated_xtfc.solution.evolution import EvolutionSolution, Front
    from gated_xtfc.solution.round import Round
    from gated_xtfc.solution.status import Status
    from gated_xtfc.solver.solve import solve
    from gated_xtfc.spectra.eigen import eigen
    from gated_xtfc.spectra.spectrum import Spectrum
    from gated_xtfc.sweeps.contents import open_sweep
    from gated_xtfc.sweeps.design import Design
    from gated_xtfc.sweeps.engine import compile
    from gated_xtfc.sweeps.many import Solutions, solve_many
    from gated_xtfc.sweeps.run import SweepProgress
    from gated_xtfc.sweeps.sweep import sweep
    from gated_xtfc.sweeps.table import Table

__version__ = "0.1.0"
__all__ = [
    "Batch",
    "BatchSolutions",
    "Block",
    "Branch",
    "Design",
    "EvolutionSolution",
    "Front",
    "GateModel",
    "InputError",
    "Layer",
    "LogNormal",
    "LogUniform",
    "Normal",
    "Posterior",
    "Problem",
    "Round",
    "Solution",
    "SolutionList",
    "Solutions",
    "Spectrum",
    "Status",
    "SweepProgress",
    "Table",
    "Uniform",
    "__version__",
    "branch",
    "compare_models",
    "compile",
    "eigen",
    "infer",
    "learn",
    "load",
    "open_sweep",
    "read",
    "solutions",
    "solve",
    "solve_many",
    "sweep",
    "write",
]

# The names are fetched when first used (PEP 562): `gated-xtfc --help` must not wait for NumPy.
_HOME = {
    "Batch": "batch.compiled",
    "BatchSolutions": "batch.result",
    "Block": "gates.gate",
    "Branch": "branches.branch",
    "Design": "sweeps.design",
    "EvolutionSolution": "solution.evolution",
    "Front": "solution.evolution",
    "GateModel": "learning.model",
    "InputError": "errors",
    "Layer": "gates.gate",
    "LogNormal": "inverse.priors",
    "LogUniform": "inverse.priors",
    "Normal": "inverse.priors",
    "Posterior": "inverse.posterior",
    "Problem": "problem.problem",
    "Round": "solution.round",
    "Solution": "solution.base",
    "SolutionList": "branches.several",
    "Solutions": "sweeps.many",
    "Spectrum": "spectra.spectrum",
    "Status": "solution.status",
    "SweepProgress": "sweeps.run",
    "Table": "sweeps.table",
    "Uniform": "inverse.priors",
    "branch": "branches.follow",
    "compare_models": "inverse.model_comparison",
    "compile": "sweeps.engine",
    "eigen": "spectra.eigen",
    "infer": "inverse.infer",
    "learn": "learning.model",
    "load": "solution.archive",
    "open_sweep": "sweeps.contents",
    "read": "problem.interchange",
    "solutions": "branches.several",
    "solve": "solver.solve",
    "solve_many": "sweeps.many",
    "sweep": "sweeps.sweep",
    "write": "problem.interchange",
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'gated_xtfc' has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"gated_xtfc.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
