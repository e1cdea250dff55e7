# SPDX-License-Identifier: Apache-2.0
"""The form of curves: a line for each arm, its band or whiskers, markers, names at the lines."""

from collections.abc import Mapping, Sequence
from typing import Any

from gatemark.tell.chart import theme, vega
from gatemark.tell.chart.vega import Part, Rows


def line(
    base: Rows,
    field: str,
    scales: Mapping[str, Any],
    arms: Sequence[str],
    tips: Sequence[Part] = (),
    texts: Sequence[str] | None = None,
) -> list[Part]:
    """Band of the interval, line of the medians, a marker at each point.

    `texts` are the arms that a legend names; without it the theme decides.
    """
    color, at = theme.color(arms, texts), {"x": scales["x"], "y": scales["y"]}
    dash, shape = theme.dash(arms, texts), theme.shape(arms, texts)
    band = {"x": at["x"], "color": color, "opacity": 0.2}
    return [
        base.span("area", "y", field, at["y"]["title"], **band),
        base.mark("line", **at, color=color, strokeDash=dash, strokeWidth=2),
        dots(base, **at, color=color, shape=shape, tooltip=list(tips) or tooltip(field)),
    ]


def dots(base: Rows, **parts: Any) -> Part:
    """Filled markers."""
    return base.mark("point", **{"filled": True, "size": 38, "opacity": 1, **parts})


def sided(
    base: Rows, arms: Sequence[str], field: str, place: Part, shift: float = 1, **reckoned: str
) -> list[Part]:
    """Names left or right of their places, as each row's `side` says; none where a legend is."""
    look = {"text": f"{field}:N", "color": theme.color(arms), "style": "label"}
    return [
        base.where(side=side)
        .reckon(**reckoned)
        .mark("text", **place, **look, align=align, dx=shift * dx)
        for side, align, dx in (theme.SIDES if theme.direct(arms) else ())
    ]


def level(field: str, value: float, style: str = "ceiling", **at: Any) -> Part:
    """A rule across the panel at one value: what is full, zero, a ceiling."""
    return vega.inline({field: value}).mark("rule", **at, style=style)


def tooltip(field: str) -> list[Part]:
    """What a pointer shows: arm, offered rate, value and interval."""
    form = ".1%" if field.endswith("busy") else ".4s"
    offered = vega.numbers("~s", {"offered_pps": "offered"})
    return [*vega.tips("arm"), *offered, *vega.interval(field, form)]
