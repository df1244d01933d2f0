"""Reliability of the estimate: true error over `solution.error`, on the cases of the tables and 200 random problems."""

import single_thread  # noqa: F401

# isort: split
from itertools import cycle
from statistics import median

import numpy as np

import accuracy
import testset
from cases import Case
from gated_xtfc.zoo.random_layers import KINDS, draw
from measure import Record, milliseconds, record, table

SEED, COUNT, TOL = 2024, 200, 1e-8


def random_cases(count: int = COUNT, tol: float = TOL) -> list[Case]:
    """Problems with known solutions: variable coefficients, layers at ends and inside, needles, Robin conditions."""
    random = np.random.default_rng(SEED)
    found = []
    for number, kind in zip(range(count), cycle(KINDS), strict=False):
        family = draw(random, kind)
        problem, x = family.problem(), family.points(4_000)
        found.append(
            Case(family.name, f"{number}: {family.name}", family.values[0], problem, tol, x, problem.exact(x), None)
        )
    return found


def summary(name: str, records: list[Record]) -> tuple[str, ...]:
    """A row; rounding sets a floor below which a true error is luck, so estimates are compared with at least 1e-15."""
    ratios = [r.ratio for r in records]
    cautious = [r.estimate / max(r.error, 1e-15) for r in records]
    worst = max(records, key=lambda r: r.ratio)
    return (
        name,
        str(len(records)),
        f"{max(ratios):.2g} ({worst.case.label})",
        str(sum(ratio > 3 for ratio in ratios)),
        f"{median(cautious):.0f}",
        f"{max(cautious):.1e}",
    )


def measure(known: list[Record] | None = None) -> str:
    known = known or accuracy.measure()[1] + testset.measure()[1]
    drawn = [record(case, repeat=False) for case in random_cases()]
    header = ("cases", "number", "largest true/estimate", "above 3", "median estimate/true", "largest estimate/true")
    summaries = [summary("tables above", known), summary("random problems", drawn)]
    kinds = sorted({r.case.group.removesuffix(", Robin") for r in drawn})
    by_kind = []
    for kind in kinds:
        of_kind = [r for r in drawn if r.case.group.removesuffix(", Robin") == kind]
        met = [r for r in of_kind if r.error <= r.case.tol]
        by_kind.append(
            (
                kind,
                str(len(of_kind)),
                f"{len(met)}",
                f"{sum(r.status == 'converged' for r in of_kind)}",
                f"{max(r.error for r in of_kind):.1e}",
                f"{max(r.ratio for r in of_kind):.2g}",
                milliseconds(median(r.seconds for r in of_kind)),
                milliseconds(max(r.seconds for r in of_kind)),
            )
        )
    missed = [r for r in drawn if r.error > r.case.tol or r.status != "converged" or r.ratio > 3]
    lost = [
        (r.case.label, f"{r.case.small:.1e}", f"{r.error:.1e}", f"{r.estimate:.1e}", r.status, str(r.neurons))
        for r in sorted(missed, key=lambda r: -r.error)
    ]
    parts = [
        table(header, summaries),
        f"{COUNT} random problems with known solutions (seed {SEED}), tol = 1e-8, by kind:",
        table(
            ("kind", "number", "error <= 1e-8", "converged", "largest error", "true/estimate", "median ms", "max ms"),
            by_kind,
        ),
    ]
    if lost:
        parts += [
            "Those not solved, not reported as converged, or with an estimate more than three times too low:",
            table(("problem", "eps", "true error", "estimate", "status", "neurons"), lost),
        ]
    return "\n\n".join(parts)


if __name__ == "__main__":
    print(measure())
