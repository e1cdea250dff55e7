# SPDX-License-Identifier: Apache-2.0
"""Rate, round trip and CPU over the time of a trial: bands above each other on one time axis."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gatemark.judge.judgement import Judgement, Knee, PointResult
from gatemark.judge.math.interval import Interval
from gatemark.judge.point import steps
from gatemark.judge.point.sawtooth import standing_bytes
from gatemark.store.record import Record
from gatemark.tell.chart import theme, vega
from gatemark.tell.chart.figure import Figure, Row, heads, three
from gatemark.tell.chart.vega import Part, Rows, between, channel
from gatemark.tell.group import latency, pool, study, sweep, trace
from gatemark.tell.group.latency import Load, Timed
from gatemark.tell.group.pool import Kept
from gatemark.tell.group.study import Study
from gatemark.tell.group.trace import Sheaf, Trace
from gatemark.tell.words import number, traffic
from gatemark.tell.words.number import PERCENT, Scale

HEIGHTS = {
    "rate": 150,
    "delay_ns": 110,
    "delay_max_ns": 80,
    "rtt_ns": 80,
    "cpu": 80,
}  # pixels of a band
GAP = 34  # over each band: room for its title
ABOVE = 1.05  # of the highest value
STEADY = (
    f"Title: the share of counted steps within {steps.NEAR * 100:g} % of the median of their own "
    "trial, of all trials the median."
)
SIX = 6  # trials: from so many on an interval is no mere range
_LABEL = "format(datum.value / {factor:g}, ',~r')"


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


def of_sweep(
    judgement: Judgement, knees: Sequence[Knee], records: Sequence[Record], sheaf: Sheaf
) -> Figure | None:
    """Packets received where the limit shows, or at the highest rate; None without series."""
    points = trace.of_sweep(judgement, knees)
    drawn = trace.traces(points, records, sheaf)
    rates = sorted({sweep.offered_pps(trace.point) for trace in drawn})
    span = " to ".join(number.nominal(rate, "packets/s") for rate in (*rates[:1], *rates[1:][-1:]))
    which = "the highest" if all(knee.at_least for knee in knees) else "the first from the knee on"
    text = f"Offered: {which} of the sweep's rates, {span}."
    return _figure(sweep.anchor("time", knees[0]), drawn, text)


def of_timed(timed: Timed, records: Sequence[Record], sheaf: Sheaf) -> Figure | None:
    """Delay at the highest rate of each arm that was timed; None without series."""
    loads = latency.highest(timed)
    drawn = trace.traces([load.point for load in loads], records, sheaf)
    if not any(trace.quantities.get("delay_ns") for trace in drawn):
        return None
    rates = ", ".join(dict.fromkeys(load.load for load in loads))
    text = f"Load: {rates}. {words(loads, trace.trials(records), sheaf)}"
    title = swing_title(loads, drawn, records, sheaf)
    return _figure(f"time-{timed.anchor}", drawn, text, title)


def of_study(study: Study, records: Sequence[Record], sheaf: Sheaf) -> Figure | None:
    """Goodput at one load; None without TCP or without series."""
    points = trace.of_study(study)
    others = {_load(p) for p in study.points if p.definition.l4 == "tcp"} - {
        _load(p) for p in points
    }
    text = (
        "Of its loads the plan's largest write is drawn, with the fewest streams." if others else ""
    )
    return _figure(f"time-{study.anchor}", trace.traces(points, records, sheaf), text)


def _load(point: PointResult) -> str:
    return traffic.traffic(point.definition)


def _figure(name: str, drawn: Sequence[Trace], text: str, title: str = "") -> Figure | None:
    """A panel for each direction, a line for each arm. Without a title it says how steady it is."""
    if not drawn:
        return None
    bands = _bands(drawn)
    arms, fields = study.arms(trace.point for trace in drawn), [band.field for band in bands]
    columns = {"arm": "setup", "direction": "direction", "time_s": "time (s)"}
    for band in bands:
        columns |= heads(band.field, band.name, band.unit)
    panels = [
        (
            traffic.heading(way),
            _panel(name, [trace for trace in drawn if trace.way == way], bands, arms),
        )
        for way in dict.fromkeys(trace.way for trace in drawn)
    ]
    return Figure(
        name=name,
        title=title or trace.finding(drawn),
        definition=" ".join(
            filter(None, (_definition(drawn, fields), "" if title else STEADY, text))
        ),
        panels=tuple(panels),
        rows=[row for trace in drawn for row in _rows(trace, bands)],
        columns=columns,
        plan=drawn[0].point.plan,
    )


def _definition(drawn: Sequence[Trace], fields: Sequence[str]) -> str:
    """What is drawn, over how many trials, and what counts."""
    d, n = drawn[0].point.definition, max(trace.steady.n for trace in drawn)
    what = "Payload that the receiving program read" if d.l4 == "tcp" else "Packets received"
    spread = "its interval" if n >= SIX else "the range"
    line = f"Line: median of {n} trials; band: {spread}." if n > 1 else "Line: one trial."
    parts = [
        f"{what}, in steps of {number.nominal(drawn[0].step_s * 1e9, 'ns')}: {traffic.traffic(d)}.",
        line,
        "Delay: mean and longest of each step's packets." if "delay_ns" in fields else "",
        "Round trip: as TCP itself measures it." if "rtt_ns" in fields else "",
        "CPU: the gateway's busiest, by its threads." if "cpu" in fields else "",
        f"Grey: the first {d.settle_s:g} s, which do not count." if d.settle_s else "",
    ]
    return " ".join(part for part in parts if part)


def _bands(drawn: Sequence[Trace]) -> list[Band]:
    l4 = drawn[0].point.definition.l4
    names = {
        "rate": trace.RATES[l4],
        "delay_ns": ("one-way delay, mean", "ns"),
        "delay_max_ns": ("one-way delay, longest", "ns"),
        "rtt_ns": ("round trip", "ns"),
        "cpu": ("CPU", "ratio"),
    }
    made: list[Band] = []
    for field, (name, unit) in names.items():
        his = [i.hi for trace in drawn for i in trace.quantities.get(field, ()) if i]
        if his:
            to = PERCENT if unit == "ratio" else number.scale([max(his)], unit)
            most = ABOVE if unit == "ratio" else max(his) * ABOVE
            top = made[-1].bottom + GAP if made else GAP // 2
            made.append(Band(field, name, unit, to, most or 1.0, top))
    return made


def _rows(trace: Trace, bands: Sequence[Band]) -> list[Row]:
    """A row for each step."""
    rows: list[Row] = []
    for place in range(len(trace.quantities["rate"])):
        row: Row = {"arm": trace.point.arm, "direction": trace.way}
        row["time_s"] = round(trace.at_s(place), 4)
        for band in bands:
            steps = trace.quantities.get(band.field, ())
            measured = steps[place] if place < len(steps) else None
            row |= three(band.field, _short(measured) if measured else None)
        rows.append(row)
    return rows


def _short(i: Interval) -> Interval:
    """With four digits: the page holds hundreds of them."""
    value, low, high = (float(f"{x:.4g}") for x in (i.value, i.lo, i.hi))
    return Interval(value, low, high, i.n, i.level)


def _panel(name: str, traces: Sequence[Trace], bands: Sequence[Band], arms: Sequence[str]) -> Part:
    d, what = traces[0].point.definition, ", ".join(band.name for band in bands)
    axis = {"tickCount": 6, "grid": False, "labelBound": True}
    scale = between(0, d.settle_s + d.duration_s)
    x = channel("time_s:Q", title="time, s", axis=axis, scale=scale)
    base = vega.rows(name, direction=d.direction)
    return theme.panel(
        f"{what} over time, {traffic.heading(d.direction)}",
        *({"layer": _band(base, band, x, arms, d.settle_s)} for band in bands),
        height=bands[-1].bottom,
        resolve={"scale": {"y": "independent"}},
    )


def _band(base: Rows, band: Band, x: Part, arms: Sequence[str], settle_s: float) -> list[Part]:
    """One band: its scale has the pixels of its own part of the panel."""
    label = _LABEL.format(factor=band.to.factor)
    axis: Part = {"labelExpr": label, "tickCount": 5 if band.field == "rate" else 3}
    axis |= {"orient": "left", "title": None}
    scale = between(0, band.most, range=[band.bottom, band.top])
    color, dash = theme.stroked(arms)
    line = {"y": channel(f"{band.field}:Q", axis=axis, scale=scale), "strokeDash": dash}
    head = {"style": "note", "align": "left", "baseline": "bottom", "dy": -5, "fontSize": 12}
    at = {"x": vega.value(0), "y": vega.value(band.top), "text": "text:N"}
    return [
        *_settling(band, x, settle_s),
        base.span("area", "y", band.field, x=x, color=color, opacity=0.2),
        base.mark("line", x=x, **line, color=color, strokeWidth=1.8),
        vega.inline({"text": f"{band.name}, {band.to.unit}"}).mark("text", **at, **head),
    ]


def _settling(band: Band, x: Part, settle_s: float) -> list[Part]:
    """The time that does not count."""
    if not settle_s:
        return []
    base = vega.inline({"time_s": 0, "end": settle_s})
    tall = {"y": vega.value(band.top), "y2": vega.value(band.bottom)}
    return [base.mark("rect", x=x, x2="end", **tall, style="noise", opacity=0.5)]


def swing_title(
    loads: Sequence[Load], drawn: Sequence[Trace], records: Sequence[Record], sheaf: Sheaf
) -> str:
    """The finding: a sawtooth where there is one, else between what the mean delay stays."""
    kept = trace.trials(records)
    if text := next(_sawteeth(loads, kept, sheaf), ""):
        return text.removesuffix(".")
    first = next(trace for trace in drawn if trace.quantities.get("delay_ns"))
    values = [i.value for i in first.quantities["delay_ns"] if i]
    low, high = (number.quantity(end, "ns") for end in (min(values), max(values)))
    where = f"{first.point.arm}, {traffic.DIRECTION.get(first.way, first.way)}"
    step = number.nominal(first.step_s * 1e9, "ns")
    return f"The delay, as the mean of each {step}, stays between {low} and {high} ({where})"


def words(loads: Sequence[Load], kept: Kept, sheaf: Sheaf) -> str:
    """Sawteeth of all arms, or that there are none; jitter where every packet's delay was kept."""
    texts = list(_sawteeth(loads, kept, sheaf)) or ["No sawtooth: it has no period."]
    texts += (text for load in loads for text in _variation(load))
    return " ".join(texts)


