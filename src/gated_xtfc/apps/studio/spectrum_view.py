"""What the page draws of a spectrum: the eigenvalues as a list, and every mode at places dense in its layers."""

import numpy as np

from gated_xtfc.apps.eigen_command import place
from gated_xtfc.apps.studio.frames import Answer, Arrays, Header, Message
from gated_xtfc.apps.studio.limits import LIMITS
from gated_xtfc.apps.studio.statement import Located, number_in
from gated_xtfc.apps.studio.view import of_many
from gated_xtfc.errors import InputError
from gated_xtfc.problem.problem import Problem
from gated_xtfc.spectra.eigen import eigen
from gated_xtfc.spectra.spectrum import Spectrum, shortened

POINTS = 601
MOST = 60  # eigenvalues


def spectrum_of(message: Message, problem: Problem, tol: float, progress: object = None) -> Spectrum:
    """The eigenvalues that the page asks for."""
    if not problem.unknown:
        raise Located("unknown", "say which constant is the eigenvalue, such as lam, under unknown constants")
    count, near = number_in("count", message.get("count", 6), "the number of eigenvalues"), message.get("near")
    if count != int(count) or not 1 <= count <= MOST:
        raise Located("count", f"{count:g} eigenvalues were asked for: give a whole number from 1 to {MOST}")
    try:
        wanted = place(near) if isinstance(near, str) and near.strip() else None
    except InputError:
        raise Located("near", "give smallest, largest real, or a number such as 0.25+0.01i") from None
    told = progress if callable(progress) else None
    return eigen(
        problem, int(count), wanted, tol, max_neurons=LIMITS.neurons, max_seconds=LIMITS.seconds, progress=told
    )


def spectrum_view(found: Spectrum, asked: Problem) -> Answer:
    columns = found.sampled(POINTS)
    names = list(columns)[1:]
    fields = list(dict.fromkeys(name.split("_")[0] for name in names)) or list(asked.fields)
    arrays: Arrays = {"x": next(iter(columns.values()), np.zeros(0)), "xi": np.linspace(0.0, 1.0, POINTS)}
    if not columns:
        arrays["xi"] = np.zeros(0)
    arrays |= {f"mode:{name}": columns[name] for name in names}
    axis = asked.axes[0]
    ends = [float(arrays["x"][0]), float(arrays["x"][-1])] if columns else [axis.left, axis.right]
    summary = found.summary()
    shown = [shortened(complex(v), float(e)) for v, e in zip(found.values, found.errors, strict=True)]
    header: Header = {
        **of_many(asked),
        **{key: summary[key] for key in ("status", "message", "tol", "neurons", "rounds", "seconds")},
        "view": "spectrum",
        "eigenvalue": summary["name"],
        "values": summary["values"],
        "errors": summary["errors"],
        "multiplicities": summary["multiplicities"],
        "words": shown,
        "error": float(found.errors.max(initial=0.0)),
        "scale": 1.0,
        "fields": fields,
        "ends": ends,
    }
    return header, arrays
