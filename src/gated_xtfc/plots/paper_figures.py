"""All figures of the report for which there are records, by name."""

from gated_xtfc.paper.book import Book, tag
from gated_xtfc.paper.expected import paper
from gated_xtfc.paper.forward import NUS, SHORT
from gated_xtfc.paper.state_of_the_art import METHODS
from gated_xtfc.paper.state_of_the_art import NUS as ALL_NUS
from gated_xtfc.plots import paper_forward, paper_others

OURS = "our default solver"
MODEL, NU = "convection_diffusion", 1e-4


def figures(book: Book) -> dict[str, str]:
    return {**forward(book), **methods(book), **table1(book), **twin(book), **sensitivity(book)}


def forward(book: Book) -> dict[str, str]:
    found = {nu: book.result(f"forward/closed-{tag(nu)}") for nu in NUS}
    results = {nu: result for nu, result in found.items() if result is not None}
    if not results:
        return {}
    defaults = {nu: result for nu in results if (result := book.default(MODEL, nu)) is not None}
    return {
        "sites": paper_forward.sites(results[min(results)]),
        "accuracy": paper_forward.accuracy(results, defaults),
        "widths": paper_forward.widths(results),
        "profiles": paper_forward.profiles(results),
        "traces": paper_forward.traces(results),
    }


def methods(book: Book) -> dict[str, str]:
    here: dict[str, dict[float, float]] = {}
    for key, title in METHODS.items():
        values = {nu: book.value(f"state_of_the_art/{key}-{tag(nu)}", "mean_error") for nu in ALL_NUS}
        here[title] = {nu: value for nu, value in values.items() if value is not None}
    if not any(here.values()):
        return {}
    ours = {nu: result["mean_error"] for nu in ALL_NUS if (result := book.default(MODEL, nu)) is not None}
    return {"methods": paper_others.methods({**here, OURS: ours}, quoted(), OURS)}


def quoted() -> dict[str, dict[float, float]]:
    """The errors that the paper quotes, by method and nu; those of X-TFC beside its random features."""
    found: dict[str, dict[float, float]] = {}
    for claim in paper().claims:
        if claim.section == "state_of_the_art" and claim.value is not None:
            _, method, nu = claim.id.split(".")
            title = METHODS["xtfc-random" if method == "xtfc" else method]
            found.setdefault(title, {})[float(nu)] = claim.value
    return found


def table1(book: Book) -> dict[str, str]:
    keys = {"X-TFC": f"table1/xtfc-k1.5-{tag(NU)}"}
    keys |= {f"gated, {SHORT[variant]}": f"forward/{variant}-{tag(NU)}" for variant in SHORT}
    results = {name: result for name, key in keys.items() if (result := book.result(key)) is not None}
    ours = book.default(MODEL, NU)
    if not results or ours is None:
        return {}
    lines = {name: (one["seconds"], one["max_error"], one["neurons"]) for name, one in {**results, OURS: ours}.items()}
    claims = {claim.id: claim.value or 0.0 for claim in paper().claims}
    printed = {
        name: tuple(claims[f"table1.{key}.{quantity}"] for quantity in ("seconds", "error", "neurons"))
        for name, key in {"X-TFC": "xtfc", "gated": "gated"}.items()
    }
    return {"table1": paper_others.cost_and_error(lines, printed, OURS)}  # type: ignore[arg-type]


def twin(book: Book) -> dict[str, str]:
    result = book.result("twin/closed")
    if result is None:
        return {}
    return {
        "twin-profile": paper_others.twin_profile(result),
        "twin-accuracy": paper_others.twin_accuracy(result, book.default("twin_layers", NU)),
        "twin-widths": paper_others.twin_widths(result),
    }


def sensitivity(book: Book) -> dict[str, str]:
    names = {
        "closed-k1.5": "right end in, k = 1.5",
        "closed-k1": "right end in, k = 1",
        "literal-k1.5": "as printed, k = 1.5",
        "literal-k1": "as printed, k = 1",
    }
    results = {title: result for key, title in names.items() if (result := book.result(f"sensitivity/{key}"))}
    record = next((one for one in book if one.section == "sensitivity" and one.done), None)
    if not results or record is None:
        return {}
    return {"maps": paper_others.maps(results, record.settings["splits"], record.settings["scales"])}
