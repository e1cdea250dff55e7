# SPDX-License-Identifier: Apache-2.0
"""How long a flow's packets take beside a load, and what the load gets for it (RFC 7928)."""

from collections.abc import Sequence
from math import log10
from typing import Final

from gatemark.judge.queue.flow import Flow, within
from gatemark.tell.chart import curve, theme, vega
from gatemark.tell.chart.figure import Figure, Row, heads, most, three
from gatemark.tell.chart.vega import Part, between, channel
from gatemark.tell.group.queue import Scene
from gatemark.tell.words import number

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


def figure(scene: Scene) -> Figure:
    """A line for each point, and one for the flow without a load."""
    name = f"waits-{scene.anchor}"
    curves = {scene.idle_label: scene.idle} if scene.idle.delay_ns else {}
    curves |= {loaded.label: loaded.flow for loaded in scene.loaded}
    rows = [row for label, flow in curves.items() for row in _rows(label, flow)]
    tails = [row for label, flow in curves.items() for row in _percentiles(label, flow)]
    labels = list(curves)
    return Figure(
        name=name,
        title=_title(scene),
        definition=(
            f"One-way delay of each packet of {scene.what}, all repeats together; under a load the "
            "packets from 5 s after it began. Left: the share of all packets sent that arrived "
            "within a delay. A curve that ends below 100 % has lost the rest. The further right a "
            "curve, the longer the load makes the flow wait. Right: the delay that so many of the "
            "packets sent keep; a line ends where fewer than ten packets lie above, or the loss "
            "begins."
        ),
        panels=(
            ("arrived within this delay (CDF)", _cdf(name, rows, labels)),
            ("delay by percentile", _tail(f"{name}-percentiles", tails, labels)),
        ),
        rows=rows,
        columns={
            "arm": "setup",
            "delay_ns": "one-way delay (ns)",
            "below": "share of packets sent that arrived within this delay (ratio)",
        },
        plan=scene.plan,
        extra={f"{name}-percentiles": tails},
    )


def _title(scene: Scene) -> str:
    """The finding: what 99 % keep, idle and beside each load."""
    idle = [f"{_p99(scene.idle)} without a load"] if scene.idle.delay_ns else []
    loaded = scene.loaded
    if len(loaded) > MOST:  # the shortest and the longest stand for all
        ordered = sorted(loaded, key=lambda each: each.flow.percentile(0.99))
        loaded = (ordered[0], ordered[-1])
    parts = [*idle, *(f"{_p99(each.flow)} ({each.label})" for each in loaded)]
    return f"99 % of the packets that arrive take at most {', '.join(parts)}: {scene.what}"


def _p99(flow: Flow) -> str:
    return number.quantity(flow.percentile(0.99), "ns")


def _rows(label: str, flow: Flow) -> list[Row]:
    """The curve where it moves."""
    steps = within(flow)
    rows: list[Row] = [{"arm": label, "delay_ns": _short(steps[0][0]), "below": 0.0}]
    last = 0.0
    for place, (delay, share) in enumerate(steps):
        if share - last >= FINE or place in (0, len(steps) - 1):
            rows.append({"arm": label, "delay_ns": _short(delay), "below": round(share, 5)})
            last = share
    return rows


def _percentiles(label: str, flow: Flow) -> list[Row]:
    """Percentiles of the packets sent: one that never came is later than all."""
    ordered = sorted(flow.delay_ns)
    rows: list[Row] = []
    for share in NINES:
        place = int(share * flow.packets)
        is_known = share <= 0.5 or (1 - share) * flow.packets >= BEYOND
        if is_known and place < len(ordered):
            nines = round(-log10(1 - share), 3)
            rows.append({"arm": label, "nines": nines, "delay_ns": _short(ordered[place])})
    return rows


def _short(delay_ns: float) -> float:
    return float(f"{max(delay_ns, 1.0):.4g}")


def _cdf(name: str, rows: Sequence[Row], labels: Sequence[str]) -> Part:
    delays = [float(row["delay_ns"] or 1) for row in rows]
    low, high = min(delays), max(delays)
    if high / low >= WIDE:
        x = theme.delay_across("delay_ns", (low, high))
    else:
        axis = {"labelExpr": theme.TIME, "tickCount": 5, "grid": False}
        scale = between(0, high * 1.05)
        x = channel("delay_ns:Q", title="one-way delay", axis=axis, scale=scale)
    axis = {"format": "%", "tickCount": 5}
    y = channel("below:Q", title="of the packets sent", axis=axis, scale={"domain": [0, 1]})
    color, dash = theme.stroked(labels)
    look = {"strokeWidth": 1.8, "interpolate": "step-after", "tooltip": _TIPS}
    line = vega.rows(name).mark("line", x=x, y=y, color=color, strokeDash=dash, **look)
    return theme.panel("Share of the packets sent that arrived within a delay", line)


