# SPDX-License-Identifier: Apache-2.0
"""Throughput over the size of a write, datagram or buffer, and the share of its plateau."""

from collections.abc import Sequence

from gatemark.tell.chart import across, published, theme
from gatemark.tell.chart.across import Look
from gatemark.tell.chart.figure import Figure, Row, finite, heads, most, once, three
from gatemark.tell.chart.published import Choice
from gatemark.tell.chart.vega import between, channel
from gatemark.tell.group import each_run, line, study
from gatemark.tell.group.line import Line
from gatemark.tell.group.source import Source
from gatemark.tell.group.study import Study
from gatemark.tell.group.together import named
from gatemark.tell.words import headline, number, traffic

NEAR = 1.6  # times our highest value: a ceiling below that is drawn, a higher one is told
ABOVE = 1.15  # room over the highest mark, for its name
GOODPUT = "payload that the receiving program read while it was sent"


def figures(source: Source, study: Study) -> list[Figure]:
    """Payload over size, and the same as a share of each line's plateau."""
    drawn = line.lines(study.points)
    choice = published.choose(source.beside, study.points)
    flat = [line for line in drawn if line.is_flat and line.plateau > 0]
    shares = [_share(study, flat, choice)] if flat else []
    return [_throughput(source, study, drawn, choice), *shares]


def _throughput(source: Source, study: Study, drawn: Sequence[Line], choice: Choice) -> Figure:
    name, field = study.anchor, "payload_bps"
    hollow = across.published_rows(choice, drawn, field)
    published.levels(hollow, field)
    ceilings = _ceilings(source, drawn)
    ends = _ends(drawn, hollow, ceilings)
    axes = {l4: theme.bits_axis(field, "payload", end) for l4, end in ends.items()}
    names, is_direct = line.names(drawn), across.is_direct(drawn, field, ends)
    look = Look(name, field, axes, ends, names, choice.devices, is_direct)
    parts = [_what(drawn), "Line: median; band: its interval.", _tester(ceilings)]
    parts.append(line.straight(drawn))
    columns = across.COLUMNS | heads(field, "payload", "bit/s")
    return Figure(
        name=name,
        title=line.title(drawn),
        definition=" ".join(filter(None, (*parts, choice.words()))),
        panels=tuple((panel[0].heading, across.panel(look, panel)) for panel in line.panels(drawn)),
        rows=[row for line in drawn for row in _rows(line)],
        columns=columns | {"cpu_busy": "CPU busy (ratio)", "limit": "bottleneck"},
        plan=study.plan,
        extra={f"{name}-ceiling": ceilings, f"{name}-published": hollow},
    )


def _share(study: Study, drawn: Sequence[Line], choice: Choice) -> Figure:
    name, field = f"{study.anchor}-share", "share"
    hollow = _published_shares(across.published_rows(choice, drawn, field))
    rows = [row for line in drawn for row in _shares(line)]
    end = max(most(rows, "share_hi"), 1.0) * ABOVE
    axis = {"format": ".0%", "tickCount": 5}
    y = channel("share:Q", title="share of the plateau", axis=axis, scale=between(0, end))
    kinds = list(dict.fromkeys(line.l4 for line in drawn))
    axes, ends = dict.fromkeys(kinds, y), dict.fromkeys(kinds, end)
    devices = once(hollow, "device")
    names, is_direct = line.names(drawn), across.is_direct(drawn, field, ends)
    look = Look(name, field, axes, ends, names, devices, is_direct)
    text = (
        "Each line by its own plateau: the median at its largest two sizes (three of six or "
        "more). A line that still rises there has none and is left out. "
        "Band: the interval of the value alone."
    )
    more = " Hollow markers: published, by the largest value of their device." if hollow else ""
    return Figure(
        name=name,
        title=line.share_title(drawn),
        definition=text + more,
        panels=tuple((panel[0].heading, across.panel(look, panel)) for panel in line.panels(drawn)),
        rows=rows,
        columns=across.COLUMNS | heads(field, "share of the plateau", "ratio"),
        plan=study.plan,
        extra={f"{name}-published": hollow},
    )


