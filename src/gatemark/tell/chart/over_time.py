# SPDX-License-Identifier: Apache-2.0
"""The chart over the time of a trial: rate, delay, round trip and CPU above each other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gatemark.judge.judgement import PointResult
from gatemark.judge.math.interval import Interval
from gatemark.judge.point.sawtooth import standing_bytes
from gatemark.judge.point.steps import NEAR
from gatemark.store.record import Record
from gatemark.tell.chart import steps, theme, vega
from gatemark.tell.chart.figure import Chart, Drawn, Panel, Row, heads, three
from gatemark.tell.chart.steps import GAP, Band
from gatemark.tell.chart.swept import Sweep, anchor
from gatemark.tell.chart.vega import Part
from gatemark.tell.group import latency, pool, study, sweep, trace
from gatemark.tell.group.latency import Load, Timed
from gatemark.tell.group.pool import Kept
from gatemark.tell.group.source import Source
from gatemark.tell.group.study import Study
from gatemark.tell.group.trace import Sheaf, Trace
from gatemark.tell.words import number, traffic
from gatemark.tell.words.number import PERCENT

ABOVE = 1.05  # of the highest value
STEADY = (
    f"Title: the share of counted steps within {NEAR * 100:g} % of the median of their own "
    "trial, of all trials the median."
)
SIX = 6  # trials: from so many on an interval is no mere range
NAMES = {
    "delay_ns": ("one-way delay, mean", "ns"),
    "delay_max_ns": ("one-way delay, longest", "ns"),
    "rtt_ns": ("round trip", "ns"),
    "cpu": ("CPU", "ratio"),
}


@dataclass(frozen=True, slots=True)
class Times:
    """Points over time, and what is said of them; without a title it is how steady they are."""

    name: str
    traces: Sequence[Trace]
    text: str
    title: str = ""

    @property
    def plan(self) -> str:
        """The plan of the first point."""
        return self.traces[0].point.plan


def of_sweep(swept: Sweep) -> Times:
    """Packets received where the limit shows, or at the highest rate."""
    source = swept.source
    points = trace.of_sweep(source.judgement, swept.knees)
    drawn = trace.traces(points, source.records, source.sheaf)
    rates = sorted({sweep.offered_pps(trace.point) for trace in drawn})
    span = " to ".join(number.nominal(rate, "packets/s") for rate in (*rates[:1], *rates[1:][-1:]))
    bound = all(knee.at_least for knee in swept.knees)
    which = "the highest" if bound else "the first from the knee on"
    text = f"Offered: {which} of the sweep's rates, {span}."
    return Times(anchor("time")(swept), drawn, text)


def of_timed(of: tuple[Source, Timed]) -> Times:
    """Delay at the highest rate of each arm that was timed."""
    source, timed = of
    loads, records, sheaf = latency.highest(timed), source.records, source.sheaf
    drawn = trace.traces([load.point for load in loads], records, sheaf)
    if not any(trace.quantities.get("delay_ns") for trace in drawn):
        return Times("", (), "")
    rates = ", ".join(dict.fromkeys(load.load for load in loads))
    text = f"Load: {rates}. {words(loads, trace.trials(records), sheaf)}"
    return Times(f"time-{timed.anchor}", drawn, text, swing_title(loads, drawn, records, sheaf))


def of_study(of: tuple[Source, Study]) -> Times:
    """Goodput of TCP at one load."""
    source, shown = of
    points = trace.of_study(shown)
    own = {traffic.traffic(point.definition) for point in points}
    every = {traffic.traffic(p.definition) for p in shown.points if p.definition.l4 == "tcp"}
    which = "Of its loads the plan's largest write is drawn, with the fewest streams."
    drawn = trace.traces(points, source.records, source.sheaf)
    return Times(f"time-{shown.anchor}", drawn, which * bool(every - own))


def _caption(d: Drawn[Times]) -> str:
    """What is drawn, over how many trials, and what counts."""
    traces = d.of.traces
    at, n = traces[0].point.definition, max(trace.steady.n for trace in traces)
    what = "Payload that the receiving program read" if at.l4 == "tcp" else "Packets received"
    spread = "its interval" if n >= SIX else "the range"
    step = number.nominal(traces[0].step_s * 1e9, "ns")
    texts = {
        "delay_ns": "Delay: mean and longest of each step's packets.",
        "rtt_ns": "Round trip: as TCP itself measures it.",
        "cpu": "CPU: the gateway's busiest, by its threads.",
    }
    parts = [
        f"{what}, in steps of {step}: {traffic.traffic(at)}.",
        f"Line: median of {n} trials; band: {spread}." if n > 1 else "Line: one trial.",
        *(texts[band.field] for band in bands(traces) if band.field in texts),
        f"Grey: the first {at.settle_s:g} s, which do not count." if at.settle_s else "",
        "" if d.of.title else STEADY,
        d.of.text,
    ]
    return " ".join(filter(None, parts))


def bands(drawn: Sequence[Trace]) -> list[Band]:
    """The quantities that there are, each below the one before."""
    made: list[Band] = []
    rate = trace.RATES[drawn[0].point.definition.l4]
    for field, (name, unit) in {"rate": rate, **NAMES}.items():
        his = [i.hi for trace in drawn for i in trace.quantities.get(field, ()) if i]
        if his:
            to = PERCENT if unit == "ratio" else number.scale([max(his)], unit)
            most = ABOVE if unit == "ratio" else max(his) * ABOVE
            top = made[-1].bottom + GAP if made else GAP // 2
            made.append(Band(field, name, unit, to, most or 1.0, top))
    return made


def _columns(of: Times) -> dict[str, str]:
    columns = {"arm": "setup", "direction": "direction", "time_s": "time (s)"}
    for band in bands(of.traces):
        columns |= heads(band.field, band.name, band.unit)
    return columns


def _rows(of: Times) -> Iterator[Row]:
    """A row for each step of each point."""
    shown = bands(of.traces) if of.traces else []
    for drawn in of.traces:
        for place in range(len(drawn.quantities["rate"])):
            row: Row = {"arm": drawn.point.arm, "direction": drawn.way}
            row["time_s"] = round(drawn.at_s(place), 4)
            for band in shown:
                steps = drawn.quantities.get(band.field, ())
                measured = steps[place] if place < len(steps) else None
                row |= three(band.field, _short(measured) if measured else None)
            yield row


def _short(i: Interval) -> Interval:
    """With four digits: the page holds hundreds of them."""
    value, low, high = (float(f"{x:.4g}") for x in (i.value, i.lo, i.hi))
    return Interval(value, low, high, i.n, i.level)


def _panels(d: Drawn[Times]) -> list[Panel]:
    """A panel for each direction, a line for each arm."""
    return [(traffic.heading(way), _panel(d, way)) for way in d.once("direction")]


def _panel(d: Drawn[Times], way: str) -> Part:
    shown, arms = bands(d.of.traces), study.arms(trace.point for trace in d.of.traces)
    at = next(trace for trace in d.of.traces if trace.way == way).point.definition
    x = steps.time("time, s", 0, at.settle_s + at.duration_s)
    base = vega.rows(d.name, direction=way)
    return theme.panel(
        f"{', '.join(band.name for band in shown)} over time, {traffic.heading(way)}",
        *(steps.band(base, band, x, arms, at.settle_s) for band in shown),
        height=shown[-1].bottom,
        resolve={"scale": {"y": "independent"}},
    )


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
    return " ".join([*texts, *(text for load in loads for text in _variation(load.point))])


def _variation(point: PointResult) -> Iterator[str]:
    """The swing of each direction of a replay, from a packet to the next of its flow."""
    for way in traffic.DIRECTION:
        middle, far = (point.values.get(f"{way}.ipdv_{p}_ns") for p in ("p50", "p99"))
        if middle:
            end = f", by up to {number.quantity(far.value, 'ns')} for 99 %" if far else ""
            yield (
                f"{point.arm} {traffic.way(way)}: successive packets differ by "
                f"{number.quantity(middle.value, 'ns')} at the median{end} (IPDV, RFC 3393)."
            )


def _sawteeth(loads: Sequence[Load], kept: Kept, sheaf: Sheaf) -> Iterator[str]:
    for load in loads:
        sawtooth = pool.swing(load.point, kept, sheaf)
        if sawtooth is None:
            continue
        swing, period = (
            number.quantity(ns, "ns") for ns in (sawtooth.swing_ns, sawtooth.period_s * 1e9)
        )
        text = f"{latency.way(load)}: the delay swings by {swing} every {period}"
        least, rate = (load.point.values.get(n) for n in ("delay_min_ns", "received_l2_bps"))
        if least and rate:
            queue = standing_bytes(sawtooth, least.value, rate.value)
            text += f"; a queue of about {float(f'{queue:.3g}'):,.0f} bytes never empties"
        yield f"{text}."


TIME = Chart[Times](
    name=lambda of: of.name,
    rows=_rows,
    columns=_columns,
    title=lambda d: d.of.title or trace.finding(d.of.traces),
    caption=_caption,
    form=_panels,
)
