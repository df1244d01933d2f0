"""Problems of the other kinds, for the gallery of the page: rectangles, fronts, infinite ends, spectra, branches."""

from gated_xtfc.apps.studio.frames import Header

SQUARE = {"x": [0, 1], "y": [0, 1]}


def problem(name: str, look: str, equation: str, domain: object, conditions: list[str], **more: object) -> Header:
    return {
        "name": name,
        "look": look,
        "equations": [equation],
        "domain": domain,
        "conditions": conditions,
        "unknown": [],
        "parameters": {},
        "ranges": {},
        "exact": None,
        "known": False,
        "tol": "1e-6",
        "more": {},
        **more,
    }


SHOWCASE = [
    problem(
        "square_plateau",
        "A square held at zero along its sides: four layers. Choose the gated coordinate to open them.",
        "-eps*(u_xx + u_yy) + u = 1",
        SQUARE,
        ["u = 0 on boundary"],
        parameters={"eps": 1e-4},
        ranges={"eps": [1e-10, 1e-1]},
    ),
    problem(
        "channel_flow",
        "A stream along x in a channel: thin layers at the outflow, thicker ones along the walls.",
        "-eps*(u_xx + u_yy) + u_x = 1",
        SQUARE,
        ["u = 0 on boundary"],
        parameters={"eps": 1e-3},
        ranges={"eps": [1e-6, 1e-1]},
    ),
    problem(
        "travelling_front",
        "A front that travels: press play, or drag the time. Along the gated coordinate it stands still.",
        "u_t + u*u_x = eps*u_xx",
        {"x": [0, 1], "t": [0, 1]},
        ["u(x, 0) = 0.6 - 0.5*tanh((x - 0.2)/(4*eps))", "u(0, t) = 1.1", "u(1, t) = 0.1"],
        parameters={"eps": 1e-3},
        ranges={"eps": [1e-5, 1e-2]},
        tol="1e-5",
    ),
    problem(
        "merging_fronts",
        "The faster front catches up with the slower one: two paths become one.",
        "u_t + u*u_x = eps*u_xx",
        {"x": [0, 1], "t": [0, 1]},
        [
            "u(x, 0) = 1 - 0.25*(1 + tanh((x - 0.25)/(8*eps))) - 0.2*(1 + tanh((x - 0.5)/(10*eps)))",
            "u(0, t) = 1",
            "u(1, t) = 0.1",
        ],
        parameters={"eps": 1e-3},
        ranges={"eps": [1e-4, 1e-2]},
        tol="1e-5",
    ),
    problem(
        "blasius",
        "Flow along a plate, on a domain without an end: the message says where it was cut off, and what that costs.",
        "f''' + f*f''/2 = 0",
        {"x": [0, "inf"]},
        ["f(0) = 0", "f'(0) = 0", "f'(inf) = 1"],
        tol="1e-8",
        more={"derivative": 1},
    ),
    problem(
        "mathieu_spectrum",
        "Eigenvalues of Mathieu's equation: choose one to see its mode, drag q and watch them move.",
        "u'' + (lam - 2*q*cos(2*x))*u = 0",
        {"x": [0, "pi"]},
        ["u'(0) = 0", "u'(pi) = 0"],
        unknown=["lam"],
        parameters={"q": 5},
        ranges={"q": [0, 50]},
        tol="1e-8",
        more={"verb": "eigen", "count": "8"},
    ),
    problem(
        "tunnelling",
        "A double well: its lowest two eigenvalues move together as h falls, one mode even, one odd.",
        "-h^2*u'' + (x^2 - 1)^2*u = lam*u",
        {"x": [-2.5, 2.5]},
        ["u(-2.5) = 0", "u(2.5) = 0"],
        unknown=["lam"],
        parameters={"h": 0.1},
        ranges={"h": [0.02, 1]},
        tol="1e-8",
        more={"verb": "eigen", "count": "6"},
    ),
    problem(
        "bratu_branch",
        "A reaction that heats itself: two solutions below the fold, none beyond. Click on the diagram.",
        "u'' + k*exp(u) = 0",
        {"x": [0, 1]},
        ["u(0) = 0", "u(1) = 0"],
        parameters={"k": 1},
        ranges={"k": [0.1, 5]},
        more={"verb": "branch", "along": "k", "first": "0.5", "last": "4", "show": "max(u)"},
    ),
    problem(
        "allen_cahn_branch",
        "Patterns grow out of nothing: branches leave the zero solution one after the other.",
        "u'' + k*(u - u^3) = 0",
        {"x": [0, 1]},
        ["u(0) = 0", "u(1) = 0"],
        parameters={"k": 5},
        ranges={"k": [1, 60]},
        more={"verb": "branch", "along": "k", "first": "5", "last": "60", "show": "u(0.3)"},
    ),
]
