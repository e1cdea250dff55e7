# SPDX-License-Identifier: Apache-2.0
"""Cards of delay: what a packet takes below the knee, and what load adds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gatemark.judge.judgement import Judgement, Knee, PointResult
from gatemark.judge.math.interval import Interval, less
from gatemark.judge.verdict.grade import letter, limits
from gatemark.plan.model import Plan
from gatemark.tell.card.card import Card, Place, parts, what
from gatemark.tell.card.picture import Bar, Line, Picture
from gatemark.tell.group import latency, sweep
from gatemark.tell.group.latency import Load
from gatemark.tell.words import number, traffic

MEDIAN = "delay_p50_ns"
MOST_LINES = 6
LAB_CLOCK = "Here one machine's clock, veth links, and the lab's queue."
LAB_QUEUE = "the queue is the lab's (256 packets), not a device's"


def one_way(judgement: Judgement, plans: Sequence[Plan], place: Place) -> Iterable[Card]:
    """The delay below the knee: of the first setup at its highest load, then all the others."""
    timed = next(iter(latency.groups(judgement, plans)), None)
    swept = latency.loads(judgement, sweep.lead(next(iter(sweep.groups(judgement)), [])))
    below = [point for point in swept if point.load != "over"]
    loads = list(timed.loads) if timed else below
    if not loads:
        return
    own = [
        load for load in loads if (load.arm, load.direction) == (loads[0].arm, loads[0].direction)
    ]
    others = [load for load in loads if load not in own]
    floor = latency.floor(judgement, loads[0].point.definition)
    value, unit = parts(own[-1].point.values[MEDIAN], "ns")
    lines = [_timed(judgement, load) for load in own]
    lines += [f"{latency.way(point)}, {_timed(judgement, point)}" for point in _last(others)]
    lines += [f"the tester alone: {latency.spread(floor)}"] if floor else []
    lines += [_variation(own[-1])] if "delay_pdv_ns" in own[-1].point.values else []
    clock = f" {LAB_CLOCK}" if place.is_virtual else ""
    yield Card(
        title=f"One-way delay: {own[-1].point.setup}",
        value=value,
        unit=f"{unit} at {_rate(own[-1])}",
        line=f"median, {traffic.load(own[-1].point.definition)}",
        lines=tuple(lines[:MOST_LINES]),
        definition=f"Median; {traffic.traffic(own[-1].point.definition)}. {latency.WHERE}{clock} "
        f"Known to within {latency.KNOWN}.",
        evidence="delays" if timed else "every-point",
        picture=_bars([own[-1], *_last(others)], place),
        amount=own[-1].point.values[MEDIAN],
    )


def _bars(loads: Sequence[Load], place: Place) -> Picture:
    bars = [
        Bar(
            load.arm,
            place.colors.color(load.point.plan, load.arm),
            load.point.values[MEDIAN],
        )
        for load in loads
    ]
    return Picture("Median one-way delay of each setup at its highest load", tuple(bars))


def _timed(judgement: Judgement, load: Load) -> str:
    part = latency.share(judgement, load.point)
    of = f" ({number.plain(part * 100, 0)} % of its knee)" if part else ""
    return f"at {_rate(load)}{of}: {latency.spread(load.point)}"


def _variation(load: Load) -> str:
    text = number.quantity_interval(load.point.values["delay_pdv_ns"], "ns")
    return f"variation (99.9 % against the fastest): {text}"


def _rate(load: Load) -> str:
    return number.nominal(sweep.offered_pps(load.point), "packets/s")


def _last(loads: Sequence[Load]) -> list[Load]:
    """Each arm's highest load, in each direction."""
    return list({(load.arm, load.direction): load for load in loads}.values())


def under_load(judgement: Judgement, place: Place) -> Iterable[Card]:
    """What overload adds to the median; of a device with its grade."""
    delay = added(judgement)
    if delay is None:
        return
    value, unit = parts(delay.delay_ns, "ns")
    lines = [f"nearly idle: {_median(delay.light.values)}"]
    if "delay_p99_ns" in delay.light.values:
        p99 = delay.light.values["delay_p99_ns"]
        lines[0] += f", 99 of 100 within {number.quantity(p99.value, 'ns')}"
    lines.append(f"overloaded: {_median(delay.heavy.values)}")
    lines += [LAB_QUEUE] if place.is_virtual else []
    # Where the tester was the limit, a grade would say more of the tester than of a gateway.
    is_graded = place.is_device(delay.knee.definition.slow_to_pps) and delay.heavy.limit != "tester"
    graded = f" Grade: {limits()}." if is_graded else ""
    rates = [number.nominal(sweep.offered_pps(p), "packets/s") for p in (delay.heavy, delay.light)]
    yield Card(
        title="Delay under load",
        value=f"+{value}" if delay.delay_ns.value > 0 else value,
        unit=unit,
        line=f"added to the median by {rates[0]} offered, {what(delay.knee)}",
        lines=tuple(lines),
        definition=f"Added to the median one-way delay by {rates[0]} offered, against {rates[1]}; "
        f"{what(delay.knee)}.{graded}",
        evidence=sweep.anchor("delay", delay.knee),
        picture=_curves(judgement, place),
        amount=delay.delay_ns,
        grade=letter(delay.delay_ns.value) if is_graded else "",
    )


def _median(values: dict[str, Interval]) -> str:
    return number.quantity_interval(values[MEDIAN], "ns")


def _curves(judgement: Judgement, place: Place) -> Picture:
    """Median delay against offered rate, on a log axis."""
    lines = [
        Line(
            knee.arm,
            place.colors.color(knee.plan, knee.arm),
            tuple(
                (sweep.offered_pps(p), p.values[MEDIAN].value)
                for p in sweep.points_of(judgement, knee)
                if MEDIAN in p.values
            ),
        )
        for knee in sweep.groups(judgement)[0]
        if knee in sweep.lead(judgement.knees)
    ]
    return Picture("Median delay against offered rate, log axis", lines=tuple(lines), is_log=True)


@dataclass(frozen=True, slots=True)
class Added:
    """What the heaviest load of a sweep adds to the delay at its lightest."""

    knee: Knee
    light: PointResult
    heavy: PointResult
    delay_ns: Interval


def added(judgement: Judgement) -> Added | None:
    """The leading sweep to which load adds most; None: no delay under load."""
    every = [delay for knee in sweep.lead(judgement.knees) if (delay := _added(judgement, knee))]
    return max(every, key=lambda added: added.delay_ns.value, default=None)


def _added(judgement: Judgement, knee: Knee) -> Added | None:
    timed = [p for p in sweep.points_of(judgement, knee) if MEDIAN in p.values]
    if len(timed) < 2 or sweep.offered_pps(timed[-1]) <= knee.knee_pps.value:
        return None
    light, heavy = timed[0], timed[-1]
    a, b = light.values[MEDIAN], heavy.values[MEDIAN]
    return Added(knee, light, heavy, less(b, a))
