# SPDX-License-Identifier: Apache-2.0
"""Knees, delays, single points and ceilings, each as a table."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from gatemark.judge.judgement import Judgement, Knee, PointResult
from gatemark.kind.connections.point import QUANTITIES
from gatemark.kind.responsiveness.plan import RESPONSIVENESS
from gatemark.plan.feature import DIRECT
from gatemark.plan.model import Plan
from gatemark.tell.fact import say
from gatemark.tell.group import each_run, latency, study, sweep
from gatemark.tell.group.source import Source
from gatemark.tell.words import column, headline, number, traffic
from gatemark.tell.words.column import Column
from gatemark.tell.words.number import KPPS, MBPS, PERCENT, SEGMENTS, Scale
from gatemark.tell.words.table import NONE, Table

WHOLE = Scale(1.0, "")
INSIDE = "cpu_busy_inside"


def knees(judgement: Judgement) -> Table:
    """One line for each arm and direction: the knee, what is left beyond it, what limits."""

    def at(knee: Knee) -> PointResult | None:
        return sweep.loaded(judgement, knee)

    return column.table(
        "Capacity. No loss to: the highest rate at and below which no repeat lost a packet and no "
        "queue grew, in short trials, not those of RFC 2544. Knee: where received stops following "
        "offered",
        judgement.knees,
        Column("setup", lambda knee: knee.setup),
        Column("direction", lambda knee: traffic.way(knee.direction)),
        Column("at", _at, is_there=None),
        column.number("no loss to, k packets/s", _no_loss),
        column.number(
            "knee, k packets/s",
            lambda knee: number.interval(knee.knee_pps, KPPS, at_least=knee.at_least),
        ),
        column.number("Mbit/s (L1)", _bits),
        column.number("at 2x the knee, %", _twice),
        column.number("CPU, %", lambda k: cell(p, "cpu_busy", PERCENT) if (p := at(k)) else NONE),
        Column("bottleneck", lambda knee: headline.bottleneck(knee.limit)),
    )


def delays(source: Source) -> Table:
    """One-way delay at each load that was timed, by percentile; the tester's own comes first."""
    groups = latency.groups(source.judgement, source.run.plans)
    own = [floor for group in groups for floor in each_run.floors(source, group).values()]
    floors = {id(floor): floor for floor in own}
    runs = each_run.by_run(source)

    def share(p: PointResult) -> str:
        return _share(runs[each_run.letter(source, p.arm)].judgement, p)

    every = [*floors.values(), *(load.point for group in groups for load in group.loads)]
    to = number.scale(middles(every, "delay_p50_ns"), "ns")
    spec: list[Column[PointResult]] = [
        Column("setup", who),
        Column("point", traffic.point_words),
        Column("load", latency.in_words),
        Column("of the knee, %", share, True, any(share(p) != NONE for p in every)),
        *(
            Column(f"{head}, {to.unit}", *cells(every, f"delay_{name}_ns", to))
            for name, head in {"min": "min", **latency.NAMES, "pdv": "PDV"}.items()
        ),
    ]
    caption = "One-way delay below the knee: a percentile is told where ten packets lie above it"
    return column.table(caption, every, *spec)


def ceilings(judgement: Judgement) -> Table:
    """What the tester alone can do, LAN host to WAN host without the gateway."""
    others = (*QUANTITIES, RESPONSIVENESS)
    ceilings = [p for p in judgement.ceilings if p.definition.quantity not in others]
    return _rates(ceilings, "Tester's ceiling: without the gateway")


def singles(judgement: Judgement, plans: Sequence[Plan] = ()) -> Table:
    """Points that belong to no sweep and no study: ranked by received rate."""
    return _rates(study.singles(judgement, plans), "Single points, fastest first")


def points(judgement: Judgement) -> Table:
    """Every point with its rates, loss, delay, CPU and limit with its why."""
    everyone = (*judgement.ceilings, *judgement.floors, *judgement.points)
    spec: list[Column[PointResult]] = [
        Column("plan", lambda p: p.plan),
        Column("setup", who),
        Column("point", lambda p: point(p.point)),
        Column("received, k packets/s", *cells(everyone, "received_pps", KPPS)),
        Column("goodput, Mbit/s", *cells(everyone, "goodput_bps", MBPS)),
        *_seen_by_tcp(everyone),
        *connecting(everyone),
        Column("instructions", *cells(everyone, "instructions", WHOLE)),
        Column("instructions at the rate", *cells(everyone, "instructions_at_rate", WHOLE)),
        Column("loss, %", *cells(everyone, "loss_ratio", PERCENT)),
        *(_delay(everyone, f"delay_{share}_ns", f"delay {share}") for share in ("p50", "p99")),
        Column("CPU, %", *cells(everyone, "cpu_busy", PERCENT)),
        Column("CPU by its own reading, %", *cells(everyone, INSIDE, PERCENT)),
        Column("bottleneck", lambda p: headline.bottleneck(p.limit)),
        Column("why", lambda p: "; ".join([say.words(p.why) or NONE, *_invalid(p)])),
    ]
    return column.table("Every point, with the interval of its median", everyone, *spec)


