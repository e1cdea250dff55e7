# SPDX-License-Identifier: Apache-2.0
"""The form of steps in time: one quantity over a trial, or bands of several above each other."""

from collections.abc import Sequence
from dataclasses import dataclass

from gatemark.tell.chart import theme, vega
from gatemark.tell.chart.vega import Part, Rows, between, channel
from gatemark.tell.words.number import Scale

# Pixels of a band.
HEIGHTS = {"rate": 150, "delay_ns": 110, "delay_max_ns": 80, "rtt_ns": 80, "cpu": 80}
GAP = 34  # over each band: room for its title
MS = "format(datum.value / 1e6, ',~r')"


@dataclass(frozen=True, slots=True)
class Band:
    """One quantity in all panels: how it is named, how far it goes, where it stands."""

    field: str
    name: str
    unit: str
    to: Scale
    most: float
    top: int  # pixels from the panel's top

    @property
    def bottom(self) -> int:
        """Where its zero is."""
        return self.top + HEIGHTS[self.field]


def time(title: str, low: float, high: float) -> Part:
    """Seconds to the right."""
    axis = {"tickCount": 6, "grid": False, "labelBound": True}
    return channel("time_s:Q", title=title, axis=axis, scale=between(low, high))


def wait(field: str, title: str, high: float) -> Part:
    """Milliseconds upwards, from zero."""
    axis = {"labelExpr": MS, "tickCount": 4}
    return channel(f"{field}:Q", title=title, axis=axis, scale=between(0, high or 1.0))


def alone(label: str) -> Part:
    """The colour of the one arm of a panel."""
    return channel("arm:N", scale=vega.names([label]), legend=None)


def band(base: Rows, band: Band, x: Part, arms: Sequence[str], settle_s: float) -> Part:
    """Lines with the bands of their intervals; the scale has the pixels of its part of a panel.

    What is measured before `settle_s` does not count, and is shaded.
    """
    label = f"format(datum.value / {band.to.factor:g}, ',~r')"
    axis: Part = {"labelExpr": label, "tickCount": 5 if band.field == "rate" else 3}
    axis |= {"orient": "left", "title": None}
    scale = between(0, band.most, range=[band.bottom, band.top])
    color, dash = theme.stroked(arms)
    line = {"y": channel(f"{band.field}:Q", axis=axis, scale=scale), "strokeDash": dash}
    head = {"style": "note", "align": "left", "baseline": "bottom", "dy": -5, "fontSize": 12}
    at = {"x": vega.value(0), "y": vega.value(band.top), "text": "text:N"}
    shade = vega.inline({"time_s": 0, "end": settle_s})
    tall = {"y": vega.value(band.top), "y2": vega.value(band.bottom)}
    layers = [
        base.span("area", "y", band.field, x=x, color=color, opacity=0.2),
        base.mark("line", x=x, **line, color=color, strokeWidth=1.8),
        vega.inline({"text": f"{band.name}, {band.to.unit}"}).mark("text", **at, **head),
    ]
    shaded = shade.mark("rect", x=x, x2="end", **tall, style="noise", opacity=0.5)
    return {"layer": [shaded, *layers] if settle_s else layers}
