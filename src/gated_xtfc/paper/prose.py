"""The prose of the report, read from `prose.toml`: it stands there as text, not between brackets and quotes."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True)
class Prose:
    paragraphs: Mapping[str, tuple[str, ...]]  # what a chapter says first
    bias: tuple[str, ...]  # why the evidence misses nu
    figures: Mapping[str, str]  # captions
    tables: Mapping[str, str]
    reasons: Mapping[tuple[str, str], str]  # why it came out so, by claim and verdict


@cache
def prose() -> Prose:
    text = resources.files("gated_xtfc.paper").joinpath("prose.toml").read_text(encoding="utf-8")
    content = tomllib.loads(text)
    reasons = content.pop("reason")
    captions = {
        kind: {name: told(caption) for one in content.values() for name, caption in one.get(kind, {}).items()}
        for kind in ("figures", "tables")
    }
    return Prose(
        paragraphs={name: tuple(map(told, chapter["paragraphs"])) for name, chapter in content.items()},
        bias=tuple(map(told, content["inverse"]["bias"])),
        reasons={(claim, one["verdict"]): told(one["text"]) for one in reasons for claim in one["claims"]},
        **captions,
    )


def told(text: str) -> str:
    return text.replace("\n", " ")
