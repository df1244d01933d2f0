"""What the page draws of fronts in time: fields at many times, each at places of its own, and the paths of gates."""

import numpy as np

from gated_xtfc.apps.studio.frames import Answer, Arrays, Header
from gated_xtfc.apps.studio.view import LISTED, figures
from gated_xtfc.problem.problem import Problem
from gated_xtfc.solution.evolution import EvolutionSolution

TIMES = 121
PLACES = 301  # at each time, uniform in the moving coordinate
EVEN = 241  # of the picture over space and time
THIN = 0.1  # of the domain: a gate as thick as that marks no front


def evolution_view(solution: EvolutionSolution, asked: Problem) -> Answer:
    evolution, fields = solution.problem.evolution, solution.problem.fields
    assert evolution is not None
    space, time = evolution.space, evolution.time
    times = np.linspace(time.left, solution.reached, TIMES)
    even = np.linspace(space.left, space.right, EVEN)
    x, values, picture, marks = [], [], [], []
    for t in times.tolist():
        piece = solution.record.piece(t)
        x.append(piece.places(t, PLACES))
        values.append(piece.at(x[-1], t))
        picture.append(piece.at(even, t))
        marks.append(gates(piece.gates_at(t), space.length, x[-1]))
    drawn = np.stack(values, axis=1)  # (fields, times, places)
    image = np.stack(picture, axis=1).astype(np.float32)
    arrays: Arrays = {"times": times, "even": even, "frames:x": np.stack(x), "estimates": solution.estimates}
    arrays |= {f"frames:{name}": drawn[f] for f, name in enumerate(fields)}
    arrays |= {f"image:{name}": image[f] for f, name in enumerate(fields)}
    arrays |= {"steps": solution.times}
    header: Header = {
        **figures(solution, asked),
        "view": "evolution",
        "true_error": solution.true_error(),
        "gates": [],
        "marks": marks,
        "paths": [
            {"t": front.t.tolist(), "x": front.x.tolist()}
            for front in solution.fronts
            if front.thickness.min() < THIN * space.length
        ],
        "coordinate": space.name,
        "time": time.name,
        "reached": solution.reached,
        "ends": [space.left, space.right],
        "steps": solution.steps,
        "derivative": 0,
        "ranges": {name: [float(one.min()), float(one.max())] for name, one in zip(fields, drawn, strict=True)},
    }
    return header, arrays


def gates(found: np.ndarray, length: float, x: np.ndarray) -> list[Header]:
    """The fronts at one time, sharp ones first; their place along the moving coordinate comes with them."""
    thin = sorted((thickness, place) for place, thickness in found.T.tolist() if thickness < THIN * length)
    share = np.linspace(0.0, 1.0, x.size)
    return [
        {
            "x": [place],
            "xi": [float(np.interp(place, x, share))],
            "thickness": thickness,
            "words": f"front at {place:.6g}, thickness {thickness:.3g}",
        }
        for thickness, place in thin[:LISTED]
    ]
