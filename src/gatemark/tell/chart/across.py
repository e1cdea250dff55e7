# SPDX-License-Identifier: Apache-2.0
"""Panels over a size on a log axis: lines with bands, their names, published markers, ceiling."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from gatemark.tell.chart import curve, published, theme, vega
from gatemark.tell.chart.figure import Row
from gatemark.tell.chart.published import Choice
from gatemark.tell.chart.vega import Part, channel
from gatemark.tell.group import line
from gatemark.tell.group.line import Line
from gatemark.tell.words import traffic

APART = 0.1  # of the axis: names of lines whose ends are nearer go into a legend
_SIZE = (
    "datum.value >= 1048576 && datum.value % 1048576 == 0 ? datum.value / 1048576 + ' MiB' : "
    "datum.value >= 1024 && datum.value % 1024 == 0 ? datum.value / 1024 + ' KiB' : "
    "datum.value + ' B'"
)


@dataclass(frozen=True, slots=True)
class Look:
    """What the panels of one figure share."""

    name: str  # the figure's
    field: str  # payload_bps, share
    axes: Mapping[str, Part]  # by protocol
    most: Mapping[str, float]  # where these axes end
    names: Sequence[str]  # of all lines
    devices: Sequence[str]  # whose published values are drawn
    is_direct: bool  # names stand at their lines


def base_row(drawn: Line, place: int) -> Row:
    """What every row of a curve over sizes begins with."""
    return {
        "panel": drawn.panel,
        "kind": drawn.l4.upper(),
        "direction": drawn.direction,
        "arm": drawn.name,
        "size_bytes": drawn.size(place),
    }


COLUMNS = {
    "kind": "protocol",
    "direction": "direction",
    "arm": "setup",
    "size_bytes": "size (bytes)",
}


def panel(look: Look, lines: Sequence[Line]) -> Part:
    """One panel: the lines of one protocol and direction."""
    first = lines[0]
    x, y = _axis(lines), look.axes[first.l4]
    texts = _printed(look, lines)
    base = vega.rows(look.name, panel=first.panel)
    layers = [
        *_ceiling(look, first, x, y),
        *curve.line(base, look.field, {"x": x, "y": y}, look.names, _tips(look), texts),
        *published.layers(look.name, first.panel, look.devices, x, y),
    ]
    if not texts and len(lines) > 1:
        layers += _names(look, lines, x, y)
    return theme.panel(f"{y['title']} over {x['title']}, {first.heading}", *layers)


def published_rows(choice: Choice, drawn: Sequence[Line], field: str) -> list[Row]:
    """The published values that lie on these lines' sizes; a device is named at its largest."""
    all_rows: list[Row] = []
    pairs = choice.every if field == "share" else choice.near
    for panel in line.panels(drawn):
        place = {id(p): (ours, at) for ours in panel for at, p in enumerate(ours.points)}
        rows = [
            published.row(theirs) | {field: theirs.published.value} | base_row(*place[id(point)])
            for point, theirs in pairs
            if id(point) in place
        ]
        order = sorted(rows, key=lambda row: float(row["size_bytes"] or 0))
        # Shares end at 1, all of them: there a device is named at its smallest size.
        last = {row["device"]: row for row in (reversed(order) if field == "share" else order)}
        middle = _middle(panel)
        for row in rows:
            side = "left" if float(row["size_bytes"] or 0) > middle else "right"
            row["named"] = side if last[row["device"]] is row else ""
        all_rows += rows
    return all_rows


def _middle(lines: Sequence[Line]) -> float:
    sizes = [size for line_ in lines for size in _sizes(line_)]
    return float((min(sizes) * max(sizes)) ** 0.5)


def _sizes(drawn: Line) -> list[float]:
    return [drawn.size(place) for place in range(len(drawn.points))]


def _axis(lines: Sequence[Line]) -> Part:
    sizes = sorted({size for line_ in lines for size in _sizes(line_)})
    size_name, _ = traffic.SIZES[lines[0].factor]
    axis = {"labelExpr": _SIZE, "values": sizes, "labelOverlap": "parity", "grid": False}
    scale = theme.logarithmic(sizes[0] / 1.1, sizes[-1] * 1.1, base=2)
    what = (
        "payload of a datagram" if lines[0].factor == "payload_bytes" else f"size of a {size_name}"
    )
    return channel("size_bytes:Q", title=f"{what}, log axis", axis=axis, scale=scale)


def _printed(look: Look, lines: Sequence[Line]) -> list[str]:
    """The names that a legend must tell: none of a single line, none that stand at their lines."""
    if len(lines) == 1:
        return [lines[0].name] if len(look.names) > 1 else []
    return [] if look.is_direct else line.names(lines)


def is_direct(drawn: Sequence[Line], field: str, most: Mapping[str, float]) -> bool:
    """Whether names can stand at the ends of the lines: few, short, with room between them."""
    gaps = [
        (b - a) / most[panel[0].l4]
        for panel in line.panels(drawn)
        for a, b in pairwise(sorted(_end(field, line) for line in panel))
    ]
    return theme.direct(line.names(drawn)) and min(gaps, default=1.0) > APART


def _end(field: str, drawn: Line) -> float:
    value = drawn.values[-1]
    return value / drawn.plateau if field == "share" else value


def _names(look: Look, lines: Sequence[Line], x: Part, y: Part) -> list[Part]:
    """Each line's name over its last point."""
    rows = [
        base_row(line_, len(line_.points) - 1) | {look.field: _end(look.field, line_)}
        for line_ in lines
    ]
    text = {"text": "arm:N", "color": theme.color(look.names, []), "align": "right", "dy": -12}
    return vega.inline(*rows).haloed(x=x, y=y, **text, style="label")


def _ceiling(look: Look, first: Line, x: Part, y: Part) -> list[Part]:
    if look.field == "share":
        return [vega.inline({look.field: 1}).mark("rule", y=y, style="ceiling")]
    base = vega.rows(f"{look.name}-ceiling", panel=first.panel, near="yes")
    text = {"text": "line:N", "style": "note", "align": "left", "dx": 4, "dy": -8}
    return [
        base.mark("line", x=x, y=y, detail="line:N", style="ceiling", clip=True),
        base.where(named="yes").mark("text", x=x, y=y, **text),
    ]


def _tips(look: Look) -> list[Part]:
    form = ".1%" if look.field == "share" else ".4s"
    size = channel("size_bytes:Q", title="size, bytes")
    return [*vega.tips(arm="setup"), size, *vega.interval(look.field, form)]
