# SPDX-License-Identifier: Apache-2.0
"""The table of full speed: a row for each setup, from LAN to WAN.

Of the smallest size it has the time of a packet too, and how many fewer packets an arm carries than
its base: the same trials as the rate beside them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from gatemark.judge.change.ladder import PACKET
from gatemark.judge.judgement import Comparison, Judgement, PointResult
from gatemark.judge.speed import RATE, SMALL_BYTES, besides, bottleneck, fewer, is_full_speed
from gatemark.judge.subject import About
from gatemark.store.record import Scalar
from gatemark.tell.words import number, traffic
from gatemark.tell.words.brief import NAMES, US, Brief, Row, limited, value
from gatemark.tell.words.number import KPPS, MBPS, PERCENT, Scale
from gatemark.tell.words.table import NONE

Factors = frozenset[tuple[str, Scalar]]
Arm = tuple[str, Factors]  # its name, factors besides size and direction
Size = tuple[int, str]  # frame, or 0 and the mix
Own = Mapping[Size, PointResult]  # an arm's points
Column = tuple[tuple[str, str], Callable[[Own], str]]  # head and unit; the cell of an arm
WIRE: Final = "received_l1_bps"


def full_speed(judgement: Judgement) -> Brief:
    """The table of the first plan at full speed; no rows where there is none.

    A ladder has a table of its own (`tables.costs`).
    """
    ladders = {ladder.plan for ladder in judgement.ladders}
    fast = [p for p in judgement.points if is_full_speed(p) and p.plan not in ladders]
    points = [point for point in fast if point.plan == fast[0].plan]
    sizes = _sizes(points)
    arms: dict[Arm, dict[Size, PointResult]] = {}
    for point in points:
        arms.setdefault((point.arm, besides(point)), {})[_size(point)] = point
    compared = _compared(judgement, points)
    columns = [_rates(size) for size in sizes]
    columns[1:1] = [*_time(points, sizes), *_shares(points, sizes, compared)]
    heads = (NAMES, *(head for head, _ in columns))
    several = len({factors for _, factors in arms}) > 1
    rows: list[Row] = []
    for arm, own in arms.items():
        cells = (cell(own) for _, cell in columns)
        rows.append((_named(arm, _base(own, compared), several=several), *cells))
    caption = f"At full speed, LAN to WAN, bits on the wire{_held(arms, sizes)}"
    return Brief(caption, heads, tuple(rows))


def _size(point: PointResult) -> Size:
    kind = point.definition
    return (kind.frame_bytes or 0, "" if kind.frame_bytes else kind.mix)


def _sizes(points: Iterable[PointResult]) -> list[Size]:
    """From small to full, a mix by its mean."""
    bits = {
        _size(p): 8.0 * (p.definition.frame_bytes or 0)
        or p.values[WIRE].value / (p.values[RATE].value or 1)
        for p in points
    }
    return sorted(bits, key=lambda size: bits[size])


def _rates(size: Size) -> Column:
    to: Scale = KPPS if 0 < size[0] <= SMALL_BYTES else MBPS
    quantity = RATE if to is KPPS else WIRE

    def cell(own: Own) -> str:
        point = own.get(size)
        bound = number.AT_LEAST if point and point.at_least else ""
        return bound + value(point, quantity, to)

    return (f"{size[0]} bytes" if size[0] else size[1].upper(), to.unit), cell


def _time(points: Iterable[PointResult], sizes: Sequence[Size]) -> list[Column]:
    """The time of a packet of the smallest size, where a CPU was read."""
    if not any(PACKET in point.values for point in points):
        return []
    return [(("time a", f"packet, {US.unit}"), lambda own: value(own.get(sizes[0]), PACKET, US))]


Place = tuple[str, str, Factors]  # plan, arm, point


def _place(about: About) -> Place:
    return about.plan, about.arm, frozenset(about.point.items())


def _compared(judgement: Judgement, points: Iterable[PointResult]) -> dict[Place, Comparison]:
    """The comparison of each arm's rate with that of its base, by its place."""
    places = set(map(_place, points))
    rates = (c for c in judgement.comparisons if c.quantity == RATE)
    return {at: c for c in rates if (at := _place(c)) in places}


def _shares(
    points: Iterable[PointResult], sizes: Sequence[Size], compared: Mapping[Place, Comparison]
) -> list[Column]:
    """The share of its base's packets of the smallest size that an arm carries less."""

    def cell(own: Own) -> str:
        point = own.get(sizes[0])
        comparison = compared.get(_place(point)) if point else None
        share = fewer(comparison) if comparison else None
        return number.interval(share, PERCENT) if share else NONE

    there = any(_place(point) in compared for point in points if _size(point) == sizes[0])
    return [(("fewer", "packets, %"), cell)] if there else []


def _named(arm: Arm, base: str, *, several: bool) -> str:
    """Its name, the arm that it is held against, and its factors where these vary."""
    factors = [traffic.factor(*item) for item in sorted(arm[1], key=str)] if several else []
    return ", ".join([f"{arm[0]} on {base}" if base else arm[0], *factors])


def _base(own: Own, compared: Mapping[Place, Comparison]) -> str:
    """The arm that it is held against; "" where that is the first of its plan, or there is none."""
    own_bases = [compared[at].baseline for at in map(_place, own.values()) if at in compared]
    first = next((comparison.baseline for comparison in compared.values()), "")
    return next((base for base in own_bases if base != first), "")


def _held(arms: Mapping[Arm, Own], sizes: Sequence[Size]) -> str:
    """The bottleneck of each arm: that of its smallest size."""
    ordered = {arm: [own[size] for size in sizes if size in own] for arm, own in arms.items()}
    limits = {name: bottleneck(own) for (name, _), own in ordered.items()}
    return limited(limits, [point for own in ordered.values() for point in own])
