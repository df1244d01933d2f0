"""What the paper printed, read from `expected.toml`."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

KINDS = ("count", "order", "percent", "seconds", "ratio", "trend", "failure")


@dataclass(frozen=True)
class Claim:
    id: str
    section: str
    what: str  # in our words
    printed: str  # letter by letter
    kind: str
    place: str  # where in the paper
    value: float | None = None


@dataclass(frozen=True)
class Paper:
    title: str
    authors: str
    machine: str
    claims: tuple[Claim, ...]

    def claim(self, name: str) -> Claim:
        return next(claim for claim in self.claims if claim.id == name)


@cache
def paper() -> Paper:
    text = resources.files("gated_xtfc.paper").joinpath("expected.toml").read_text(encoding="utf-8")
    content = tomllib.loads(text)
    claims = tuple(Claim(**entry) for entry in content.pop("claim"))
    return Paper(claims=claims, **content)
