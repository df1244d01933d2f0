"""Which members are solved together: those of one structure, or of several where one more program would cost more."""

from collections.abc import Collection, Mapping

from gated_xtfc.batch.family import BatchFamily
from gated_xtfc.batch.partition import PartitionStructure
from gated_xtfc.batch.sight import ODD, covering, structure_of

Group = tuple[PartitionStructure, tuple[int, ...]]  # and the codes that are solved on it
PROGRAM = 2e6  # elements that could be solved while a program for another structure is compiled


def grouped(
    family: BatchFamily,
    counts: Mapping[int, int],
    ratios: Mapping[int, float],
    compiled: Collection[PartitionStructure],
    program: float = PROGRAM,
) -> list[Group]:
    """Structures with the codes that are solved on each: a gate that a member does not need does it no harm."""
    alone = {code: structure_of(family, code, ratios[code]) for code in counts if code != ODD}
    if not alone:
        return []
    numbers = sorted({one.inside for one in alone.values()})
    apart: list[Group] = [(one, (code,)) for code, one in alone.items()]
    alike = [_joint({code: one for code, one in alone.items() if one.inside == number}) for number in numbers]

    def cost(plan: list[Group]) -> float:
        work = sum(one.elements * counts[code] for one, some in plan for code in some)
        return work + program * sum(one not in compiled for one in {one for one, _ in plan})

    return min((apart, alike, [_joint(alone)]), key=cost)


def _joint(structures: Mapping[int, PartitionStructure]) -> Group:
    return covering([*structures.values()]), tuple(structures)