def _variation(load: Load) -> Iterator[str]:
    """The swing of each direction of a replay, from a packet to the next of its flow."""
    for way in traffic.DIRECTION:
        middle, far = (load.point.values.get(f"{way}.ipdv_{p}_ns") for p in ("p50", "p99"))
        if middle:
            end = f", by up to {number.quantity(far.value, 'ns')} for 99 %" if far else ""
            yield (
                f"{load.arm} {traffic.way(way)}: successive packets differ by "
                f"{number.quantity(middle.value, 'ns')} at the median{end} (IPDV, RFC 3393)."
            )


def _sawteeth(loads: Sequence[Load], kept: Kept, sheaf: Sheaf) -> Iterator[str]:
    for load in loads:
        sawtooth = pool.swing(load.point, kept, sheaf)
        if sawtooth is None:
            continue
        text = (
            f"{latency.way(load)}: the delay swings by {number.quantity(sawtooth.swing_ns, 'ns')} "
            f"every {number.quantity(sawtooth.period_s * 1e9, 'ns')}"
        )
        least, rate = (load.point.values.get(n) for n in ("delay_min_ns", "received_l2_bps"))
        if least and rate:
            queue = standing_bytes(sawtooth, least.value, rate.value)
            text += f"; a queue of about {float(f'{queue:.3g}'):,.0f} bytes never empties"
        yield f"{text}."