def _rows(line: Line) -> list[Row]:
    rows: list[Row] = []
    for place, point in enumerate(line.points):
        busy = point.values.get("cpu_busy")
        more: Row = {"cpu_busy": finite(busy.value) if busy else None, "limit": point.limit}
        payload = three("payload_bps", headline.payload(point))
        rows.append(across.base_row(line, place) | payload | more)
    return rows


def _shares(line: Line) -> list[Row]:
    rows: list[Row] = []
    for place, point in enumerate(line.points):
        whole = three("share", headline.payload(point))
        parts: Row = {key: float(value or 0) / line.plateau for key, value in whole.items()}
        rows.append(across.base_row(line, place) | parts)
    return rows


def _published_shares(rows: Sequence[Row]) -> list[Row]:
    """Each by the largest of its device and panel; one value alone has no share."""
    best: dict[tuple[object, object], list[float]] = {}
    for row in rows:
        best.setdefault((row["panel"], row["device"]), []).append(float(row["share"] or 0))
    texts = [
        row | {"share": float(row["share"] or 0) / max(values)}
        for row in rows
        if len(values := best[row["panel"], row["device"]]) > 1
    ]
    published.levels(texts, "share")
    return texts


def _ends(
    drawn: Sequence[Line], hollow: Sequence[Row], ceilings: Sequence[Row]
) -> dict[str, float]:
    """Where each protocol's axis ends: over all that is drawn on it."""
    tops = _tops(drawn)
    marks = [*hollow, *(row for row in ceilings if row["near"])]
    for row in marks:
        l4 = str(row["kind"]).lower()
        tops[l4] = max(tops[l4], float(row["payload_bps"] or 0))
    return {l4: top * ABOVE or 1.0 for l4, top in tops.items()}


def _tops(drawn: Sequence[Line]) -> dict[str, float]:
    """Our largest value of each protocol."""
    tops: dict[str, float] = {}
    for curve_line in drawn:
        values = [float(row["payload_bps_hi"] or 0) for row in _rows(curve_line)]
        tops[curve_line.l4] = max(tops.get(curve_line.l4, 0.0), *values)
    return tops


def _ceilings(source: Source, drawn: Sequence[Line]) -> list[Row]:
    """The tester alone at the same points: in a panel a line of each run, drawn where near."""
    all_rows: list[Row] = []
    tops = _tops(drawn)
    for panel in line.panels(drawn):
        for rows in _alone(source, panel).values():
            ordered = [rows[size] for size in sorted(rows)]
            near = "yes" if most(ordered, "payload_bps") <= NEAR * tops[panel[0].l4] else ""
            for place, row in enumerate(ordered):
                all_rows.append(row | {"near": near, "named": "" if place else "yes"})
    return all_rows


def _alone(source: Source, panel: Sequence[Line]) -> dict[str, dict[float, Row]]:
    """Rows by the name of their line, which has the letter of its run, and by size."""
    points = [point for this_line in panel for point in this_line.points]
    ceilings = each_run.ceilings(source, points)
    lines: dict[str, dict[float, Row]] = {}
    for this_line in panel:
        for place, point in enumerate(this_line.points):
            if alone := ceilings.get(id(point)):
                name = named(each_run.letter(source, point.arm), "tester's ceiling")
                row = across.base_row(this_line, place) | {"payload_bps": alone.value}
                lines.setdefault(name, {})[this_line.size(place)] = row | {"line": name}
    return lines


def _what(drawn: Sequence[Line]) -> str:
    """What was measured: `TCP payload ... over the size of a write: TCP over IPv4, 1 stream`."""
    first: dict[str, Line] = {}
    for curve_line in drawn:
        first.setdefault(curve_line.l4, curve_line)
    texts = []
    for l4, curve_line in first.items():
        size, _ = traffic.SIZES[curve_line.factor]
        what = GOODPUT if l4 == "tcp" else "payload received"
        sent = study.sent([p for other in drawn if other.l4 == l4 for p in other.points])
        texts.append(f"{l4.upper()}: {what}, by the size of a {size} ({sent}).")
    return " ".join(texts)


def _tester(ceilings: Sequence[Row]) -> str:
    values = [float(row["payload_bps"] or 0) for row in ceilings]
    if not values:
        return ""
    low, high = (number.quantity(value, "bit/s") for value in (min(values), max(values)))
    return f"The tester alone reaches {low} to {high} at these sizes."
