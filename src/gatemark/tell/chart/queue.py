# SPDX-License-Identifier: Apache-2.0
"""Charts of a queue that a load fills: waits of a flow beside it, packets, sawtooth, trade-off."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from gatemark.judge.queue.flow import S_NS, Flow, within
from gatemark.judge.queue.swing import SETTLE_NS, STEP_NS
from gatemark.tell.chart import curve, distribution, scatter, steps, theme, vega
from gatemark.tell.chart.figure import (
    Chart,
    Drawn,
    Panel,
    Row,
    each,
    heads,
    most,
    numbers,
    three,
    whole,
)
from gatemark.tell.chart.vega import Part, between, channel
from gatemark.tell.group.queue import Loaded, Scene
from gatemark.tell.words import number

# How long packets take: a line for each point, and one for the flow without a load (RFC 7928).

FINE: Final = 0.005  # of the packets: a point of a curve that moves less is left out
NINES: Final = (0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 0.9999)
BEYOND: Final = 10  # packets above a percentile, or it is not drawn
MOST: Final = 4  # curves beside a load that a title names each
WIDE: Final = 20.0  # longest over shortest: from there on the axis is a logarithm's
_TIPS = [
    *vega.tips("arm"),
    *vega.numbers(".4s", {"delay_ns": "delay"}),
    *vega.numbers(".2%", {"below": "of those sent, within it"}),
]


def _flows(scene: Scene) -> Mapping[str, Flow]:
    idle = {scene.idle_label: scene.idle} if scene.idle.delay_ns else {}
    return idle | {loaded.label: loaded.flow for loaded in scene.loaded}


def _title(d: Drawn[Scene]) -> str:
    """The finding: what 99 % keep, idle and beside each load."""
    idle = [f"{_p99(d.of.idle)} without a load"] if d.of.idle.delay_ns else []
    loaded = d.of.loaded
    if len(loaded) > MOST:  # the shortest and the longest stand for all
        ordered = sorted(loaded, key=lambda each: each.flow.percentile(0.99))
        loaded = (ordered[0], ordered[-1])
    parts = [*idle, *(f"{_p99(each.flow)} ({each.label})" for each in loaded)]
    return f"99 % of the packets that arrive take at most {', '.join(parts)}: {d.of.what}"


def _p99(flow: Flow) -> str:
    return number.quantity(flow.percentile(0.99), "ns")


def _shares(scene: Scene) -> Iterator[Row]:
    """Each curve where it moves."""
    for label, flow in _flows(scene).items():
        points = within(flow)
        yield {"arm": label, "delay_ns": _short(points[0][0]), "below": 0.0}
        last = 0.0
        for place, (delay, share) in enumerate(points):
            if share - last >= FINE or place in (0, len(points) - 1):
                yield {"arm": label, "delay_ns": _short(delay), "below": round(share, 5)}
                last = share


def _percentiles(scene: Scene, _: Sequence[Row]) -> Iterator[Row]:
    """Percentiles of the packets sent: one that never came is later than all."""
    for label, flow in _flows(scene).items():
        ordered = sorted(flow.delay_ns)
        for share in NINES:
            place = int(share * flow.packets)
            is_known = share <= 0.5 or (1 - share) * flow.packets >= BEYOND
            if is_known and place < len(ordered):
                row: Row = {"arm": label, "nines": distribution.nine(1 - share)}
                yield row | {"delay_ns": _short(ordered[place])}


def _short(delay_ns: float) -> float:
    return float(f"{max(delay_ns, 1.0):.4g}")


def _waits(d: Drawn[Scene]) -> list[Panel]:
    shares = ("arrived within this delay (CDF)", _cdf(d))
    return [shares, ("delay by percentile", _tail(d, d.extra["percentiles"]))]


def _cdf(d: Drawn[Scene]) -> Part:
    delays = numbers(d.rows, "delay_ns")
    low, high = min(delays), max(delays)
    axis = {"labelExpr": theme.TIME, "tickCount": 5, "grid": False}
    plain = {"title": "one-way delay", "axis": axis, "scale": between(0, high * 1.05)}
    is_wide = high / low >= WIDE
    x = theme.delay_across("delay_ns", (low, high)) if is_wide else channel("delay_ns:Q", **plain)
    color, dash = theme.stroked(d.once("arm"))
    at = {"x": x, "y": distribution.within("below", "of the packets sent"), "color": color}
    look = {"strokeWidth": 1.8, "interpolate": "step-after", "tooltip": _TIPS}
    line = vega.rows(d.name).mark("line", **at, strokeDash=dash, **look)
    return theme.panel("Share of the packets sent that arrived within a delay", line)


def _tail(d: Drawn[Scene], rows: Sequence[Row]) -> Part:
    places = {f"{share * 100:g} %": distribution.nine(1 - share) for share in NINES}
    ends = min(places.values()), (most(rows, "nines") or 1.0) * 1.02
    what = "of the packets sent keep this delay"
    x = distribution.nines("nines", what, places, ends, labelOverlap=True)
    y = theme.delay_axis("delay_ns", numbers(rows, "delay_ns") or [1.0])
    color, dash = theme.stroked(d.once("arm"))
    at, base = {"x": x, "y": y, "color": color}, vega.rows(f"{d.name}-percentiles")
    return theme.panel(
        "One-way delay by percentile",
        base.mark("line", **at, strokeDash=dash, strokeWidth=1.8),
        curve.dots(base, **at, tooltip=_TIPS[:2], size=30),
    )


WAITS = Chart[Scene](
    name=lambda scene: f"waits-{scene.anchor}",
    rows=_shares,
    columns={
        "arm": "setup",
        "delay_ns": "one-way delay (ns)",
        "below": "share of packets sent that arrived within this delay (ratio)",
    },
    title=_title,
    caption=lambda d: (
        f"One-way delay of each packet of {d.of.what}, all repeats together; under a load the "
        "packets from 5 s after it began. Left: the share of all packets sent that arrived "
        "within a delay. A curve that ends below 100 % has lost the rest. The further right a "
        "curve, the longer the load makes the flow wait. Right: the delay that so many of the "
        "packets sent keep; a line ends where fewer than ten packets lie above, or the loss "
        "begins."
    ),
    form=_waits,
    extra={"percentiles": _percentiles},
)

# Each packet over the time of a trial, those that were lost at the top.

DOTS: Final = 1200  # packets of a panel
PANELS: Final = 6
ARRIVED, LOST = "arrived", "lost"
ABOVE: Final = 1.08  # of the longest delay: where lost packets stand
_PACKET_TIPS = [
    *vega.tips("kind"),
    *vega.numbers(".3f", {"time_s": "sent after, s"}),
    *vega.numbers(".4s", {"delay_ns": "delay"}),
]


def _left_out(loaded: Sequence[Loaded]) -> str:
    """Say that not every setup has a panel."""
    return f" The first {PANELS} of {len(loaded)} setups are drawn." * (len(loaded) > PANELS)


def _losses(d: Drawn[Scene]) -> str:
    """The finding: how many are lost, of the point that loses most."""
    worst = max(d.of.loaded, key=lambda loaded: loaded.flow.loss_ratio)
    if not worst.flow.loss_ratio:
        return f"No packet is lost beside the load: {d.of.what}"
    share = number.quantity(worst.flow.loss_ratio, "ratio")
    return f"{share} of the packets are lost beside the load ({worst.label}): {d.of.what}"


def _packets(scene: Scene) -> Iterator[Row]:
    for loaded in scene.loaded[:PANELS]:
        flow = loaded.sights[0].seen.flow
        step = max(1, -(-len(flow.sent_ns) // DOTS))
        pairs = list(zip(flow.delay_ns, flow.sent_ns, strict=True))
        slowest = [max(pairs[at : at + step]) for at in range(0, len(pairs), step)]
        top = max(flow.delay_ns) * ABOVE
        kinds = {ARRIVED: slowest, LOST: [(top, at) for at in flow.lost_ns]}
        for kind, packets in kinds.items():
            for delay, at in packets:
                row: Row = {"arm": loaded.label, "kind": kind}
                row["time_s"] = round((at - _zero(flow)) / S_NS, 3)
                yield row | {"delay_ns": float(f"{delay:.4g}")}


def _zero(flow: Flow) -> int:
    return min([*flow.sent_ns[:1], *flow.lost_ns[:1]])


def _load(scene: Scene, _: Sequence[Row]) -> Iterator[Row]:
    for loaded in scene.loaded[:PANELS]:
        seen = loaded.sights[0].seen
        start, end = ((at - _zero(seen.flow)) / S_NS for at in seen.load_ns)
        yield {"arm": loaded.label, "time_s": round(start, 3), "end_s": round(end, 3)}


def _packet_panel(d: Drawn[Scene], label: str) -> Part:
    own = [row for row in d.rows if row["arm"] == label]
    x = steps.time("sent after the first packet, s", 0, most(own, "time_s"))
    y = steps.wait("delay_ns", "one-way delay, ms", most(own, "delay_ns") * 1.05)
    base, load = (vega.rows(of, arm=label) for of in (d.name, f"{d.name}-load"))
    at = {"x": x, "y": y, "tooltip": _PACKET_TIPS, "filled": True}
    cross = {"color": vega.value("var(--ink)"), "shape": "cross", "size": 34, "angle": 45}
    arrived = {"color": steps.alone(label), "size": 7, "opacity": 0.8}
    return theme.panel(
        f"One-way delay of each packet over time, {label}",
        load.mark("rect", x=x, x2="end_s", style="noise", opacity=0.45, clip=True),
        base.where(kind=ARRIVED).mark("point", **at, **arrived),
        base.where(kind=LOST).mark("point", **at, **cross),
        height=180,
    )


PACKETS = Chart[Scene](
    name=lambda scene: f"packets-{scene.anchor}",
    rows=_packets,
    columns={
        "arm": "setup",
        "kind": "what became of it",
        "time_s": "sent after the first packet (s)",
        "delay_ns": "one-way delay (ns)",
    },
    title=_losses,
    caption=lambda d: (
        f"One-way delay of each packet of {d.of.what} over the time of its sending, in the "
        "first trial of each setup. Grey: while the load is sent. Crosses at the top: packets "
        f"that never came. Of more than {DOTS:,} packets the slowest of each of as many equal "
        "steps is drawn, and all that were lost. A band that stays high is a standing queue; "
        f"teeth are TCP that backs off.{_left_out(d.of.loaded)}"
    ),
    form=each("arm", _packet_panel),
    extra={"load": _load},
)

# The sawtooth, of points whose queue is the line's.

SHOWN_NS: Final = 30 * S_NS  # of a sawtooth
BOUNDS: Final = {"full": "buffer full", "trough": "TCP backed off"}


def _queued(scene: Scene) -> list[Loaded]:
    return [loaded for loaded in scene.loaded if loaded.queue.expected]


def _finding(d: Drawn[Scene]) -> str:
    """The period and what never empties, of the first setup that has a sawtooth."""
    for loaded in _queued(d.of)[:PANELS]:
        values = loaded.queue.values
        if period := values.get("queue_period_ns"):
            text = f"The queue falls and rises every {number.quantity(period.value, 'ns')}"
            if standing := values.get("queue_standing_bytes"):
                text += f"; {float(f'{standing.value:.3g}'):,.0f} bytes of it never leave"
            return f"{text} ({loaded.label}): {d.of.what}"
    return f"The queue has no sawtooth: {d.of.what}"


def _medians(scene: Scene) -> Iterator[Row]:
    for loaded in _queued(scene)[:PANELS]:
        seen = loaded.sights[0].seen
        start = seen.load_ns[0] + SETTLE_NS
        end = min(seen.load_ns[1], start + SHOWN_NS)
        for place, median in enumerate(seen.flow.medians(start, end, STEP_NS)):
            at = (start - seen.load_ns[0] + (place + 0.5) * STEP_NS) / S_NS
            wait = float(f"{max(0.0, median - seen.least_ns):.4g}")
            yield {"arm": loaded.label, "time_s": round(at, 3), "wait_ns": wait}


def _bounds(scene: Scene, _: Sequence[Row]) -> Iterator[Row]:
    for loaded in _queued(scene)[:PANELS]:
        for name, text in BOUNDS.items():
            value = loaded.queue.expected.get(f"queue_expected_{name}_ns")
            if value is not None:
                yield {"arm": loaded.label, "wait_ns": float(f"{value:.4g}"), "text": text}


def _teeth(d: Drawn[Scene], label: str) -> Part:
    own = [row for row in (*d.rows, *d.extra["expected"]) if row["arm"] == label]
    times = numbers(own, "time_s")
    x = steps.time("after the load's first byte, s", min(times), max(times))
    y = steps.wait("wait_ns", "wait, ms", most(own, "wait_ns") * 1.12)
    base, wanted = (vega.rows(of, arm=label) for of in (d.name, f"{d.name}-expected"))
    text = {"x": vega.value(4), "y": y, "text": "text:N", "align": "left", "dy": -6}
    return theme.panel(
        f"Wait over time, {label}",
        wanted.mark("rule", y=y, style="ideal", strokeDash=[5, 3]),
        base.mark("line", x=x, y=y, color=steps.alone(label), strokeWidth=1.4),
        *wanted.haloed(**text, style="note"),
        height=180,
    )


SAWTOOTH = Chart[Scene](
    name=lambda scene: f"sawtooth-{scene.anchor}",
    rows=_medians,
    columns={
        "arm": "setup",
        "time_s": "after the load's first byte (s)",
        "wait_ns": "wait, median (ns)",
    },
    title=_finding,
    caption=lambda d: (
        f"How long {d.of.what} waits: medians of {STEP_NS // 1_000_000} ms of the first "
        f"trial, from {SETTLE_NS // S_NS} s after the load's first byte, at most "
        f"{SHOWN_NS // S_NS} s of it. "
        "A wait is a delay less the shortest without a queue. Dashed: a full buffer, and what "
        "TCP should leave of it when it backs off. The queue below the teeth never empties."
        f"{_left_out(_queued(d.of))}"
    ),
    form=each("arm", _teeth),
    extra={"expected": _bounds},
)

# What the load gets for the delay that it adds: a point for each setup, of two or more (RFC 7928).

ADDED, GOODPUT = "queue_added_p50_ns", "queue_goodput_bps"
LEAST_NS: Final = 1000.0  # an axis of a logarithm has no zero


def _points(scene: Scene) -> list[Row]:
    rows = [
        {"arm": loaded.label, **three("added_ns", v[ADDED]), **three("goodput_bps", v[GOODPUT])}
        for loaded in scene.loaded
        if {ADDED, GOODPUT} <= (v := loaded.queue.values).keys()
    ]
    return rows if len(rows) > 1 else []


def _given_away(d: Drawn[Scene]) -> str:
    """The finding: what the setup with the least delay gives away."""
    best = min(d.rows, key=lambda row: float(row["added_ns"] or 0))
    if not (high := d.most("goodput_bps")):
        return f"The load gets nothing: {d.of.what}"
    delay = number.quantity(float(best["added_ns"] or 0), "ns")
    share = number.plain(float(best["goodput_bps"] or 0) / high * 100, 0)
    return f"{best['arm']} adds {delay} and keeps {share} % of the best goodput: {d.of.what}"


def _tradeoff(d: Drawn[Scene]) -> Part:
    ends = [max(end, LEAST_NS) for end in numbers(d.rows, "added_ns_lo", "added_ns_hi")]
    span, high = (min(ends) / 2, max(ends) * 2), d.most("goodput_bps_hi") * 1.1
    x = theme.delay_across("added_ns", span, "added delay, median")
    y = theme.bits_axis("goodput_bps", "goodput of the load", high)
    arms, base, tips = d.once("arm"), vega.rows(d.name), vega.tips("arm")
    tips += vega.numbers(".4s", {"added_ns": "added delay", "goodput_bps": "goodput"})
    look = {"color": theme.color(arms, arms), "shape": theme.shape(arms, arms), "size": 80}
    return theme.panel(
        "Goodput of the load over the delay that it adds",
        *scatter.crossed(base, x, y, style="whisker"),
        curve.dots(base, x=x, y=y, tooltip=tips, **look),
    )


TRADEOFF = Chart[Scene](
    name=lambda scene: f"tradeoff-{scene.anchor}",
    rows=_points,
    columns={"arm": "setup"}
    | heads("added_ns", "added delay, median", "ns")
    | heads("goodput_bps", "goodput of the load", "bit/s"),
    title=_given_away,
    caption=lambda d: (
        f"Goodput of the load over the median delay that it adds to {d.of.what}: a point for "
        "each setup, whiskers are the intervals over its trials (RFC 7928). Up and "
        "to the left is better: the same goodput for less delay. Log axis of delay."
    ),
    form=whole(_tradeoff),
)
