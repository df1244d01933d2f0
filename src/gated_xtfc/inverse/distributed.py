"""Unknowns by name, each with its distribution: a posterior, or one of its modes."""

from collections.abc import Mapping
from types import MappingProxyType

from gated_xtfc.inverse.distribution import Distribution


class Distributed:
    """What is told of every unknown by its name."""

    distributions: Mapping[str, Distribution]

    @property
    def mean(self) -> Mapping[str, float]:
        return MappingProxyType({name: one.mean for name, one in self.distributions.items()})

    @property
    def std(self) -> Mapping[str, float]:
        return MappingProxyType({name: one.std for name, one in self.distributions.items()})

    @property
    def _in_words(self) -> str:
        return ", ".join(f"{name} = {one.mean:.4g} ± {one.std:.1g}" for name, one in self.distributions.items())
