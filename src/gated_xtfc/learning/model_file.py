"""A model as one JSON file, and back: numbers and names only, so that a stranger's file can be read safely."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from gated_xtfc import __version__
from gated_xtfc.errors import InputError, quoted
from gated_xtfc.learning.group import Group
from gated_xtfc.learning.scaling import Scaling

FORMAT = "gated-xtfc gates 1"
PLAIN = ("names", "family", "linear", "tol", "coverage")


def write(model: Any, path: str | Path) -> None:
    content = {
        "format": FORMAT,
        "version": __version__,
        "params": model.get_params(),
        **{name: getattr(model, name) for name in PLAIN},
        "scaling": model.scaling.record(),
        "known": model.known.tolist(),
        "rounds": model.rounds.tolist(),
        "groups": [group.record() for group in model.groups],
    }
    Path(path).write_text(json.dumps(content, allow_nan=False), encoding="utf-8")


def read(path: str | Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The settings of a model, and what it has learned, by attribute."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        if content["format"] != FORMAT:
            raise ValueError(content["format"])
        learned = {name: content[name] for name in PLAIN}
        learned["names"] = tuple(content["names"])
        learned["coverage"] = {name: (held, of) for name, (held, of) in content["coverage"].items()}
        learned["scaling"] = Scaling.read(content["scaling"])
        learned["known"] = np.array(content["known"], dtype=float)
        learned["rounds"] = np.array(content["rounds"], dtype=int)
        learned["groups"] = [Group.read(record) for record in content["groups"]]
        return dict(content["params"]), learned
    except FileNotFoundError:
        raise InputError(f"there is no file {quoted(str(path))}") from None
    except Exception:  # whatever a stranger's file makes the readers do
        raise InputError(
            f"{quoted(str(path))} holds no gates that this version can read: give a file of model.save in the format "
            f"'{FORMAT}'"
        ) from None
