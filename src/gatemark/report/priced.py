# SPDX-License-Identifier: Apache-2.0
"""Instructions beside time: the same setups counted and timed, and what an instruction takes.

Where two steps cost as many instructions and unlike times, the difference is memory: caches that a
count does not see.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gatemark.report import number
from gatemark.report.exact import signed
from gatemark.report.source import Source
from gatemark.report.sweep import RATES
from gatemark.report.table import NONE, Table
from gatemark.report.together import named
from gatemark.stats.exact import is_exact
from gatemark.stats.judgement import Executed, Interval, Ladder, PointResult, Step
from gatemark.stats.ladder import INSTRUCTIONS, PACKET

CAPTION = "Instructions and time of the same setups on one station"
FEW = 0.01  # of what the arm below executes: by fewer instructions no time is divided

Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Priced:
    """One arm, counted and timed."""

    one: Executed
    ns: Interval


def table(sources: Sequence[Source]) -> Table:
    """A row for each arm that was counted, and timed in any of these runs on its station."""
    rows = [row for source in sources for row in _rows(source, _times(source, sources))]
    head = ("arm", "instructions", "time, ns", "ns each", "against")
    more = ("adds, instructions", "adds, ns", "ns each of them")
    return Table(CAPTION, head + more, tuple(rows), frozenset({1, 2, 3, 5, 6, 7}))


def _times(source: Source, sources: Sequence[Source]) -> dict[Key, Interval]:
    """Times at overload, by setup and traffic; the first run that has one tells it."""
    station = source.run.station
    alike = [
        s
        for s in sources
        if (s.run.station.name, s.run.station.kind) == (station.name, station.kind)
    ]
    found: dict[Key, Interval] = {}
    for other in (source, *(one for one in alike if one is not source)):
        for point in other.judgement.points:
            paced = set(RATES) & point.point.keys() or point.limit == "none"
            if PACKET in point.values and not paced:
                found.setdefault(_key(point), point.values[PACKET])
    return found


def _rows(source: Source, times: dict[Key, Interval]) -> Iterator[tuple[str, ...]]:
    judged = source.judgement
    made: dict[Key, Priced] = {
        (one.plan, one.arm, *sorted(one.point.items())): Priced(one, times[_key(one)])
        for one in judged.executed
        if _key(one) in times
    }
    steps: dict[Key, tuple[Ladder, Step]] = {
        (ladder.plan, step.arm, *sorted(ladder.point.items())): (ladder, step)
        for ladder in filter(is_exact, judged.ladders)
        for step in ladder.steps
    }
    for key, priced in made.items():
        own = priced.one.instructions.value
        row = (
            named(source.label, priced.one.arm),
            f"{own:.0f}",
            number.label(priced.ns, number.Scale(1.0, "ns")),
            _each(priced.ns.value, own),
        )
        yield row + _added(priced, steps.get(key), made)


def _added(
    priced: Priced, found: tuple[Ladder, Step] | None, made: dict[Key, Priced]
) -> tuple[str, ...]:
    if found is None:
        return (NONE,) * 4
    ladder, step = found
    below = made.get((ladder.plan, step.against, *sorted(ladder.point.items())))
    by = step.costs[INSTRUCTIONS].difference.value
    if below is None:
        return (step.against, signed(by), NONE, NONE)
    ns = priced.ns.value - below.ns.value
    enough = abs(by) > FEW * below.one.instructions.value
    return (step.against, signed(by), signed(ns), _each(ns, by) if enough else NONE)


def _each(ns: float, count: float) -> str:
    return number.plain(ns / count, 2) if count else NONE


def _key(one: Executed | PointResult) -> Key:
    kind = one.definition
    return kind.path, kind.features, kind.direction, kind.family, kind.l4, kind.frame_bytes
