# SPDX-License-Identifier: Apache-2.0
"""A figure of the page, and the entry that it is made by: a finding, its definition, its panels."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from gatemark.judge.math.interval import Interval
from gatemark.tell.chart.vega import Part
from gatemark.tell.group.source import Source

S = TypeVar("S")
T = TypeVar("T")
Row = dict[str, str | float | None]
Panel = tuple[str, Part]  # heading (may be empty), specification


@dataclass(frozen=True, slots=True)
class Figure:
    """What a reader sees: the title says the finding, the definition says what was measured.

    `rows` is the table twin and the CSV file; `columns` names its columns with their units. Each
    panel is drawn from `rows` and `extra` by name, so the data stand in the page once.
    """

    name: str  # anchor
    title: str
    definition: str
    panels: tuple[Panel, ...]
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


@dataclass(frozen=True, slots=True)
class Drawn(Generic[T]):
    """What a title, a caption and a form are made from."""

    of: T
    name: str
    rows: Sequence[Row]
    extra: Mapping[str, Sequence[Row]]  # by the names of the entry

    def most(self, *fields: str) -> float:
        """The highest value of these columns, at least nothing."""
        return most(self.rows, *fields)

    def once(self, column: str) -> list[str]:
        """The values of a column in their order, each once."""
        return once(self.rows, column)


@dataclass(frozen=True, kw_only=True)
class Chart(Generic[T]):
    """An entry: what data a kind of figure has, what it says of them, the form that draws it."""

    name: str | Callable[[T], str]
    rows: Callable[[T], Iterable[Row]]  # none: it does not apply
    columns: Mapping[str, str] | Callable[[T], Mapping[str, str]]
    title: Callable[[Drawn[T]], str]
    caption: str | Callable[[Drawn[T]], str]
    form: Callable[[Drawn[T]], Iterable[Panel]]
    extra: Mapping[str, Callable[[T, Sequence[Row]], Iterable[Row]]] = field(default_factory=dict)
    plan: Callable[[T], str] | None = None  # of what is drawn, or of the first of it

    def __call__(self, of: T) -> Figure | None:
        """Return the figure of one set of data; None where it has no rows."""
        name = self.name(of) if callable(self.name) else self.name
        rows = list(self.rows(of))
        if not rows:
            return None
        extra = {key: list(make(of, rows)) for key, make in self.extra.items()}
        drawn = Drawn(of, name, rows, extra)
        return Figure(
            name=name,
            title=self.title(drawn),
            definition=self.caption(drawn) if callable(self.caption) else self.caption,
            panels=tuple(self.form(drawn)),
            rows=rows,
            columns=self.columns(of) if callable(self.columns) else self.columns,
            plan=self.plan(of) if self.plan else _plan(of),
            extra={f"{name}-{key}": rows for key, rows in extra.items()},
        )


class Entries(Generic[T]):
    """Charts of the same data: a page has all of them of the first data, then of the next."""

    def __init__(
        self, data: Callable[[Source], Iterable[T]], *charts: Callable[[T], Figure | None]
    ) -> None:
        self.data, self.charts = data, charts

    def figures(self, source: Source) -> list[Figure]:
        """Return all that a run, or the runs of a page together, have data for."""
        made = (chart(of) for of in self.data(source) for chart in self.charts)
        return [figure for figure in made if figure is not None]


def each(
    column: str, draw: Callable[[Drawn[T], str], Part], heading: Callable[[str], str] = str
) -> Callable[[Drawn[T]], list[Panel]]:
    """A form with a panel for each value of a column."""
    return lambda drawn: [(heading(at), draw(drawn, at)) for at in drawn.once(column)]


def whole(draw: Callable[[Drawn[T]], Part]) -> Callable[[Drawn[T]], list[Panel]]:
    """A form with one panel, which needs no heading."""
    return lambda drawn: [("", draw(drawn))]


def by(chart: Chart[T], make: Callable[[S], T]) -> Callable[[S], Figure | None]:
    """A chart of data that are made of others."""
    return lambda of: chart(make(of))


def _plan(of: Any) -> str:
    """The plan of what is drawn, or of the first of them; empty where there is none."""
    return str(getattr(of[0] if isinstance(of, Sequence) else of, "plan", ""))


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


def numbers(rows: Iterable[Row], *fields: str) -> list[float]:
    """The numbers of these columns that there are."""
    return [float(value) for row in rows for name in fields if (value := row.get(name)) is not None]


def most(rows: Sequence[Row], *fields: str) -> float:
    """The highest value of these columns, at least nothing."""
    return max([0.0, *numbers(rows, *fields)])


def once(rows: Sequence[Row], name: str) -> list[str]:
    """The values of a column in their order, each once."""
    return list(dict.fromkeys(str(row[name]) for row in rows))


def heads(name: str, head: str, unit: str) -> dict[str, str]:
    """Column names of `three`, each with its unit."""
    label = f"{head} ({unit})"
    return {name: label, f"{name}_lo": f"{label}, low", f"{name}_hi": f"{label}, high"}
