"""The ten linear problems of the classical test set, every case: tol = 1e-8, default settings."""

import single_thread  # noqa: F401

# isort: split
import cases
from measure import COLUMNS, Record, record, table

HEADER = ("problem", *COLUMNS)


def measure() -> tuple[str, list[Record]]:
    records = [record(case) for case in cases.testset()]
    rows = [(r.case.label, *r.row) for r in records]
    met = [r for r in records if r.error <= r.case.tol]
    honest = sum(r.status == "converged" for r in met)
    silent = [r.case.label for r in records if r.error > r.case.tol and r.status == "converged"]
    return (
        "tol = 1e-8; the error is the largest at the reference points, relative to max(1, max|u|).\n\n"
        f"{table(HEADER, rows)}\n\n"
        f"Error at most 1e-8: {len(met)} of {len(records)}, {honest} of them reported as converged. "
        f"Reported as converged with a larger error: {'; '.join(silent) or 'none'}.",
        records,
    )


if __name__ == "__main__":
    print(measure()[0])
