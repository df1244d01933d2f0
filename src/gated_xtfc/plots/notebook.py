"""What a notebook shows of a solution: the verdict, and the picture below it."""

from base64 import b64encode
from math import isfinite

from gated_xtfc.plots.figure import draw, image
from gated_xtfc.plots.panel import plural
from gated_xtfc.solution.base import Solution
from gated_xtfc.solution.html import BAD, GOOD, MIDDLING, verdict


def solution_html(solution: Solution) -> str:
    known = isfinite(solution.error)
    facts = [
        f"error estimate {solution.error:.1e}, tolerance {solution.tol:.1e}" if known else "no error estimate",
        *(f"{name} = {value:.10g}" for name, value in solution.constants.items()),
        plural(solution.neurons, "neuron"),
        f"{solution.seconds:.2g} s",
        *([] if solution.converged else [solution.message]),
        *solution.warnings,
    ]
    colour = GOOD if solution.converged else MIDDLING if known else BAD
    picture = b64encode(image(draw(solution), "png")).decode("ascii")
    equations = "; ".join(solution.problem.texts)
    about = equations.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    style = "max-width:100%;background:#fff"
    told = verdict(str(solution.status), colour, facts)
    return f'{told}<img style="{style}" alt="The solution of {about}" src="data:image/png;base64,{picture}">'
