# SPDX-License-Identifier: Apache-2.0
"""The form of scattered points: markers with whiskers, over a number or side by side over names."""

from collections.abc import Sequence
from typing import Any

from gatemark.tell.chart import vega
from gatemark.tell.chart.vega import Part, Rows, channel

FILLED = {"size": 60, "filled": True}


def side_by_side(base: Rows, x: Part, arms: Sequence[str], color: Part, **more: Any) -> Rows:
    """Rows over names, the arms of each name beside each other."""
    offset = channel("arm:N", sort=list(arms))
    return base.encode(x=x, xOffset=offset, color=color, **more)


def names(field: str, order: Sequence[Any] | None = None, **parts: Any) -> Part:
    """An axis of names in this order, or in that of the rows."""
    sort = None if order is None else list(order)
    return channel(f"{field}:N", sort=sort, **{"title": None, "axis": {"labelAngle": 0}, **parts})


def arms(order: Sequence[str], *, legend: Part | None = None) -> Part:
    """An arm's colour, with a legend of several."""
    shown = {"symbolOpacity": 1, **(legend or {})} if len(order) > 1 else None
    return channel("arm:N", scale=vega.names(order), legend=shown)


def crossed(base: Rows, x: Part, y: Part, **look: Any) -> list[Part]:
    """Whiskers along both axes."""
    titles = [at["title"] for at in (x, y)]
    return [
        base.span("rule", "x", x["field"], titles[0], y=y, **look),
        base.span("rule", "y", y["field"], titles[1], x=x, **look),
    ]
