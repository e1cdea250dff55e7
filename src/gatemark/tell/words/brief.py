# SPDX-License-Identifier: Apache-2.0
"""A small table of the first answer, and the cells that all of them have."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from gatemark.judge.judgement import Limit, PointResult
from gatemark.tell.words import headline, number
from gatemark.tell.words.number import PERCENT, Scale
from gatemark.tell.words.table import NONE, aligned

US: Final = Scale(1e3, "µs")
MS: Final = Scale(1e6, "ms")
COLUMNS: Final = 80  # a table that would be wider has narrower gaps
NAMES: Final = ("", "")  # the head of the first column
Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Brief:
    """A small table; the first column has names, the others numbers. A head has a line of units."""

    caption: str
    heads: tuple[tuple[str, str], ...]  # head and unit
    rows: tuple[Row, ...]

    def lines(self) -> list[str]:
        """Two lines of heads, then the rows; decimal points stand below each other."""
        table = zip(self.heads, *self.rows, strict=True)
        columns = [_column(head, [*cells]) for head, *cells in table]
        width = sum(len(column[0]) for column in columns) + 2 * (len(columns) - 1)
        gap = "  " if width <= COLUMNS else " "
        return [gap.join(cells).rstrip() for cells in zip(*columns, strict=True)]


def _column(head: tuple[str, str], cells: list[str]) -> list[str]:
    if head == NAMES:
        width = max(map(len, cells))
        return [" " * width, " " * width, *(cell.ljust(width) for cell in cells)]
    body = aligned(cells)
    inner = max(map(len, body))
    width = max(inner, *map(len, head))
    return [*(text.rjust(width) for text in head), *(c.ljust(inner).rjust(width) for c in body)]


def value(point: PointResult | None, quantity: str, to: Scale) -> str:
    """A value with the digits that its interval leaves it; a dash where it was not measured."""
    if point is None or quantity not in point.values:
        return NONE
    return number.value_alone(point.values[quantity], to)


def limited(limits: Mapping[str, Limit], points: Iterable[PointResult]) -> str:
    """The bottleneck of each arm, as a caption ends: `: CPU 98 to 99 % busy`."""
    if not limits:
        return ""
    if {*limits.values()} != {"cpu"}:
        keys = dict.fromkeys(limits.values())
        whose = {key: "" if len(keys) == 1 else f" ({_those(limits, key)})" for key in keys}
        parts = [f"{headline.bottleneck(key)}{text}" for key, text in whose.items()]
        return f": bottleneck {', '.join(parts)}"
    shares = sorted(p.values["cpu_busy"].value for p in points if "cpu_busy" in p.values)
    if not shares:
        return ": bottleneck CPU"
    ends = [number.plain(share / PERCENT.factor, 0) for share in shares[:: max(1, len(shares) - 1)]]
    return f": CPU {' to '.join(dict.fromkeys(ends))} % busy"


def _those(limits: Mapping[str, Limit], limit: Limit) -> str:
    return ", ".join(arm for arm, own in limits.items() if own == limit)
