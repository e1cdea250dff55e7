# SPDX-License-Identifier: Apache-2.0
"""Each packet of a flow over the time of a trial, those that were lost at the top; the sawtooth."""

from collections.abc import Iterator, Sequence
from typing import Final

from gatemark.judge.queue.flow import S_NS, Flow
from gatemark.judge.queue.queues import Sight
from gatemark.judge.queue.swing import SETTLE_NS, STEP_NS
from gatemark.tell.chart import theme, vega
from gatemark.tell.chart.figure import Figure, Row, most
from gatemark.tell.chart.vega import Part, between, channel
from gatemark.tell.group.queue import Loaded, Scene
from gatemark.tell.words import number

MOST: Final = 1200  # packets of a panel
PANELS: Final = 6
SHOWN_NS: Final = 30 * S_NS  # of a sawtooth
ARRIVED, LOST, LOAD, MEDIAN = "arrived", "lost", "load", "median"
ABOVE: Final = 1.08  # of the longest delay: where lost packets stand
_TIPS = [
    *vega.tips("kind"),
    *vega.numbers(".3f", {"time_s": "sent after, s"}),
    *vega.numbers(".4s", {"delay_ns": "delay"}),
]
MS: Final = "format(datum.value / 1e6, ',~r')"


def figure(scene: Scene) -> Figure:
    """A panel for each point: its packets over the time of their sending."""
    name = f"packets-{scene.anchor}"
    shown = scene.loaded[:PANELS]
    rows = [row for loaded in shown for row in _rows(loaded)]
    spans = [_span(loaded) for loaded in shown]
    return Figure(
        name=name,
        title=_title(scene),
        definition=(
            f"One-way delay of each packet of {scene.what} over the time of its sending, in the "
            "first trial of each setup. Grey: while the load is sent. Crosses at the top: packets "
            f"that never came. Of more than {MOST:,} packets the slowest of each of as many equal "
            "steps is drawn, and all that were lost. A band that stays high is a standing queue; "
            f"teeth are TCP that backs off.{_left_out(scene.loaded)}"
        ),
        panels=tuple((loaded.label, _points(name, loaded, rows)) for loaded in shown),
        rows=rows,
        columns={
            "arm": "setup",
            "kind": "what became of it",
            "time_s": "sent after the first packet (s)",
            "delay_ns": "one-way delay (ns)",
        },
        plan=scene.plan,
        extra={f"{name}-load": spans},
    )


def _left_out(loaded: Sequence[Loaded]) -> str:
    """Say that not every setup has a panel."""
    return f" The first {PANELS} of {len(loaded)} setups are drawn." * (len(loaded) > PANELS)


def _title(scene: Scene) -> str:
    """The finding: how many are lost, of the point that loses most."""
    worst = max(scene.loaded, key=lambda loaded: loaded.flow.loss_ratio)
    if not worst.flow.loss_ratio:
        return f"No packet is lost beside the load: {scene.what}"
    share = number.quantity(worst.flow.loss_ratio, "ratio")
    return f"{share} of the packets are lost beside the load ({worst.label}): {scene.what}"


