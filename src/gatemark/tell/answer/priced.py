# SPDX-License-Identifier: Apache-2.0
"""Instructions beside time: the same setups counted and timed, and what an instruction takes.

Where two steps cost as many instructions and unlike times, the difference is memory: caches that a
count does not see. An emulator has its host's caches and none of the guest's. So times of another
station with a processor of the same architecture have rows too, and where they are of.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gatemark.judge.change.exact import is_exact
from gatemark.judge.change.ladder import INSTRUCTIONS, PACKET
from gatemark.judge.judgement import Executed, Ladder, PointResult, Step
from gatemark.judge.math.interval import Interval
from gatemark.tell.answer.exact import signed
from gatemark.tell.group.source import Source
from gatemark.tell.group.sweep import RATES
from gatemark.tell.group.together import named
from gatemark.tell.words import number
from gatemark.tell.words.table import NONE, Table

CAPTION = "Instructions and time of the same setups"
FEW = 0.01  # of what the arm below executes: by fewer instructions no time is divided
NS = number.Scale(1.0, "ns")

Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Times:
    """What one run timed at overload, by setup and traffic: arms, and steps between two of them."""

    of: str  # station and kernel
    arms: dict[Key, Interval]
    steps: dict[tuple[Key, Key], Interval]


@dataclass(frozen=True, slots=True)
class Priced:
    """One arm that was counted, and what timed it."""

    walk: Executed
    times: Times

    @property
    def ns(self) -> Interval:
        """The time of a packet."""
        return self.times.arms[_key(self.walk)]


def table(sources: Sequence[Source]) -> Table:
    """A row for each arm that was counted, and timed in any of these runs on a like processor."""
    rows = [row for source in sources for row in _rows(source, _near(source, sources))]
    head = ("arm", "instructions", "time, ns", "ns each", "against")
    more = ("adds, instructions", "adds, ns", "ns each of them", "timed on")
    return Table(CAPTION, head + more, tuple(rows), frozenset({1, 2, 3, 5, 6, 7}))


def _near(source: Source, sources: Sequence[Source]) -> list[Times]:
    """The runs that may have timed what this one counted: those of its own station first."""
    own, others = [], []
    for other in (source, *(run for run in sources if run is not source)):
        if _station(other) == _station(source):
            own.append(_timed(other))
        elif _fact(other, "architecture") == _fact(source, "architecture") != "":
            others.append(_timed(other))
    return own + others


def _station(source: Source) -> tuple[str, str]:
    return source.run.station.name, source.run.station.kind


def _fact(source: Source, name: str) -> str:
    """A word of the gateway's inventory."""
    return str(source.run.before.get("gateway", {}).get(name, ""))


def _timed(source: Source) -> Times:
    arms: dict[Key, Interval] = {}
    for point in source.judgement.points:
        paced = set(RATES) & point.point.keys() or point.limit == "none"
        if PACKET in point.values and not paced:
            arms.setdefault(_key(point), point.values[PACKET])
    steps: dict[tuple[Key, Key], Interval] = {}
    for ladder in source.judgement.ladders:
        keys = {ladder.arm: _key(ladder)} | {step.arm: _key(step) for step in ladder.steps}
        for step in ladder.steps:
            if PACKET in step.costs and keys[step.arm] != keys[step.against]:
                pair = keys[step.against], keys[step.arm]
                steps.setdefault(pair, step.costs[PACKET].difference)
    kernel = " ".join(_fact(source, "kernel").split()[:2])
    return Times(", ".join(filter(None, (source.run.station.name, kernel))), arms, steps)


def _rows(source: Source, near: Sequence[Times]) -> Iterator[tuple[str, ...]]:
    judged = source.judgement
    made: dict[Key, Priced] = {
        (walked.plan, walked.arm, *sorted(walked.point.items())): Priced(walked, times)
        for walked in judged.executed
        if (times := next((one_of for one_of in near if _key(walked) in one_of.arms), None))
    }
    steps: dict[Key, tuple[Ladder, Step]] = {
        (ladder.plan, step.arm, *sorted(ladder.point.items())): (ladder, step)
        for ladder in filter(is_exact, judged.ladders)
        for step in ladder.steps
    }
    for key, priced in made.items():
        own = priced.walk.instructions.value
        row = (
            named(source.label, priced.walk.arm),
            f"{own:.0f}",
            number.interval(priced.ns, NS),
            _each(priced.ns.value, own),
        )
        yield (*row, *_added(priced, steps.get(key), made), priced.times.of)


def _added(
    priced: Priced, ladders: tuple[Ladder, Step] | None, made: dict[Key, Priced]
) -> tuple[str, ...]:
    if ladders is None:
        return (NONE,) * 4
    ladder, step = ladders
    below = made.get((ladder.plan, step.against, *sorted(ladder.point.items())))
    by = step.costs[INSTRUCTIONS].difference.value
    if below is None or below.times is not priced.times:
        return (step.against, signed(by), NONE, NONE)
    enough = abs(by) > FEW * below.walk.instructions.value
    blocks = priced.times.steps.get((_key(below.walk), _key(priced.walk)))
    if blocks is None:  # not timed as a step: the difference of two medians, with no interval
        ns, words = (apart := priced.ns.value - below.ns.value), signed(apart)
    else:
        ns, words = blocks.value, ("+" if blocks.value > 0 else "") + number.interval(blocks, NS)
    return (step.against, signed(by), words, _each(ns, by) if enough else NONE)


def _each(ns: float, count: float) -> str:
    return number.plain(ns / count, 2) if count else NONE


def _key(walk: Executed | PointResult | Ladder | Step) -> Key:
    kind = walk.definition
    return kind.path, kind.features, kind.direction, kind.family, kind.l4, kind.frame_bytes
