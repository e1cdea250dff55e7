# SPDX-License-Identifier: Apache-2.0
"""The use of a line whose rate changes: pure functions of one trial.

    lost      share of the bits that the line could have carried while there was a load, and did not
    above     share of the time in which a flow's packets waited longer than the goal
    reaction  time from a fall of the rate until they wait no longer than the goal again

A packet's wait is its one-way delay less the shortest of the trial, and less what the course adds
to all. A fall: the second behind it has at most 0.7 of the rate of the second before it; in short
courses a tenth of the period.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, pairwise
from statistics import median
from typing import Final, NamedTuple

from gatemark.plan.line.course import Course, course_of
from gatemark.plan.line.keys import WAYS
from gatemark.plan.line.time import line_bits
from gatemark.plan.mix import frames
from gatemark.plan.model import LineWay, TrialSpec, Workload
from gatemark.run.raw import Raw
from gatemark.store.series import Series
from gatemark.unit import FCS_BYTES
from gatemark.workload.way import Way, binned

GOAL_NS: Final = 30e6  # as autorate scripts have it for what a queue adds
FALL: Final = 0.7
AROUND_S: Final = 1.0  # the rate before and behind a moment, at most
CALM_S: Final = 0.5  # so long within the goal: it has reacted
HEADERS_BYTES: Final = 66  # of a TCP segment's frame: Ethernet, IPv4, TCP with time stamps
S_NS: Final = 1e9
PIECES: Final = 50  # of the course's period, in which what came is summed
FULL: Final = 0.1  # not used, at most: the load had all of the line
LOW: Final = 0.65  # of the usual rate
ALIKE: Final = 2  # pieces: so much at most lengths and distances of slow times differ


class Packets(NamedTuple):
    """Packets of a flow in the order of their sending: when, ns, and the wait of each, ns."""

    sent_ns: Sequence[float]
    wait_ns: Sequence[float]


def values(spec: TrialSpec, raw: Raw, series: Callable[[], Series]) -> dict[str, float]:
    """The values of the ways that have a course and a load; of two the worse. None: nothing.

    `series`: makes those of the first workload, which takes long.
    """
    begun_ns = raw.line.report.get("begun_ns")
    if spec.line is None or begun_ns is None:
        return {}
    asked = {name: getattr(spec.line, name) for name in WAYS}
    courses = {name: course for name, way in asked.items() if (course := course_of(way))}
    columns = series() if courses else {}
    merged: dict[str, float] = {}
    for name, course in courses.items():
        own = dict(_way(spec, raw, columns, _Way(name, asked[name], course, int(begun_ns))))
        merged |= {key: max(value, merged.get(key, value)) for key, value in own.items()}
    return merged


class _Way(NamedTuple):
    name: str
    asked: LineWay
    course: Course
    begun_ns: int

    def s(self, at_ns: float) -> float:
        """Seconds after the course began."""
        return (at_ns - self.begun_ns) / S_NS


def _way(spec: TrialSpec, raw: Raw, series: Series, of: _Way) -> Iterator[tuple[str, float]]:
    loads = [(load, way) for load, way in _loads(spec, raw) if way.wire.direction == of.name]
    if not loads:
        return
    from_ns = max(way.window_ns[0] for _, way in loads)
    to_ns = min(way.window_ns[1] for _, way in loads)
    room = of.course.bits(of.s(from_ns), of.s(to_ns))
    if to_ns <= from_ns or room <= 0:
        return
    came = sum(_bits(of, *each, from_ns, to_ns) for each in loads)
    lost = max(0.0, 1.0 - came / room)
    yield "course_lost", lost
    # Where a shaper holds the load back the line is not seen.
    piece_ns = of.course.period_s / PIECES * S_NS if lost < FULL else float("inf")
    for key, value in lows(_rates(of, loads, (from_ns, to_ns), piece_ns)).items():
        yield f"course_low_{key}", value if key == "share" else value * piece_ns
    packets = waits(of, series.get(f"replay.{of.name}.delay"))
    if not packets.sent_ns:
        return
    inside = [wait for at, wait in zip(*packets, strict=True) if from_ns <= at < to_ns]
    if inside:
        yield "course_above", sum(wait > GOAL_NS for wait in inside) / len(inside)
    falls = list(fallen(of.course, of.s(from_ns), of.s(to_ns)))
    yield "course_falls", float(len(falls))
    if falls:
        ends = [*falls[1:], of.s(to_ns)]
        times = [_reaction(of, packets, at, end) for at, end in zip(falls, ends, strict=True)]
        yield "course_reaction_ns", median(times) * S_NS


def _loads(spec: TrialSpec, raw: Raw) -> Iterator[tuple[Workload, Way]]:
    """Yield what fills the line: each of TCP; UDP where it is all that there is."""
    for name, ways in raw.beside.items():
        if spec.beside[name].kind == "tcp":
            yield from ((spec.beside[name], way) for way in ways)
    if spec.workload.kind in ("tcp", "udp"):
        yield from ((spec.workload, way) for way in raw.ways)


def _bits(of: _Way, load: Workload, way: Way, from_ns: int, to_ns: int) -> float:
    """Bits of the line that came between two times."""
    rows = zip(*binned(way, _counted(load)), strict=True)
    return _frame_bits(of, load, way) * sum(count for at, count in rows if from_ns <= at < to_ns)


def _counted(load: Workload) -> str:
    """Return what its sink counts over time."""
    return "bytes" if load.kind == "tcp" else "packets"


def _frame_bits(of: _Way, load: Workload, way: Way) -> float:
    """Bits of the line for each that its sink counts: of a byte, or a packet."""
    if load.kind == "tcp":
        payload = float(way.sender["mss_bytes"])
        return line_bits(of.asked, payload + HEADERS_BYTES + FCS_BYTES) / payload
    sizes = frames(load)
    return sum(line_bits(of.asked, size) for size in sizes) / len(sizes)


def waits(of: _Way, delays: tuple[Sequence[float], Sequence[float]] | None) -> Packets:
    """Each packet's wait, by when it was sent."""
    if not delays:
        return Packets((), ())
    rows = sorted((at - delay, at, delay) for at, delay in zip(*delays, strict=True))
    bare = [delay - of.course.at(of.s(at - delay)).delay_ms * 1e6 for _, at, delay in rows]
    least = min(bare, default=0.0)
    return Packets([sent for sent, _, _ in rows], [delay - least for delay in bare])


