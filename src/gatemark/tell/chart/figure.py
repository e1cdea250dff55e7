# SPDX-License-Identifier: Apache-2.0
"""One figure of the page: a finding, its definition, panels, and the rows behind them."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gatemark.judge.math.interval import Interval
from gatemark.tell.chart.vega import Part
from gatemark.tell.group.source import Source

Row = dict[str, str | float | None]


@dataclass(frozen=True, slots=True)
class Figure:
    """What a reader sees: the title says the finding, the definition says what was measured.

    `rows` is the table twin and the CSV file; `columns` names its columns with their units. Each
    panel is drawn from `rows` and `extra` by name, so the data stand in the page once.
    """

    name: str  # anchor
    title: str
    definition: str
    panels: tuple[tuple[str, Part], ...]  # heading (may be empty), specification
    rows: Sequence[Row]
    columns: Mapping[str, str]
    plan: str = ""
    extra: Mapping[str, Sequence[Row]] = field(default_factory=dict)

    def datasets(self) -> dict[str, Sequence[Row]]:
        """Everything that the panels draw, by the name that they draw it by."""
        return {self.name: self.rows, **self.extra}

    def specifications(self) -> list[dict[str, Any]]:
        """The panels as Vega-Lite, without their data: a copy of the caller's own."""
        return [_copy(spec) for _, spec in self.panels]


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of a kind of workload, made of the judged run."""

    of: Callable[[Source], Iterable[Figure | None]]


def _copy(part: Any) -> Any:
    """A part of a specification in which nothing is shared: parts are changed in place."""
    if isinstance(part, dict):
        return {name: _copy(inner) for name, inner in part.items()}
    return [_copy(inner) for inner in part] if isinstance(part, list | tuple) else part


def three(name: str, i: Interval | None) -> Row:
    """An interval as three columns: `name`, `name_lo`, `name_hi`."""
    if i is None:
        return {name: None, f"{name}_lo": None, f"{name}_hi": None}
    return {name: finite(i.value), f"{name}_lo": finite(i.lo), f"{name}_hi": finite(i.hi)}


def finite(value: float) -> float | None:
    """The value, or nothing: JSON has no infinity."""
    return value if math.isfinite(value) else None


def most(rows: Sequence[Row], *fields: str) -> float:
    """The highest value of these columns, at least nothing."""
    return max((float(row.get(name) or 0) for row in rows for name in fields), default=0.0)


def once(rows: Sequence[Row], name: str) -> list[str]:
    """The values of a column in their order, each once."""
    return list(dict.fromkeys(str(row[name]) for row in rows))


def heads(name: str, head: str, unit: str) -> dict[str, str]:
    """Column names of `three`, each with its unit."""
    label = f"{head} ({unit})"
    return {name: label, f"{name}_lo": f"{label}, low", f"{name}_hi": f"{label}, high"}
