"""The points of a sweep: a Cartesian grid, a list, or a design that fills a box evenly or at random."""

import math
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gated_xtfc.errors import InputError, quoted
from gated_xtfc.problem.domain import real
from gated_xtfc.ranges import Range
from gated_xtfc.types import Array

MOST = 50_000_000  # points that are kept in memory without a second thought
LIKE = '{"nu": [1e-4, 1e-3]}'

Values = float | Iterable[float]
Bounds = Range | tuple[float, float] | tuple[float, float, str]
Over: TypeAlias = "Design | Mapping[str, Values] | Sequence[Mapping[str, float]]"


@dataclass(frozen=True, eq=False)
class Design:
    """The points of a sweep.

    Wherever a design is expected, ``{"nu": values}`` and ``[{"nu": 1e-4}, ...]`` will do as well.

    Attributes
    ----------
    names
        Of the parameters.
    points
        Their values, (n, d): a row for each point, a column for each name.

    Examples
    --------
    >>> import gated_xtfc as gx
    >>> design = gx.Design.sobol({"nu": (1e-6, 1, "log"), "a": (0, 2)}, 64, seed=0)
    >>> len(design), design.names
    (64, ('nu', 'a'))
    >>> int((design.points[:, 0] < 1e-3).sum())
    32
    """

    names: tuple[str, ...]
    points: Array

    def __post_init__(self) -> None:
        if not self.names or self.points.ndim != 2 or self.points.shape[1] != len(self.names):
            raise InputError(f"a design needs a column for each parameter: give it like {LIKE}")
        if not len(self.points):
            raise InputError(f"the design has no points: give at least one value, like {LIKE}")
        for name, column in zip(self.names, self.points.T, strict=True):
            if not np.isfinite(column).all():
                raise InputError(f"the values of {name} contain NaN or infinity: give finite numbers")
        # -0.0 and 0.0 are the same point
        object.__setattr__(self, "points", self.points + 0.0)

    def __len__(self) -> int:
        return len(self.points)

    @classmethod
    def of(cls, over: Over) -> "Design":
        """The design that somebody means.

        Parameters
        ----------
        over
            A Design, which is returned as it is; a mapping to values, which is a `grid`; a list of mappings, which is
            a list of points (`listed`).

        Returns
        -------
        Design

        Raises
        ------
        InputError
            Where it is none of these, or a value is no finite number.

        Examples
        --------
        >>> import gated_xtfc as gx
        >>> gx.Design.of({"nu": [1e-4, 1e-3]}).points.tolist()
        [[0.0001], [0.001]]
        """
        given: object = over
        if isinstance(given, Design):
            return given
        if isinstance(given, Mapping):
            return cls.grid(given)
        if isinstance(given, Sequence) and not isinstance(given, str):
            return cls.listed(given)
        raise InputError(f"a sweep goes over values like {LIKE}, a list of points or a Design, not {quoted(str(over))}")

    @classmethod
    def grid(cls, values: Mapping[str, Values]) -> "Design":
        """Every combination of values.

        Parameters
        ----------
        values
            A number or several of each parameter, by name. The last parameter changes fastest.

        Returns
        -------
        Design

        Raises
        ------
        InputError
            Where a value is no finite number, or there are none, or far too many combinations.

        Examples
        --------
        >>> import gated_xtfc as gx
        >>> gx.Design.grid({"nu": [0.1, 0.01], "a": [1, 2]}).points.tolist()
        [[0.1, 1.0], [0.1, 2.0], [0.01, 1.0], [0.01, 2.0]]
        """
        check_count(math.prod(len(given) for given in values.values() if isinstance(given, Sized)))
        columns = {str(name): _values(given, str(name)) for name, given in values.items()}
        check_count(math.prod(len(column) for column in columns.values()))
        if not columns:
            return cls((), np.zeros((1, 0)))
        mesh = np.meshgrid(*(np.array(column, dtype=float) for column in columns.values()), indexing="ij")
        return cls(tuple(columns), np.stack(mesh, axis=-1).reshape(-1, len(columns)))

    @classmethod
    def listed(cls, points: Sequence[Mapping[str, float]]) -> "Design":
        """These points and no others.

        Parameters
        ----------
        points
            Of each point the values by name; all have the same names.

        Returns
        -------
        Design

        Raises
        ------
        InputError
            Where there are no points, their names differ, or a value is no finite number.

        Examples
        --------
        >>> import gated_xtfc as gx
        >>> gx.Design.listed([{"nu": 1e-4, "a": 1}, {"nu": 1e-3, "a": 2}]).points.tolist()
        [[0.0001, 1.0], [0.001, 2.0]]
        """
        if not points or not all(isinstance(point, Mapping) and point for point in points):
            raise InputError('a list of points is given like [{"nu": 1e-4}, {"nu": 1e-3}]')
        names = tuple(map(str, points[0]))
        for point in points:
            if set(map(str, point)) != set(names):
                raise InputError(
                    f"the point {quoted(str(dict(point)))} must give a value to {', '.join(names)}, no more"
                )
        rows = [[real(point[name], f"the value of {name}") for name in names] for point in points]
        return cls(names, np.array(rows, dtype=float))

    @classmethod
    def random(cls, bounds: Mapping[str, Bounds], count: int, seed: int) -> "Design":
        """Independent points in a box.

        Parameters
        ----------
        bounds
            Of each parameter two ends and, where it is not "linear", the scale on which points are spread evenly:
            ``{"nu": (1e-8, 1, "log"), "p": (0.8, 0.999, "logit"), "a": (0, 1)}``.
        count
            How many points.
        seed
            Of the random numbers: the same one gives the same points.

        Returns
        -------
        Design

        Raises
        ------
        InputError
            Where the bounds or the count cannot be used.

        Examples
        --------
        >>> import gated_xtfc as gx
        >>> design = gx.Design.random({"nu": (1e-8, 1, "log")}, 100, seed=0)
        >>> bool((design.points >= 1e-8).all() and (design.points <= 1).all())
        True
        """
        box = box_of(bounds)
        return cls._placed(box, np.random.default_rng(seed).random((_count(count), len(box))))

    @classmethod
    def sobol(cls, bounds: Mapping[str, Bounds], count: int, seed: int) -> "Design":
        """Points that fill a box more evenly than random ones: a scrambled Sobol sequence.

        Parameters
        ----------
        bounds
            Of each parameter two ends and, where it is not "linear", the scale, as for `random`.
        count
            How many points; powers of two fill the box best.
        seed
            Of the scrambling: the same one gives the same points.

        Returns
        -------
        Design

        Raises
        ------
        InputError
            Where the bounds or the count cannot be used.

        Examples
        --------
        >>> import gated_xtfc as gx
        >>> points = gx.Design.sobol({"a": (0, 4)}, 4, seed=0).points
        >>> sorted(int(a) for a in points[:, 0])
        [0, 1, 2, 3]
        """
        from scipy.stats.qmc import Sobol  # takes longer to import than a small sweep takes to run

        box, count = box_of(bounds), _count(count)
        # whole powers of two keep the balance of the sequence, and its author's warning away
        drawn = Sobol(len(box), seed=seed).random_base2(math.ceil(math.log2(count)))[:count]
        return cls._placed(box, drawn)

    @classmethod
    def _placed(cls, box: dict[str, Range], drawn: Array) -> "Design":
        # one by one: a store knows a point by its bits, and the last bit of NumPy's power depends on the processor
        columns = [[one.place(s) for s in column] for one, column in zip(box.values(), drawn.T.tolist(), strict=True)]
        return cls(tuple(box), np.array(columns, dtype=float).T)

    def neighbours(self) -> list[int]:
        """The order of points in which each is close to the one before: along a curve that visits small boxes in turn.

        Largest values first: as a rule the easier members, on which the harder ones can build.
        """
        bits = max(1, min(16, 62 // len(self.names)))
        codes = np.zeros(len(self.points), dtype=np.int64)
        cells = [_cells(column, bits) for column in self.points.T]
        for bit in reversed(range(bits)):
            for cell in cells:
                codes = 2 * codes + ((cell >> bit) & 1)
        # where cells hold several points, their values decide
        keys = [-column for column in self.points.T[::-1]]
        return [int(i) for i in np.lexsort([*keys, codes])]


def box_of(bounds: Mapping[str, Bounds]) -> dict[str, Range]:
    """{"nu": (1e-4, 1, "log"), "a": (0, 1)} or the same with Ranges, read and checked."""
    if not isinstance(bounds, Mapping) or not bounds:
        raise InputError(f'bounds are given like {{"nu": (1e-4, 1, "log")}}, not as {quoted(str(bounds))}')
    found = {}
    for name, given in bounds.items():
        if isinstance(given, Range):
            found[str(name)] = given
            continue
        if not isinstance(given, list | tuple) or len(given) not in (2, 3):
            raise InputError(
                f'the bounds of {name} are two ends and, where wanted, a scale, like (1e-4, 1, "log"), '
                f"not {quoted(str(given))}"
            )
        low, high = (real(end, f"a bound of {name}") for end in given[:2])
        found[str(name)] = Range(low, high, *given[2:])
    return found


def _values(given: object, name: str) -> list[float]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        given = [given]
    # one more than allowed is enough to see that there are too many
    if isinstance(given, np.ndarray) and given.dtype == np.float64 and given.ndim == 1:
        plain: list[float] = given[: MOST + 1].tolist()
        return plain
    return [real(value, f"the value of {name}") for value in islice(given, MOST + 1)]


def check_count(count: int) -> None:
    """Refuses too many points, before they are made."""
    if count > MOST:
        raise InputError(f"the grid has {count} points: at most {MOST} go into one sweep")


def _count(count: int) -> int:
    if not isinstance(count, int | np.integer) or isinstance(count, bool) or not 1 <= count <= MOST:
        raise InputError(f"{count!r} points were asked for: give a whole number from 1 to {MOST}")
    return int(count)


def _cells(column: Array, bits: int) -> NDArray[np.int64]:
    """Which of 2^bits slices of its range a value is in, the largest values in slice 0; positive ones by magnitude."""
    scaled = np.log(column) if column.min() > 0.0 else column
    span = scaled.max() - scaled.min()
    part = (scaled.max() - scaled) / span if span > 0.0 else np.zeros_like(scaled)
    return np.asarray(np.minimum((part * 2**bits).astype(np.int64), 2**bits - 1))
