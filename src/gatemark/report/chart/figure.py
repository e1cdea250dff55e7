# SPDX-License-Identifier: Apache-2.0
"""One figure of the page: a finding, its definition, panels, and the rows behind them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import altair as alt

from gatemark.stats.math.interval import Interval

Row = dict[str, str | float | None]
Chart = alt.LayerChart | alt.FacetChart

# The page has a style of its own. Its Vega-Lite is older than Altair's, and draws the same of it.
NOT_KEPT: Final = ("config", "$schema")


@dataclass(frozen=True, slots=True)
class Figure:
    """What a reader sees: the title says the finding, the definition says what was measured.

    `rows` is the table twin and the CSV file; `columns` names its columns with their units. Each
    panel is drawn from `rows` and `extra` by name, so the data stand in the page once.
    """

    name: str  # anchor
    title: str
    definition: str
    panels: tuple[tuple[str, Chart], ...]  # heading (may be empty), chart
    rows: Sequence[Row]
    columns: Mapping[str, str]
    plan: str = ""
    extra: Mapping[str, Sequence[Row]] = field(default_factory=dict)

    def datasets(self) -> dict[str, Sequence[Row]]:
        """Everything that the panels draw, by the name that they draw it by."""
        return {self.name: self.rows, **self.extra}

    def specifications(self) -> list[dict[str, Any]]:
        """The panels as Vega-Lite, without their data; that they are valid is the tests' care."""
        made = [chart.to_dict(validate=False) for _, chart in self.panels]
        return [{key: part for key, part in spec.items() if key not in NOT_KEPT} for spec in made]

    def alone(self, panel: int = 0) -> Chart:
        """One panel with its data in it, to draw outside the page."""
        chart = self.panels[panel][1].copy(deep=True)
        chart.datasets = {name: list(rows) for name, rows in self.datasets().items()}
        return chart


def named(name: str) -> alt.NamedData:
    """A reference to rows that the page (or `Figure.alone`) supplies."""
    return alt.NamedData(name=name)


def three(name: str, i: Interval | None) -> Row:
    """An interval as three columns: `name`, `name_lo`, `name_hi`."""
    if i is None:
        return {name: None, f"{name}_lo": None, f"{name}_hi": None}
    return {name: finite(i.value), f"{name}_lo": finite(i.lo), f"{name}_hi": finite(i.hi)}


def finite(value: float) -> float | None:
    """The value, or nothing: JSON has no infinity."""
    return value if math.isfinite(value) else None


def heads(name: str, head: str, unit: str) -> dict[str, str]:
    """Column names of `three`, each with its unit."""
    label = f"{head} ({unit})"
    return {name: label, f"{name}_lo": f"{label}, low", f"{name}_hi": f"{label}, high"}