def cell(p: PointResult, name: str, to: Scale) -> str:
    """One quantity of a point with its interval; a dash where it was not measured."""
    if name not in p.values:
        return NONE
    return number.interval(p.values[name], to, at_least=headline.bounded(p, name))


def who(p: PointResult) -> str:
    """The setup; without a gateway `tester alone`, with the letter that its run may have."""
    return p.setup.replace(DIRECT, "tester alone", 1) if p.definition.path == DIRECT else p.setup


def point(factors: Mapping[str, object]) -> str:
    """A point's factors in short: `offered 20 k packets/s, ↑ up`."""
    return traffic.point(factors)


def _at(knee: Knee) -> str:
    """The level of each other factor."""
    levels = {name: level for name, level in knee.point.items() if name != "direction"}
    return traffic.point(levels) if levels else NONE


def _no_loss(knee: Knee) -> str:
    return number.plain(knee.no_loss_pps / KPPS.factor, 1) if knee.no_loss_pps else NONE


def _bits(knee: Knee) -> str:
    bound = number.AT_LEAST if knee.at_least else ""
    return bound + number.plain(knee.least_l1_bps / MBPS.factor, 1)


def _twice(knee: Knee) -> str:
    return number.interval(twice, PERCENT) if (twice := knee.retained.get("2x")) else NONE


def _share(judgement: Judgement, p: PointResult) -> str:
    part = None if p.definition.path == "direct" else latency.share(judgement, p)
    return NONE if part is None else number.plain(part * 100, 0)


def _rates(points: Sequence[PointResult], caption: str) -> Table:
    rate = number.scale(middles(points, "received_pps"), "packets/s")
    bits = number.scale(sorted(middles(points, "received_l1_bps"))[:1], "bit/s")
    spec: list[Column[PointResult]] = [
        Column("setup", who),
        Column("point", traffic.at),
        Column(f"received, {rate.unit}", *cells(points, "received_pps", rate)),
        Column(f"{bits.unit} (L1)", *cells(points, "received_l1_bps", bits)),
        Column("goodput, Mbit/s", *cells(points, "goodput_bps", MBPS)),
        Column("loss, %", *cells(points, "loss_ratio", PERCENT)),
        *_seen_by_tcp(points),
        Column(
            "tester's CPU, %",
            _tester_cpu,
            is_number=True,
            is_there=any(p.tester_cpu for p in points if p.definition.path == DIRECT),
        ),
        Column("bottleneck", lambda p: headline.bottleneck(p.limit)),
    ]
    return column.table(caption, points, *spec)


def _tester_cpu(point: PointResult) -> str:
    """The CPU of the tester's busier end, in %."""
    return f"{100 * point.tester_cpu:.0f}" if point.tester_cpu else NONE


def _seen_by_tcp(points: Sequence[PointResult]) -> Iterator[Column[PointResult]]:
    rtt = number.scale(middles(points, "rtt_p50_ns"), "ns")
    yield Column("retransmits", *cells(points, "retransmits", SEGMENTS))
    yield Column(f"RTT p50, {rtt.unit}", *cells(points, "rtt_p50_ns", rtt))


def connecting(points: Sequence[PointResult]) -> Iterator[Column[PointResult]]:
    """What is counted and timed of connections."""
    fast = number.scale(middles(points, "connections_per_s"), "connections/s")
    yield Column("connections", *cells(points, "connections", WHOLE))
    yield Column(f"{fast.unit}", *cells(points, "connections_per_s", fast))
    for kind in ("connect", "echo"):
        to = number.scale(middles(points, f"{kind}_p50_ns"), "ns")
        for share in ("p50", "p99"):
            shown = cells(points, f"{kind}_{share}_ns", to)
            yield Column(f"{kind} {share}, {to.unit}", *shown)
    yield Column("B each", *cells(points, "connection_bytes", WHOLE))


def _delay(points: Sequence[PointResult], name: str, head: str) -> Column[PointResult]:
    to = number.scale(middles(points, "delay_p50_ns"), "ns")
    return Column(f"{head}, {to.unit}", *cells(points, name, to))


def cells(
    points: Sequence[PointResult], name: str, to: Scale
) -> tuple[Callable[[PointResult], str], bool, bool]:
    """How a quantity is shown; that it is a number; whether it is there."""
    return lambda p: cell(p, name, to), True, any(name in p.values for p in points)


def _invalid(p: PointResult) -> list[str]:
    return [f"{p.invalid} invalid trial{'' if p.invalid == 1 else 's'}"] if p.invalid else []


def middles(points: Iterable[PointResult], name: str) -> list[float]:
    """The medians of a quantity, of the points that have it."""
    return [p.values[name].value for p in points if name in p.values]
