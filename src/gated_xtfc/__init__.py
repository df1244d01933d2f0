"""Differential equations with sharp layers.

text -> Problem -> gates -> basis -> trial (conditions exact) -> rows -> least squares -> Solution
        -> where is it not good enough? -> gates
"""

TYPE_CHECKING = False  # typing's own takes longer to import than `gated-xtfc --help` takes without it
if TYPE_CHECKING:
    from gated_xtfc.errors import InputError
    from gated_xtfc.gates.gate import Block, Layer
    from gated_xtfc.inverse.infer import infer
    from gated_xtfc.inverse.model_comparison import compare_models
    from gated_xtfc.inverse.posterior import Posterior
    from gated_xtfc.inverse.priors import LogNormal, LogUniform, Normal, Uniform
    from gated_xtfc.learning.model import GateModel, learn
    from gated_xtfc.problem.problem import Problem
    from gated_xtfc.solution.archive import load
    from gated_xtfc.solution.base import Round, Solution
    from gated_xtfc.solution.status import Status
    from gated_xtfc.solver.solve import solve
    from gated_xtfc.sweeps.design import Design
    from gated_xtfc.sweeps.sweep import sweep
    from gated_xtfc.sweeps.table import Table, open_sweep

__version__ = "0.1.0"
__all__ = [
    "Block",
    "Design",
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
    "Status",
    "Table",
    "Uniform",
    "__version__",
    "compare_models",
    "infer",
    "learn",
    "load",
    "open_sweep",
    "solve",
    "sweep",
]

# The names are fetched when first used (PEP 562): `gated-xtfc --help` must not wait for NumPy.
_HOME = {
    "Block": "gates.gate",
    "Design": "sweeps.design",
    "GateModel": "learning.model",
    "InputError": "errors",
    "Layer": "gates.gate",
    "LogNormal": "inverse.priors",
    "LogUniform": "inverse.priors",
    "Normal": "inverse.priors",
    "Posterior": "inverse.posterior",
    "Problem": "problem.problem",
    "Round": "solution.base",
    "Solution": "solution.base",
    "Status": "solution.status",
    "Table": "sweeps.table",
    "Uniform": "inverse.priors",
    "compare_models": "inverse.model_comparison",
    "infer": "inverse.infer",
    "learn": "learning.model",
    "load": "solution.archive",
    "open_sweep": "sweeps.table",
    "solve": "solver.solve",
    "sweep": "sweeps.sweep",
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
