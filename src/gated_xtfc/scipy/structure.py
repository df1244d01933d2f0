"""What a first-order system is made of: fields that do not see each other, and chains y_0' = y_1, y_1' = y_2, ...

Fields in different groups share no equation and no condition: each group is a problem of its own. The cost of one grows
with the cube of its fields, that of many with their number alone. A chain is one field of higher order.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gated_xtfc.language.field import HIGHEST_ORDER
from gated_xtfc.types import Array, Mask


@dataclass(frozen=True)
class FieldGroup:
    """Fields, unknown constants and conditions that belong together."""

    chains: tuple[tuple[int, ...], ...]  # of fields: each is the derivative of the one before
    constants: tuple[int, ...]
    conditions: tuple[int, ...]

    @property
    def fields(self) -> tuple[int, ...]:
        return tuple(sorted(field for chain in self.chains for field in chain))


def groups(slope: Mask, constants: Mask, ends: Mask, chains: Sequence[tuple[int, ...]]) -> tuple[FieldGroup, ...]:
    """Groups by which entries of the Jacobians are not zero.

    `slope` (n, n) are those of the equations by field, `constants` (n, k) those by unknown constant, `ends`
    (n + k, n + k) those of the conditions by field, at either end, and by constant.
    """
    n, k = constants.shape
    coupled = np.zeros((n + k, n + k), dtype=bool)
    coupled[:n, :n], coupled[:n, n:] = slope | np.eye(n, dtype=bool), constants
    seen = ends.astype(float)
    coupled |= seen.T @ seen > 0.0
    label = _connected(coupled | coupled.T)
    condition_label = [int(label[row.argmax()]) if row.any() else -1 for row in ends]
    found = []
    for one in sorted(set(label.tolist())):
        found.append(
            FieldGroup(
                tuple(chain for chain in chains if label[chain[0]] == one),
                tuple(j for j in range(k) if label[n + j] == one),
                tuple(i for i, own in enumerate(condition_label) if own == one),
            )
        )
    return tuple(found)


def chains(next_of: Sequence[int | None]) -> tuple[tuple[int, ...], ...]:
    """Chains from y_i' = y_j, where `next_of[i]` is j; every field is in one, alone if need be."""
    heads = set(range(len(next_of)))
    link: dict[int, int] = {}
    for i, j in enumerate(next_of):
        if j is not None and j in heads and j != i and not _leads(link, j, i):
            link[i] = j
            heads.discard(j)
    found = []
    for head in sorted(heads):
        whole = [head]
        while whole[-1] in link:
            whole.append(link[whole[-1]])
        found += [tuple(whole[at : at + HIGHEST_ORDER]) for at in range(0, len(whole), HIGHEST_ORDER)]
    return tuple(found)


def _leads(link: dict[int, int], start: int, goal: int) -> bool:
    at: int | None = start
    while at is not None:
        if at == goal:
            return True
        at = link.get(at)
    return False


def _connected(coupled: Mask) -> Array:
    """A number for every node, the same for those that are connected."""
    label = np.full(len(coupled), -1)
    for start in range(len(coupled)):
        if label[start] >= 0:
            continue
        waiting = [start]
        while waiting:
            at = waiting.pop()
            if label[at] < 0:
                label[at] = start
                waiting += np.flatnonzero(coupled[at] & (label < 0)).tolist()
    return label
