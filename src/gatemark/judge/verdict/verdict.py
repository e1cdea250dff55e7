# SPDX-License-Identifier: Apache-2.0
"""The verdict on each point of a run that has a flow beside a load: pure rules over a judgement.

The letter is of the mean delay that the load adds to a round trip: of both directions, else of
those that the flow and an idle line tell. Of several flows the one that waits longest has it; they
may be of one trial, or of trials that differ in nothing but the flow.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final

from gatemark.judge.judgement import Judgement, PointResult
from gatemark.judge.math.interval import Interval, plus
from gatemark.judge.point.realtime import Load, loads
from gatemark.judge.verdict.grade import letter
from gatemark.judge.verdict.seen import Seen, Way, seen
from gatemark.judge.verdict.use import Use, uses
from gatemark.store.record import Scalar

SHAPE: Final = "shape:"
TRACE: Final = "trace"  # the factor that is the flow


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The effect of a load on those beside it, at one point of one arm."""

    point: PointResult  # of the flow that waits longest
    loads: dict[str, Load]
    flow: str  # what was replayed by the flow that waits longest
    added_ns: Interval  # mean round trip that the load adds to it
    idle_ns: Interval | None  # mean round trip without the load, of the same directions
    tail: str  # the highest percentile that is told in the worse direction: p99, p98, p95
    tail_ns: Interval | None  # what it adds to that one
    ways: tuple[str, ...]  # directions that `added_ns` is the sum of
    worse: str  # of these the one to which more is added
    letter: str
    loaded: tuple[str, ...]  # directions that a load goes
    line_bps: dict[str, float]  # of these: the emulated line's rate; none where there is none
    goodput_bps: dict[str, Interval]  # of these: of all loads together
    uses: tuple[Use, ...]
    # Load of the gateway's busiest CPU under the load alone; of both directions the higher.
    cpu: Interval | None = None

    @property
    def factors(self) -> dict[str, Scalar]:
        """The point's factors without the flow."""
        return {name: level for name, level in self.point.point.items() if name != TRACE}

    @property
    def shaper(self) -> str:
        """The gateway's own queue: `cake`; "": it has none."""
        shapes = [f for f in self.point.definition.features if f.startswith(SHAPE)]
        return shapes[0].split(":")[1] if shapes else ""


def verdicts(judgement: Judgement) -> tuple[Verdict, ...]:
    """Return the verdict of each point that has a flow beside a load, in their order."""
    return tuple(_verdicts(seen(judgement)))


def _verdicts(flows: Sequence[Seen]) -> Iterator[Verdict]:
    for place in dict.fromkeys(map(_place, flows)):
        own = [flow for flow in flows if _place(flow) == place]
        delayed = [(flow, added) for flow in own if (added := _added(flow))]
        if delayed:
            slowest, ways = max(delayed, key=lambda pair: _total(pair[1]).value)
            yield _verdict(slowest, ways, own)


def _place(flow: Seen) -> tuple[object, ...]:
    """An arm at a point, whichever flow it has."""
    factors = [item for item in flow.point.point.items() if item[0] != TRACE]
    return flow.point.plan, flow.point.arm, *sorted(factors)


def _added(flow: Seen) -> list[Way]:
    """The directions whose added delay is known; a load's own must be among them."""
    ways = [way for way in flow.ways if way.added_ns is not None]
    return ways if any(way.is_loaded for way in ways) else []


def _total(ways: Sequence[Way]) -> Interval:
    return reduce(plus, [way.added_ns for way in ways if way.added_ns is not None])


def _verdict(flow: Seen, ways: Sequence[Way], every: Sequence[Seen]) -> Verdict:
    total = _total(ways)
    worse = max(ways, key=lambda way: way.added_ns.value if way.added_ns else 0.0)
    loaded = [way for way in flow.ways if way.is_loaded]
    return Verdict(
        point=flow.point,
        loads=loads(flow.point.definition),
        flow=flow.trace,
        added_ns=total,
        idle_ns=_idle(ways),
        tail=worse.tail,
        tail_ns=worse.tail_ns,
        ways=tuple(way.way for way in ways),
        worse=worse.way,
        letter=letter(total.value),
        loaded=tuple(way.way for way in loaded),
        line_bps={way.way: way.line_bps for way in loaded if way.line_bps},
        goodput_bps={way.way: way.goodput_bps for way in loaded if way.goodput_bps},
        uses=uses(every),
        cpu=max((cpu for _, cpu in flow.has("cpu")), key=lambda cpu: cpu.value, default=None),
    )


def _idle(ways: Sequence[Way]) -> Interval | None:
    """Return the delay without what the load adds: of the medians, so without a spread."""
    delays = [w.delay_ns.value - w.added_ns.value for w in ways if w.delay_ns and w.added_ns]
    if len(delays) < len(ways):
        return None
    total = max(0.0, sum(delays))
    return Interval(total, total, total, 1, 0.0)
