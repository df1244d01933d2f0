"""Accuracy on the two problems of the paper: tol = 1e-10, default settings, the true error on 20,000 points."""

import single_thread  # noqa: F401

# isort: split
from cases import convection_diffusion, twin_layers
from measure import COLUMNS, Record, record, table

HEADER = ("nu", *COLUMNS)


def measure() -> tuple[str, list[Record]]:
    parts, everything = [], []
    for title, cases, limit in (
        ("Convection-diffusion `u' - nu*u'' = 0`", convection_diffusion(), 300),
        ("Twin layers `2*(2*x-1)*u' - nu*u'' + 4*u = 0`", twin_layers(), 600),
    ):
        records = [record(case) for case in cases]
        rows = [(f"{r.case.small:.0e}", *r.row) for r in records]
        good = sum(r.error <= r.case.tol and r.neurons <= limit for r in records)
        parts.append(
            f"{title}, tol = 1e-10; the error is the largest on 20,000 points, half of them inside the layers.\n\n"
            f"{table(HEADER, rows)}\n\n"
            f"True error at most 1e-10 with at most {limit} neurons: {good} of {len(records)}; "
            f"largest error {max(r.error for r in records):.1e}, most neurons {max(r.neurons for r in records)}."
        )
        everything += records
    return "\n\n".join(parts), everything


if __name__ == "__main__":
    print(measure()[0])