def _tail(name: str, rows: Sequence[Row], labels: Sequence[str]) -> Part:
    ticks = {round(-log10(1 - share), 3): share for share in NINES}
    text = " : ".join(f"datum.value == {at} ? '{share * 100:g} %'" for at, share in ticks.items())
    axis = {"values": list(ticks), "labelExpr": f"{text} : ''", "labelOverlap": True, "grid": False}
    last = max((float(row["nines"] or 0) for row in rows), default=1.0)
    scale = between(min(ticks), last * 1.02)
    x = channel("nines:Q", title="of the packets sent keep this delay", axis=axis, scale=scale)
    y = theme.delay_axis("delay_ns", [float(row["delay_ns"] or 1) for row in rows] or [1.0])
    color, dash = theme.stroked(labels)
    at, base = {"x": x, "y": y, "color": color}, vega.rows(name)
    return theme.panel(
        "One-way delay by percentile",
        base.mark("line", **at, strokeDash=dash, strokeWidth=1.8),
        curve.dots(base, **at, tooltip=_TIPS[:2], size=30),
    )


ADDED, GOODPUT = "queue_added_p50_ns", "queue_goodput_bps"
ABOVE: Final = 1.1  # of the highest goodput: where the axis ends
LEAST_NS: Final = 1000.0  # an axis of a logarithm has no zero


def tradeoff(scene: Scene) -> Figure | None:
    """A point for each setup; None where there are fewer than two."""
    rows = [
        {"arm": loaded.label, **three("added_ns", v[ADDED]), **three("goodput_bps", v[GOODPUT])}
        for loaded in scene.loaded
        if {ADDED, GOODPUT} <= (v := loaded.queue.values).keys()
    ]
    if len(rows) < 2:
        return None
    name = f"tradeoff-{scene.anchor}"
    columns = {"arm": "setup"} | heads("added_ns", "added delay, median", "ns")
    return Figure(
        name=name,
        title=_tradeoff_title(scene, rows),
        definition=(
            f"Goodput of the load over the median delay that it adds to {scene.what}: a point for "
            "each setup, whiskers are the intervals over its trials (RFC 7928). Up and "
            "to the left is better: the same goodput for less delay. Log axis of delay."
        ),
        panels=(("", _panel(name, rows)),),
        rows=rows,
        columns=columns | heads("goodput_bps", "goodput of the load", "bit/s"),
        plan=scene.plan,
    )


def _tradeoff_title(scene: Scene, rows: Sequence[Row]) -> str:
    """The finding: what the setup with the least delay gives away."""
    best = min(rows, key=lambda row: float(row["added_ns"] or 0))
    high = most(rows, "goodput_bps")
    delay = number.quantity(float(best["added_ns"] or 0), "ns")
    if not high:
        return f"The load gets nothing: {scene.what}"
    share = number.plain(float(best["goodput_bps"] or 0) / high * 100, 0)
    return f"{best['arm']} adds {delay} and keeps {share} % of the best goodput: {scene.what}"


def _panel(name: str, rows: Sequence[Row]) -> Part:
    ends = [
        max(float(row[f"added_ns_{end}"] or 0), LEAST_NS) for row in rows for end in ("lo", "hi")
    ]
    span = (min(ends) / 2, max(ends) * 2)
    x = theme.delay_across("added_ns", span, "added delay, median")
    high = most(rows, "goodput_bps_hi") * ABOVE
    y = theme.bits_axis("goodput_bps", "goodput of the load", high)
    labels = [str(row["arm"]) for row in rows]
    look = {"color": theme.color(labels, labels), "shape": theme.shape(labels, labels), "size": 80}
    tips = vega.tips("arm")
    tips += vega.numbers(".4s", {"added_ns": "added delay", "goodput_bps": "goodput"})
    base = vega.rows(name)
    return theme.panel(
        "Goodput of the load over the delay that it adds",
        base.span("rule", "x", "added_ns", y=y, style="whisker"),
        base.span("rule", "y", "goodput_bps", x=x, style="whisker"),
        curve.dots(base, x=x, y=y, tooltip=tips, **look),
    )
