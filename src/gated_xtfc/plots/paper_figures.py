"""All figures of the report for which there are records, by name."""

from gated_xtfc.paper.book import Book, tag
from gated_xtfc.paper.chapters import table1 as table1_chapter
from gated_xtfc.paper.chapters.meta import ratios, searches
from gated_xtfc.paper.claims import paper
from gated_xtfc.paper.forward import NUS, SMALLEST
from gated_xtfc.paper.inverse import NUS as INVERSE_NUS
from gated_xtfc.paper.inverse import TRACED
from gated_xtfc.paper.measure import MODEL
from gated_xtfc.paper.meta import SHOWN
from gated_xtfc.paper.state_of_the_art import METHODS
from gated_xtfc.paper.state_of_the_art import NUS as ALL_NUS
from gated_xtfc.plots import paper_forward, paper_inverse, paper_others, paper_poisson

OURS = "our default solver"


def figures(book: Book) -> dict[str, str]:
    parts = (forward, methods, table1, inverse, meta, twin, poisson, sensitivity)
    return {name: drawing for part in parts for name, drawing in part(book).items()}


def forward(book: Book) -> dict[str, str]:
    results = book.results({nu: f"forward/closed-{tag(nu)}" for nu in NUS})
    if not results:
        return {}
    return {
        "sites": paper_forward.sites(results[min(results)]),
        "accuracy": paper_forward.accuracy(results, book.defaults(MODEL.name, NUS)),
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
    here[OURS] = {nu: one["mean_error"] for nu, one in book.defaults(MODEL.name, ALL_NUS).items()}
    return {"methods": paper_others.methods(here, quoted(), OURS)}


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
    keys = {"X-TFC": table1_chapter.FIRST} | {f"gated, {title}": key for title, key in table1_chapter.GATED.items()}
    results, ours = book.results(keys), book.default(MODEL.name, SMALLEST)
    if not results or ours is None:
        return {}
    found = {name: (one["seconds"], one["max_error"], one["neurons"]) for name, one in {**results, OURS: ours}.items()}

    def said(method: str, quantity: str) -> float:
        return paper().claim(f"table1.{method}.{quantity}").value or 0.0

    printed = {
        name: (said(method, "seconds"), said(method, "error"), said(method, "neurons"))
        for name, method in {"X-TFC": "xtfc", "gated": "gated"}.items()
    }
    return {"table1": paper_others.cost_and_error(found, printed, OURS)}


def inverse(book: Book) -> dict[str, str]:
    results, defaults, scans = (
        book.results({nu: f"inverse/{part}-{tag(nu)}" for nu in INVERSE_NUS}) for part in ("closed", "default", "bias")
    )
    drawings = {"inverse-panels": paper_inverse.fields(results, defaults)} if results else {}
    if TRACED in results:
        drawings["inverse-trace"] = paper_inverse.trace(results[TRACED])
    return drawings | ({"inverse-bias": paper_inverse.bias(scans)} if scans else {})


def meta(book: Book) -> dict[str, str]:
    maps, found = book.result("meta/maps"), searches(book)
    drawings = {"meta-maps": paper_others.gate_maps(maps)} if maps is not None else {}
    if found:
        drawings["meta-traces"] = paper_others.both_searches(found[:SHOWN])
        names = {"evaluations": "evaluations", "time": "seconds", "final J": "value"}
        values = {title: ratios(found, name).tolist() for title, name in names.items()}
        drawings["meta-ratios"] = paper_others.search_ratios([one["nu"] for one in found], values)
    return drawings


def twin(book: Book) -> dict[str, str]:
    result = book.result("twin/closed")
    if result is None:
        return {}
    return {
        "twin-profile": paper_forward.twin_profile(result),
        "twin-accuracy": paper_forward.twin_accuracy(result, book.default("twin_layers", SMALLEST)),
        "twin-widths": paper_forward.twin_widths(result),
    }


def poisson(book: Book) -> dict[str, str]:
    results = book.results({variant: f"poisson/{variant}" for variant in paper_poisson.COLOURS})
    differences, ours = book.result("poisson/differences"), book.default("poisson_peak", 1e-2)
    if not results or differences is None:
        return {}
    shown = {f"disk, {variant}": result for variant, result in results.items()} | {"finite differences": differences}
    return {
        "poisson-history": paper_poisson.history(results),
        "poisson-solution": paper_poisson.solution(results, differences, ours),
        "poisson-widths": paper_poisson.widths(next(iter(results.values()))),
        "poisson-errors": paper_poisson.errors(shown if ours is None else {**shown, "our default": ours}),
    }


def sensitivity(book: Book) -> dict[str, str]:
    names = {
        "closed-k1.5": "right end in, k = 1.5",
        "closed-k1": "right end in, k = 1",
        "literal-k1.5": "as printed, k = 1.5",
        "literal-k1": "as printed, k = 1",
    }
    results = book.results({title: f"sensitivity/{key}" for key, title in names.items()})
    record = next((one for one in book if one.section == "sensitivity" and one.done), None)
    if not results or record is None:
        return {}
    return {"maps": paper_others.error_maps(results, record.settings["splits"], record.settings["scales"])}
