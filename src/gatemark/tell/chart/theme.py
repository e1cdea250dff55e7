# SPDX-License-Identifier: Apache-2.0
"""How figures look. Colours are the page's CSS variables, so light, dark and paper need no redraw.

Marks take their look by style name (`ceiling`, `ideal`, `note`, ...). An arm's colour comes from
the page's palette (palette.py), what is no arm (threads, parts) from the category range, which has
none of these colours; dash and marker repeat the arm for those who do not see the colour.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from gatemark.tell.chart import vega
from gatemark.tell.chart.vega import Part, between, channel
from gatemark.tell.words import number
from gatemark.tell.words.number import Scale

HEIGHT = 260
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"]
DASHES = [[1, 0], [7, 3], [2, 2], [9, 2, 2, 2], [4, 4], [12, 3]]
SI = "datum.value ? format(datum.value, '~s') : '0'"
TIME = (
    "datum.value >= 1e9 ? datum.value / 1e9 + ' s' : datum.value >= 1e6 ? datum.value / 1e6 + "
    "' ms' : datum.value >= 1e3 ? datum.value / 1e3 + ' µs' : datum.value + ' ns'"
)
SIDES: tuple[tuple[str, Literal["left", "right"], int], ...] = (
    ("left", "right", -6),  # a label on the left is aligned to its right end, six pixels off
    ("right", "left", 6),
)
LONGEST_LABEL = 14
# Pixels of a legend: a letter at most, a symbol with its gaps, a name at most.
_CHARACTER, _SYMBOL, _LONGEST = 6.6, 36, 300
_BESIDE = 190  # pixels beside a plot, at most: names of an axis and padding
LEAST = 1e-6  # of a log scale whose lower end would be zero, of its upper one
_STROKES = {"symbolType": "stroke", "symbolSize": 500, "symbolStrokeWidth": 2}
LABELLED = 3  # up to so many arms are named at their lines, more get a legend

_INK, _SOFT, _GRID, _PAPER = "var(--ink)", "var(--soft)", "var(--grid)", "var(--paper)"
_FONT = "system-ui, sans-serif"


def direct(arms: Sequence[str]) -> bool:
    """Return whether names stand at their lines; many or long ones go into a legend."""
    return len(arms) <= LABELLED and all(len(arm) <= LONGEST_LABEL for arm in arms)


def config() -> dict[str, Any]:
    """The Vega-Lite configuration that the page hands to every figure."""
    text = {"font": _FONT, "fontSize": 12}
    return {
        "background": "transparent",
        "customFormatTypes": True,
        "font": _FONT,
        "padding": {"left": 5, "top": 5, "right": 14, "bottom": 5},  # room for half a label
        "view": {"stroke": None},
        "mark": {"aria": False},  # a picture with one description; the table twin has the values
        "axis": {
            "aria": False,
            "labelColor": _SOFT,
            "titleColor": _SOFT,
            "titleFontWeight": "normal",
            "titleFontSize": 12,
            "labelFontSize": 11,
            "gridColor": _GRID,
            "domainColor": _GRID,
            "tickColor": _GRID,
        },
        "legend": {
            "aria": False,
            "labelColor": _INK,
            "orient": "top",
            "title": None,
            "columns": 1,
            "labelLimit": {"expr": f"max(40, min({_LONGEST}, width - {_SYMBOL}))"},
            "symbolLimit": 0,  # none: each line has its name, of however many
            "labelFontSize": 12,
        },
        "range": {"category": [f"var(--kind{number})" for number in range(1, 7)]},
        "style": {
            "ceiling": {"color": _SOFT, "strokeWidth": 1.5},
            "ideal": {"color": _SOFT, "strokeWidth": 1, "strokeDash": [1, 3]},
            "note": {**text, "fontSize": 11, "color": _SOFT},
            "value": {**text, "color": _INK, "baseline": "middle"},
            "whisker": {"color": _INK, "strokeWidth": 1.5},
            "label": {**text, "fontWeight": 600},
            "heading": {**text, "fontWeight": 600, "color": _SOFT, "baseline": "middle"},
            "bar": {"color": "var(--bar)"},
            "within": {**text, "fontSize": 11, "color": _PAPER, "baseline": "middle"},
            "hollow": {"fill": _PAPER, "strokeWidth": 2},
            "tester": {"color": _SOFT, "strokeWidth": 1},
            "halo": {"stroke": _PAPER, "strokeWidth": 4, "strokeJoin": "round"},
            "published": {"color": _INK, "strokeWidth": 1.6},
            "noise": {"color": _GRID},
            "zero": {"color": _INK, "strokeWidth": 1},
        },
    }


def color(arms: Sequence[str], texts: Sequence[str] | None = None) -> Part:
    """An arm's colour, which the page's palette gives."""
    return channel("arm:N", scale=vega.names(arms), legend=_legend(arms, texts))


def shape(arms: Sequence[str], texts: Sequence[str] | None = None) -> Part:
    """An arm's marker."""
    scale = vega.names(arms, range=_cycle(SHAPES, arms))
    return channel("arm:N", scale=scale, legend=_legend(arms, texts))


def dash(arms: Sequence[str], texts: Sequence[str] | None = None) -> Part:
    """An arm's dash."""
    scale = vega.names(arms, range=_cycle(DASHES, arms))
    return channel("arm:N", scale=scale, legend=_legend(arms, texts))


def stroked(arms: Sequence[str]) -> tuple[Part, Part]:
    """Colour and dash of lines without markers; the legend shows strokes."""
    legend = None
    if len(arms) > 1:
        legend = {"columns": columns(arms), **_STROKES, "symbolOpacity": 1}
    scale = vega.names(arms, range=_cycle(DASHES, arms))
    return (
        channel("arm:N", scale=vega.names(arms), legend=legend),
        channel("arm:N", scale=scale, legend=legend),
    )


