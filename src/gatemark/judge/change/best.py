# SPDX-License-Identifier: Apache-2.0
"""Over the sizes of a sweep: which is best, how much the best gains, and from where it is enough.

A value stands at the point that it is of, so its interval is that point's own; a size that was
picked has none. Where the tester's limit may have decided, nothing is picked.
"""

from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import Final

from gatemark.judge.change import gain
from gatemark.judge.judgement import Comparison, Judgement, PointResult
from gatemark.judge.math.interval import Interval
from gatemark.judge.subject import Subject
from gatemark.plan.model import is_twin
from gatemark.store.record import Scalar

FEWEST: Final = 3  # sizes, of which one is the best
WRITE: Final = "write_bytes"
SIZES: Final = (WRITE, "frame_bytes", "payload_bytes")
RATES: Final = ("rate_pps", "rate_bps")
ENOUGH: Final = 0.9  # of the largest value: a plateau
# Of frames: what is best in payload, and in packets.
FRAMES: Final = {
    "received_l4_bps": "best_payload_frame_bytes",
    "throughput_pps": "best_rate_frame_bytes",
}
RECEIVE: Final = "receive"
SEND: Final = "send"

Derived = tuple[Subject, str, Interval]
Kept = tuple[tuple[str, Scalar], ...]


def best(judgement: Judgement) -> Iterator[Derived]:
    """All of it."""
    points = [p for p in judgement.points if not any(p.point.get(name) for name in RATES)]
    yield from _frames(points)
    yield from _writes(points)
    compared = [c for c in gain.gateways(judgement.comparisons) if not is_twin(c.arm)]
    yield from _gains(compared)
    yield from _gains_together(compared)
    yield from _received(points)


def _frames(points: Sequence[PointResult]) -> Iterator[Derived]:
    for quantity, name in FRAMES.items():
        for members in _lines(points, quantity, SIZES):
            frames = {p.definition.frame_bytes for p in members if p.definition.frame_bytes}
            top = max(members, key=lambda p: p.values[quantity].value)
            limited = any(p.at_least for p in members)
            if len(frames) >= FEWEST and top.definition.frame_bytes and not limited:
                yield top.subject, name, _picked(top.definition.frame_bytes)


def _writes(points: Sequence[PointResult]) -> Iterator[Derived]:
    """The smallest write from which nearly all of the plateau is reached."""
    for members in _lines(points, "goodput_bps", (WRITE,)):
        own = {p.point[WRITE]: p for p in members if p.point.get(WRITE)}
        if len(own) < FEWEST:
            continue
        top = max(own.values(), key=lambda p: p.values["goodput_bps"].value)
        most = top.values["goodput_bps"].value
        # Where the tester was the limit a write may be enough, too.
        size = min(
            int(size)
            for size, p in own.items()
            if p.at_least or p.values["goodput_bps"].value >= ENOUGH * most
        )
        if not (top.at_least or own[size].at_least):
            yield own[size].subject, "enough_write_bytes", _picked(size)


def _gains(comparisons: Iterable[Comparison]) -> Iterator[Derived]:
    """The largest gain of an arm over the sizes of a write."""
    lines: dict[tuple[object, ...], list[Comparison]] = {}
    for comparison in comparisons:
        if WRITE in comparison.point:
            key = comparison.plan, comparison.arm, _others(comparison.point.items(), (WRITE,))
            lines.setdefault(key, []).append(comparison)
    for members in lines.values():
        if len(members) >= FEWEST:
            top = max(members, key=lambda c: c.change.change.value)
            yield top.subject, "gain_most_ratio", top.change.change


def _gains_together(comparisons: Iterable[Comparison]) -> Iterator[Derived]:
    """The arithmetic mean of an arm's gains at all points of its plan; from least to most."""
    lines: dict[tuple[str, str], list[Comparison]] = {}
    for comparison in comparisons:
        lines.setdefault((comparison.plan, comparison.arm), []).append(comparison)
    for members in lines.values():
        gains = [c.change.change.value for c in members]
        if len(gains) >= FEWEST:
            mean = Interval(fmean(gains), min(gains), max(gains), len(gains), 0.0)
            yield members[0].subject, "gain_mean_ratio", mean


def _received(points: Sequence[PointResult]) -> Iterator[Derived]:
    """Yield how much more an end receives than it sends, in payload; the interval is of both."""
    for members in _lines(points, "goodput_bps", ("direction",)):
        own = {p.definition.direction: p for p in members if not p.at_least}
        if {SEND, RECEIVE} <= own.keys():
            sent, got = (own[way].values["goodput_bps"] for way in (SEND, RECEIVE))
            more = Interval(
                got.value - sent.value,
                got.lo - sent.hi,
                got.hi - sent.lo,
                min(sent.n, got.n),
                min(sent.level, got.level),
            )
            yield own[RECEIVE].subject, "received_more_bps", more


def _lines(
    points: Iterable[PointResult], quantity: str, without: Sequence[str]
) -> Iterator[list[PointResult]]:
    """Points that differ in these factors alone."""
    lines: dict[tuple[object, ...], list[PointResult]] = {}
    for point in points:
        if quantity in point.values:
            key = point.plan, point.arm, _others(point.point.items(), without)
            lines.setdefault(key, []).append(point)
    yield from lines.values()


def _others(items: Iterable[tuple[str, Scalar]], without: Sequence[str]) -> Kept:
    return tuple(sorted(item for item in items if item[0] not in without))


def _picked(size: float) -> Interval:
    return Interval(size, size, size, 1, 0.0)