def fallen(course: Course, from_s: float, to_s: float) -> Iterator[float]:
    """When the rate falls, s after the course began; falls that near are one."""
    last, around_s = None, min(AROUND_S, course.period_s / 10)
    for at_s in sorted(_edges(course, from_s + around_s, to_s - around_s)):
        before, behind = course.bits(at_s - around_s, at_s), course.bits(at_s, at_s + around_s)
        if behind <= FALL * before and (last is None or at_s > last + around_s):
            last = at_s
            yield at_s


def _edges(course: Course, from_s: float, to_s: float) -> Iterator[float]:
    """Each time at which a step lower than the one before begins."""
    lower = [
        later.from_s for at, later in pairwise(course.steps) if later.rate_bps < at.rate_bps
    ] + ([0.0] if course.steps[0].rate_bps < course.steps[-1].rate_bps else [])
    for around in range(max(0, int(from_s // course.period_s)), int(to_s // course.period_s) + 1):
        yield from (
            at for edge in lower if from_s <= (at := around * course.period_s + edge) <= to_s
        )


def _reaction(of: _Way, packets: Packets, at_s: float, end_s: float) -> float:
    """Seconds until half a second passes within the goal, or the end; 0: it never left it."""
    above = [
        of.s(sent)
        for sent, wait in zip(*packets, strict=True)
        if wait > GOAL_NS and at_s <= of.s(sent) < end_s
    ]
    for now, later in pairwise([*above, float("inf")]):
        if later - now > CALM_S:
            return min(now, end_s) - at_s
    return 0.0


def _rates(
    of: _Way, loads: Sequence[tuple[Workload, Way]], span_ns: tuple[int, int], piece_ns: float
) -> list[float]:
    """Return what came in each piece of the time, in order, but for the first and the last."""
    sums = [0.0] * int((span_ns[1] - span_ns[0]) // piece_ns)
    for load, way in loads:
        each = _frame_bits(of, load, way)
        for at, count in zip(*binned(way, _counted(load)), strict=True):
            if 0 <= (piece := int((at - span_ns[0]) // piece_ns)) < len(sums):
                sums[piece] += each * count
    return sums[1:-1]


def lows(sums: Sequence[float]) -> dict[str, float]:
    """Slow times that come again and again: share of the usual rate, length and period in pieces.

    Nothing where they differ in length or distance, as on a radio.
    """
    usual = sorted(sums)[int(0.9 * (len(sums) - 1))] if sums else 0.0
    runs, at = list[tuple[int, int]](), 0
    for is_low, group in groupby(each < LOW * usual for each in sums):
        length = len(list(group))
        if is_low and length > 1:  # one piece is an edge
            runs.append((at, length))
        at += length
    lengths = [length for begin, length in runs if begin > 0 and begin + length < len(sums)]
    periods = [later - begin for (begin, _), (later, _) in pairwise(runs)]
    if not lengths or not periods or max(map(_spread, (lengths, periods))) > ALIKE:
        return {}
    slow = [sums[at] for begin, length in runs for at in range(begin + 1, begin + length - 1)]
    if not slow:
        return {}
    return {"share": median(slow) / usual, "ns": median(lengths), "period_ns": median(periods)}


def _spread(numbers: Sequence[int]) -> int:
    return max(numbers) - min(numbers)