def strokes(field: str, levels: Sequence[str]) -> Part:
    """A dash for each level of what is no arm, solid for the last, with a legend of strokes."""
    legend = {"columns": columns(levels), **_STROKES} if len(levels) > 1 else None
    dashes = list(reversed(_cycle(DASHES, levels)))
    return channel(f"{field}:N", scale=vega.names(levels, range=dashes), legend=legend)


def _legend(arms: Sequence[str], texts: Sequence[str] | None) -> Part | None:
    """All layers of a panel must agree on it, or Vega-Lite complains. `texts`: just these arms."""
    if texts is None:
        return None if direct(arms) else {"symbolOpacity": 1}
    return {"symbolOpacity": 1, "values": list(texts)} if texts else None


def _cycle(kinds: Sequence[Any], arms: Sequence[str]) -> list[Any]:
    return [kinds[place % len(kinds)] for place in range(len(arms))]


def si(ticks: int, **parts: Any) -> Part:
    """An axis labelled 10k, 20k."""
    return {"labelExpr": SI, "tickCount": ticks, **parts}


def si_axis(field: str, title: str, most: float, ticks: int = 6) -> Part:
    """A number from zero, labelled 10k, 20k."""
    return channel(f"{field}:Q", title=title, axis=si(ticks), scale=between(0, most))


def offered_axis(most: float) -> Part:
    """The offered rate across, from zero, labelled 10k, 20k."""
    axis, scale = si(6, grid=False), between(0, most)
    return channel("offered_pps:Q", title="offered, packets/s", axis=axis, scale=scale)


def received_axis(most: float) -> Part:
    """The received rate upwards, from zero."""
    return si_axis("received_pps", "received, packets/s", most)


def busy_axis(field: str) -> Part:
    """The share of a CPU upwards, from zero to just over all of it."""
    axis = {"format": ".0%", "values": [0, 0.25, 0.5, 0.75, 1]}
    return channel(f"{field}:Q", title="CPU busy", axis=axis, scale={"domain": [0, 1.05]})


def labelled(places: Mapping[str, float], **parts: Any) -> Part:
    """An axis with these names at their places, and no others."""
    names = " : ".join(f"datum.value == {at} ? '{name}'" for name, at in places.items())
    return {"values": list(places.values()), "labelExpr": f"{names} : ''", "grid": False, **parts}


def bits_axis(field: str, title: str, most: float) -> Part:
    """A rate in bit/s upwards, from zero, labelled in the unit that suits its end."""
    to = number.scale([most], "bit/s")
    axis = {"labelExpr": f"format(datum.value / {to.factor:g}, ',~r')", "tickCount": 5}
    return channel(f"{field}:Q", title=f"{title}, {to.unit}", axis=axis, scale=between(0, most))


def bits_across(field: str, title: str, to: Scale, most: float, room: int) -> Part:
    """A rate in bit/s from zero to the right, with so many pixels for text behind its end."""
    label = f"format(datum.value / {to.factor:g}, ',~r')"
    axis = {"labelExpr": label, "tickCount": 4, "labelBound": True}
    scale = between(0, end(most, room))
    return channel(f"{field}:Q", title=f"{title}, {to.unit}", axis=axis, scale=scale)


def end(most: float, room: int) -> Part:
    """Where an axis from zero ends that has so many pixels for text behind its highest value."""
    return vega.expression(f"{most:g} * width / max(width - {room}, 40)")


def columns(names: Sequence[str], most: int = 2) -> Part:
    """A legend's columns: so many where its names have room in them, one on a narrow screen.

    By the room for the whole figure: `width` is less once the axes have their part of it, and a
    legend that gets more rows by that loses the upper ones.
    """
    wide = most * (max(map(len, names), default=0) * _CHARACTER + _SYMBOL) + _BESIDE
    return vega.expression(f"containerSize()[0] < {wide:.0f} ? 1 : {most}")


def delay_axis(field: str, values: Sequence[float]) -> Part:
    """A delay in ns upwards, on a log axis over all that was found."""
    low = 10.0 ** (len(str(int(max(min(values), 1.0)))) - 1)
    high = max(values) * 1.6
    axis = {"labelExpr": TIME, "values": decades(low, high)}
    return channel(f"{field}:Q", title="one-way delay", axis=axis, scale=logarithmic(low, high))


def delay_across(field: str, span: tuple[float, float], title: str = "one-way delay") -> Part:
    """A delay in ns to the right, on a log axis just over what was found."""
    low, high = span[0] * 0.9, span[1] * 1.1
    ticks = decades(low, high)
    axis = {"labelExpr": TIME, "values": ticks, "grid": False, "labelOverlap": True}
    return channel(f"{field}:Q", title=title, axis=axis, scale=logarithmic(low, high))


def logarithmic(low: float, high: float, base: int = 10) -> Part:
    """A log scale between two ends, the lower of which is above zero.

    What is zero has no place on it: it lies at the lower end. Vega puts it at the upper one, and
    every other value too where an end is zero.
    """
    return between(max(low, high * LEAST), high, type="log", base=base, clamp=True)


def decades(low: float, high: float) -> list[float]:
    """What a log axis names between two: powers of ten, and 2 and 5 of each where it is short."""
    steps = (1, 2, 5) if high < 1000 * low else (1,)
    values = [float(step * 10**power) for power in range(12) for step in steps]
    return [value for value in values if low <= value <= high]


def panel(description: str, *layers: Part, height: float = HEIGHT, **parts: Any) -> Part:
    """Layers over each other, at the height of most figures."""
    return vega.panel(description, layers, height, **parts)