def _rows(loaded: Loaded) -> Iterator[Row]:
    flow = loaded.sights[0].seen.flow
    zero = _zero(flow)
    step = max(1, -(-len(flow.sent_ns) // MOST))
    pairs = list(zip(flow.delay_ns, flow.sent_ns, strict=True))
    for place in range(0, len(pairs), step):
        delay, at = max(pairs[place : place + step])
        yield _row(loaded.label, ARRIVED, at - zero, delay)
    top = max(flow.delay_ns) * ABOVE
    for at in flow.lost_ns:
        yield _row(loaded.label, LOST, at - zero, top)


def _row(label: str, kind: str, at_ns: float, delay_ns: float) -> Row:
    row: Row = {"arm": label, "kind": kind, "time_s": round(at_ns / S_NS, 3)}
    return row | {"delay_ns": float(f"{delay_ns:.4g}")}


def _zero(flow: Flow) -> int:
    return min([*flow.sent_ns[:1], *flow.lost_ns[:1]])


def _span(loaded: Loaded) -> Row:
    seen = loaded.sights[0].seen
    start, end = ((at - _zero(seen.flow)) / S_NS for at in seen.load_ns)
    return {"arm": loaded.label, "time_s": round(start, 3), "end_s": round(end, 3)}


def _points(name: str, loaded: Loaded, rows: Sequence[Row]) -> Part:
    own = [row for row in rows if row["arm"] == loaded.label]
    x = _time("time_s", [0, most(own, "time_s")], "sent after the first packet, s")
    y = _wait("delay_ns", "one-way delay, ms", most(own, "delay_ns") * 1.05)
    base, load = (vega.rows(of, arm=loaded.label) for of in (name, f"{name}-load"))
    color = channel("arm:N", scale=vega.names([loaded.label]), legend=None)
    at = {"x": x, "y": y, "tooltip": _TIPS, "filled": True}
    cross = {"color": vega.value("var(--ink)"), "shape": "cross", "size": 34, "angle": 45}
    return theme.panel(
        f"One-way delay of each packet over time, {loaded.label}",
        load.mark("rect", x=x, x2="end_s", style="noise", opacity=0.45, clip=True),
        base.where(kind=ARRIVED).mark("point", **at, color=color, size=7, opacity=0.8),
        base.where(kind=LOST).mark("point", **at, **cross),
        height=180,
    )


def sawtooth(scene: Scene) -> Figure | None:
    """A panel for each point whose queue is the line's; None where there is no such point."""
    queued = [loaded for loaded in scene.loaded if loaded.queue.expected]
    shown = queued[:PANELS]
    rows = [row for loaded in shown for row in _medians(loaded.label, loaded.sights[0])]
    if not rows:
        return None
    name = f"sawtooth-{scene.anchor}"
    bounds = [row for loaded in shown for row in _bounds(loaded)]
    return Figure(
        name=name,
        title=_finding(scene, shown),
        definition=(
            f"How long {scene.what} waits: medians of {STEP_NS // 1_000_000} ms of the first "
            f"trial, from {SETTLE_NS // S_NS} s after the load's first byte, at most "
            f"{SHOWN_NS // S_NS} s of it. "
            "A wait is a delay less the shortest without a queue. Dashed: a full buffer, and what "
            "TCP should leave of it when it backs off. The queue below the teeth never empties."
            f"{_left_out(queued)}"
        ),
        panels=tuple((loaded.label, _teeth(name, loaded.label, rows, bounds)) for loaded in shown),
        rows=rows,
        columns={
            "arm": "setup",
            "time_s": "after the load's first byte (s)",
            "wait_ns": "wait, median (ns)",
        },
        plan=scene.plan,
        extra={f"{name}-expected": bounds},
    )


def _finding(scene: Scene, shown: Sequence[Loaded]) -> str:
    """The period and what never empties, of the first setup that has a sawtooth."""
    for loaded in shown:
        values = loaded.queue.values
        period = values.get("queue_period_ns")
        if not period:
            continue
        text = f"The queue falls and rises every {number.quantity(period.value, 'ns')}"
        if standing := values.get("queue_standing_bytes"):
            text += f"; {_bytes(standing.value)} bytes of it never leave"
        return f"{text} ({loaded.label}): {scene.what}"
    return f"The queue has no sawtooth: {scene.what}"


def _bytes(value: float) -> str:
    """With three digits."""
    return f"{float(f'{value:.3g}'):,.0f}"


def _medians(label: str, sight: Sight) -> Iterator[Row]:
    seen = sight.seen
    start = seen.load_ns[0] + SETTLE_NS
    end = min(seen.load_ns[1], start + SHOWN_NS)
    for place, median in enumerate(seen.flow.medians(start, end, STEP_NS)):
        at = (start - seen.load_ns[0] + (place + 0.5) * STEP_NS) / S_NS
        wait = float(f"{max(0.0, median - seen.least_ns):.4g}")
        yield {"arm": label, "time_s": round(at, 3), "wait_ns": wait}


def _bounds(loaded: Loaded) -> Iterator[Row]:
    words = {"full": "buffer full", "trough": "TCP backed off"}
    for name, text in words.items():
        value = loaded.queue.expected.get(f"queue_expected_{name}_ns")
        if value is not None:
            yield {"arm": loaded.label, "wait_ns": float(f"{value:.4g}"), "text": text}


def _teeth(name: str, label: str, rows: Sequence[Row], bounds: Sequence[Row]) -> Part:
    own = [row for row in (*rows, *bounds) if row["arm"] == label]
    times = [float(row["time_s"] or 0) for row in rows if row["arm"] == label]
    x = _time("time_s", [min(times), max(times)], "after the load's first byte, s")
    y = _wait("wait_ns", "wait, ms", most(own, "wait_ns") * 1.12)
    color = channel("arm:N", scale=vega.names([label]), legend=None)
    base, wanted = (vega.rows(of, arm=label) for of in (name, f"{name}-expected"))
    text = {"x": vega.value(4), "y": y, "text": "text:N", "align": "left", "dy": -6}
    return theme.panel(
        f"Wait over time, {label}",
        wanted.mark("rule", y=y, style="ideal", strokeDash=[5, 3]),
        base.mark("line", x=x, y=y, color=color, strokeWidth=1.4),
        *wanted.haloed(**text, style="note"),
        height=180,
    )


def _time(field: str, domain: Sequence[float], title: str) -> Part:
    axis = {"tickCount": 6, "grid": False, "labelBound": True}
    return channel(f"{field}:Q", title=title, axis=axis, scale=between(*domain))


def _wait(field: str, title: str, high: float) -> Part:
    axis = {"labelExpr": MS, "tickCount": 4}
    return channel(f"{field}:Q", title=title, axis=axis, scale=between(0, high or 1.0))
