# SPDX-License-Identifier: Apache-2.0
"""CPU load over a sweep of rates, by its points' medians: the rate at a share; what an arm adds.

A study prints both without an interval, so ours are read off too (`point.load` has intervals, of
trials that were soaked).
"""

from collections.abc import Iterator, Sequence
from typing import Final

from gatemark.judge.judgement import PointResult
from gatemark.judge.math.interval import Interval
from gatemark.judge.point.load import rate_at
from gatemark.judge.point.sweep import RATES, others
from gatemark.judge.subject import Subject

BUSY: Final = "cpu_busy"
RECEIVED: Final = "received_pps"
FEWEST: Final = 2  # rates that make a line
AT: Final = {"load80_l2_bps": 0.8, "load100_l2_bps": 1.0}
OCTET: Final = 8

Derived = tuple[Subject, str, Interval]


def derived(points: Sequence[PointResult]) -> Iterator[Derived]:
    """All of it, of every arm whose rates were swept."""
    sweeps: dict[tuple[object, ...], list[PointResult]] = {}
    for point in points:
        if RATES & point.point.keys() and {BUSY, RECEIVED} <= point.values.keys():
            key = point.plan, point.arm, others(point.point)
            sweeps.setdefault(key, []).append(point)
    lines = [members for members in sweeps.values() if len(members) >= FEWEST]
    for members in lines:
        yield from _rates(members)
        yield from _added(members, lines)


def _rates(members: Sequence[PointResult]) -> Iterator[Derived]:
    """The rate of frames at a share of the CPU, where the sweep reaches it."""
    first = members[0]
    if not (frame := first.definition.frame_bytes):
        return
    curve = [(p.values[RECEIVED].value, p.values[BUSY].value) for p in members]
    for name, share in AT.items():
        if rate := rate_at(curve, share):
            yield first.subject, name, _read(rate * frame * OCTET)


def _added(
    members: Sequence[PointResult], lines: Sequence[Sequence[PointResult]]
) -> Iterator[Derived]:
    """The most that an arm's load exceeds that of the barest arm on its path, at any rate."""
    own = members[0]
    same = [line for line in lines if _goes_with(line[0], own)]
    barest = min(same, key=lambda line: len(line[0].definition.features))
    if barest is members:
        return
    base = {_level(p): p.values[BUSY].value for p in barest}
    more = {_level(p): p.values[BUSY].value - base[_level(p)] for p in members if _level(p) in base}
    if more:
        most = max(more, key=lambda level: more[level])
        top = next(p for p in members if _level(p) == most)
        yield top.subject, "added_cpu_busy", _read(more[most])


def _goes_with(point: PointResult, own: PointResult) -> bool:
    """Return whether it is of the same plan and path, at the same other factors."""
    return (point.plan, point.definition.path, others(point.point)) == (
        own.plan,
        own.definition.path,
        others(own.point),
    )


def _level(point: PointResult) -> object:
    return next(point.point[name] for name in sorted(RATES) if name in point.point)


def _read(value: float) -> Interval:
    return Interval(value, value, value, 1, 0.0)
