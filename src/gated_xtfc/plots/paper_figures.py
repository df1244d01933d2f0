"""All figures of the report for which there are records, by name."""

from gated_xtfc.paper.book import Book, tag
from gated_xtfc.paper.chapters.meta import ratios, searches
from gated_xtfc.paper.claims import paper
from gated_xtfc.paper.forward import NUS, SHORT
from gated_xtfc.paper.inverse import NUS as INVERSE_NUS
from gated_xtfc.paper.inverse import TRACED
from gated_xtfc.paper.meta import SHOWN
from gated_xtfc.paper.state_of_the_art import METHODS
from gated_xtfc.paper.state_of_the_art import NUS as ALL_NUS
from gated_xtfc.plots import paper_forward, paper_inverse, paper_meta, paper_others, paper_poisson

OURS = "our default solver"
MODEL, NU = "convection_diffusion", 1e-4


def figures(book: Book) -> dict[str, str]:
    parts = (forward, methods, table1, inverse, meta, twin, poisson, sensitivity)
    return {name: drawing for part in parts for name, drawing in part(book).items()}


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


def inverse(book: Book) -> dict[str, str]:
    parts = ("closed", "default", "bias")
    found = {part: {nu: book.result(f"inverse/{part}-{tag(nu)}") for nu in INVERSE_NUS} for part in parts}
    results, defaults, scans = (
        {nu: result for nu, result in found[part].items() if result is not None} for part in parts
    )
    drawings = {"inverse-panels": paper_inverse.panels(results, defaults)} if results else {}
    if TRACED in results:
        drawings["inverse-trace"] = paper_inverse.trace(results[TRACED])
    return drawings | ({"inverse-bias": paper_inverse.bias(scans)} if scans else {})


def meta(book: Book) -> dict[str, str]:
    maps, found = book.result("meta/maps"), searches(book)
    drawings = {"meta-maps": paper_meta.maps(maps)} if maps is not None else {}
    if found:
        drawings["meta-traces"] = paper_meta.traces(found[:SHOWN])
        names = {"evaluations": "evaluations", "time": "seconds", "final J": "value"}
        values = {title: ratios(found, name).tolist() for title, name in names.items()}
        drawings["meta-ratios"] = paper_meta.ratios([one["nu"] for one in found], values)
    return drawings


def twin(book: Book) -> dict[str, str]:
    result = book.result("twin/closed")
    if result is None:
        return {}
    return {
        "twin-profile": paper_others.twin_profile(result),
        "twin-accuracy": paper_others.twin_accuracy(result, book.default("twin_layers", NU)),
        "twin-widths": paper_others.twin_widths(result),
    }


def poisson(book: Book) -> dict[str, str]:
    found = {variant: book.result(f"poisson/{variant}") for variant in paper_poisson.NAMES}
    results = {variant: result for variant, result in found.items() if result is not None}
    differences, ours = book.result("poisson/differences"), book.default("poisson_peak", 1e-2)
    if not results or differences is None:
        return {}
    shown = {f"disk, {paper_poisson.NAMES[variant]}": result for variant, result in results.items()}
    shown |= {"finite differences": differences} | ({"our default": ours} if ours is not None else {})
    return {
        "poisson-history": paper_poisson.history(results),
        "poisson-solution": paper_poisson.solution(results, differences, ours),
        "poisson-widths": paper_poisson.widths(next(iter(results.values()))),
        "poisson-errors": paper_poisson.errors(shown),
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
