# SPDX-License-Identifier: Apache-2.0
"""The two tables of a first answer: the gateway at full speed, and what overload does to it.

Only what a reader compares has its interval: the knee, and what a feature costs. The rest of the
intervals are in the tables of `rates` and `ladder`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gatemark.report.group import latency, sweep
from gatemark.report.words import number, traffic
from gatemark.report.words.number import KPPS, MBPS, PERCENT, Scale
from gatemark.report.words.table import NONE, aligned
from gatemark.stats.change.ladder import PACKET
from gatemark.stats.judgement import Judgement, Knee, Ladder, PointResult
from gatemark.stats.math.interval import Interval
from gatemark.stats.point.timed import MEDIAN
from gatemark.stats.speed import SMALL_BYTES, besides, is_free, is_full_speed
from gatemark.store.record import Scalar

US: Final = Scale(1e3, "µs")
MS: Final = Scale(1e6, "ms")
COLUMNS: Final = 80  # a table that would be wider has narrower gaps
NAMES: Final = ("", "")  # the head of the first column
Row = tuple[str, ...]
Arm = tuple[str, frozenset[tuple[str, Scalar]]]  # its name, factors besides size and direction


@dataclass(frozen=True, slots=True)
class Brief:
    """A small table; the first column has names, the others numbers. A head has a line of units."""

    caption: str
    heads: tuple[tuple[str, str], ...]  # head and unit
    rows: tuple[Row, ...]

    def lines(self) -> list[str]:
        """Two lines of heads, then the rows; decimal points stand below each other."""
        table = zip(self.heads, *self.rows, strict=True)
        columns = [_column(head, [*cells]) for head, *cells in table]
        width = sum(len(column[0]) for column in columns) + 2 * (len(columns) - 1)
        gap = "  " if width <= COLUMNS else " "
        return [gap.join(cells).rstrip() for cells in zip(*columns, strict=True)]


def _column(head: tuple[str, str], cells: list[str]) -> list[str]:
    if head == NAMES:
        width = max(map(len, cells))
        return [" " * width, " " * width, *(cell.ljust(width) for cell in cells)]
    body = aligned(cells)
    inner = max(map(len, body))
    width = max(inner, *map(len, head))
    return [*(text.rjust(width) for text in head), *(c.ljust(inner).rjust(width) for c in body)]


def briefs(judgement: Judgement) -> list[Brief]:
    """Those of the two that the run has."""
    return [brief for brief in (speed(judgement), overload(judgement)) if brief.rows]


def speed(judgement: Judgement) -> Brief:
    """A row for each setup: its rate by packet size, and the time of a packet at a full CPU."""
    points = [point for point in judgement.points if is_full_speed(point)]
    sizes = _sizes(points)
    timed = dict(_timed(judgement.ladders))
    arms = dict.fromkeys((point.arm, besides(point)) for point in points)
    known = {arm for arm, _ in arms}
    arms |= dict.fromkeys((arm, frozenset()) for arm in timed if arm not in known)
    heads = [NAMES, *((_named(size), _scale(size).unit) for size in sizes)]
    heads += [("time a", f"packet, {US.unit}"), ("adds", "%")] if timed else []
    rows = tuple(_row(arm, points, sizes, timed) for arm in arms)
    return Brief(f"At full speed, LAN to WAN{_held(points)}", tuple(heads), rows)


def overload(judgement: Judgement) -> Brief:
    """A row for each sweep: what passes whole, the knee, and what is beyond it."""
    knees = next(iter(sweep.groups(judgement)), [])  # one kind of traffic, which the caption names
    slowed = bool(knees) and all(knee.definition.slow_to_pps for knee in knees)
    size = knees[0].definition.frame_bytes if knees else None
    caption = "Slowed to a home router's speed" if slowed else "More and more packets"
    at = [point for knee in knees if (point := sweep.loaded(judgement, knee))]
    return Brief(
        f"{caption}{f', {size} bytes' if size else ''}{_held(at)}",
        (
            NAMES,
            ("no loss to", KPPS.unit),
            ("knee", KPPS.unit),
            ("kept at", "2x, %"),
            ("delay, p50", US.unit),
            ("p99", US.unit),
            ("overloaded", f"p50, {MS.unit}"),
        ),
        tuple(_overloaded(judgement, knee) for knee in knees),
    )


Size = tuple[int, str]  # frame, or 0 and the mix


def _size(point: PointResult) -> Size:
    kind = point.definition
    return (kind.frame_bytes or 0, "" if kind.frame_bytes else kind.mix)


def _sizes(points: Iterable[PointResult]) -> list[Size]:
    """From small to full, a mix by its mean."""
    bits = {
        _size(p): 8.0 * (p.definition.frame_bytes or 0)
        or p.values["received_l1_bps"].value / (p.values["received_pps"].value or 1)
        for p in points
    }
    return sorted(bits, key=lambda size: bits[size])


def _named(size: Size) -> str:
    return f"{size[0]} bytes" if size[0] else size[1].upper()


def _scale(size: Size) -> Scale:
    return KPPS if 0 < size[0] <= SMALL_BYTES else MBPS


def _row(
    arm: Arm,
    points: Sequence[PointResult],
    sizes: Sequence[Size],
    timed: dict[str, Row],
) -> Row:
    own = {_size(point): point for point in points if (point.arm, besides(point)) == arm}
    rates = [_rate(own.get(size), _scale(size)) for size in sizes]
    name, *times = timed.get(arm[0], (arm[0], NONE, NONE))
    several = len({besides(point) for point in points}) > 1
    factors = [traffic.factor(*item) for item in sorted(arm[1], key=str)] if several else []
    return (", ".join([name, *factors]), *rates, *(times if timed else ()))


def _rate(point: PointResult | None, to: Scale) -> str:
    if point is None:
        return NONE
    value = point.values["received_pps" if to is KPPS else "received_l1_bps"]
    return (number.AT_LEAST if point.at_least else "") + number.value_alone(value, to)


def _held(points: Sequence[PointResult]) -> str:
    """The bottleneck where all have one: `: CPU 98 to 99 % busy`."""
    limits = {point.limit for point in points}
    if limits != {"cpu"}:
        return f": bottleneck {', '.join(sorted(limits))}" if limits else ""
    shares = sorted(p.values["cpu_busy"].value for p in points if "cpu_busy" in p.values)
    if not shares:
        return ": bottleneck CPU"
    ends = [number.plain(share / PERCENT.factor, 0) for share in shares[:: max(1, len(shares) - 1)]]
    return f": CPU {' to '.join(dict.fromkeys(ends))} % busy"


def _timed(ladders: Iterable[Ladder]) -> Iterator[tuple[str, Row]]:
    """Of each arm of a ladder its name, the time of a packet, and what a step adds to its base."""
    for ladder in ladders:
        is_up = ladder.definition.direction == "up"  # as the table's caption says
        if PACKET not in ladder.values or not (is_up and is_free(ladder)):
            continue
        yield ladder.arm, (ladder.arm, number.value_alone(ladder.values[PACKET], US), NONE)
        for step in ladder.steps:
            if PACKET in step.values and PACKET in step.costs and not step.twin:
                where = "" if step.against == ladder.arm else f" on {step.against}"
                time = number.value_alone(step.values[PACKET], US)
                yield step.arm, (f"{step.arm}{where}", time, _added(step.costs[PACKET].ratio))
        return


def _added(ratio: Interval | None) -> str:
    if ratio is None:
        return NONE
    return f"{'+' if ratio.value > 0 else ''}{number.interval(ratio, PERCENT)}"


def _overloaded(judgement: Judgement, knee: Knee) -> Row:
    loads = {load.load: load.point for load in latency.loads(judgement, knee)}
    near, over = loads.get("near"), loads.get("over")
    twice = knee.retained.get("2x")
    way = "" if knee.direction == "up" else f" {traffic.way(knee.direction)}"
    return (
        f"{knee.arm}{way}",
        number.plain(knee.no_loss_pps / KPPS.factor, 1) if knee.no_loss_pps else NONE,
        number.interval(knee.knee_pps, KPPS, at_least=knee.at_least),
        number.value_alone(twice, PERCENT) if twice else NONE,
        _alone(near, MEDIAN, US),
        _alone(near, "delay_p99_ns", US),
        _alone(over, MEDIAN, MS),
    )


def _alone(point: PointResult | None, quantity: str, to: Scale) -> str:
    if point is None or quantity not in point.values:
        return NONE
    return number.value_alone(point.values[quantity], to)
