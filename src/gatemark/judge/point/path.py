# SPDX-License-Identifier: Apache-2.0
"""What one packet made the gateway do: by subsystem, and its own travel cut out of what ran.

    idle | interrupt  driver  IP  driver | timers, scheduler, idle
         |---- the packet's travel ------|
    before                                 after

A travel begins with the outermost call above its first function that a packet passes, and ends with
the one above the last such function, or before the processor turns to waiting in there. What it
waits in, idle or a program, is no part of it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import translate
from functools import cache
from typing import Final

from gatemark.judge.judgement import Part, Travel
from gatemark.judge.point.group import Group
from gatemark.store.record import Call, Counted
from gatemark.store.subsystem import NETFILTER, Subsystem

OTHER: Final = "other"  # what no pattern fits
SAMPLED: Final = "perf"
INSTRUCTIONS, NS = "instructions", "ns"  # what an amount is of
Sizes = Mapping[str, Part]


class Sorter:
    """Subsystem by function."""

    def __init__(self, subsystems: Sequence[Subsystem]) -> None:
        self.names = [subsystem.name for subsystem in subsystems]
        self.travels = frozenset(subsystem.name for subsystem in subsystems if subsystem.travels)
        self.waits = frozenset(subsystem.name for subsystem in subsystems if subsystem.waits)
        self.jumps = frozenset(subsystem.name for subsystem in subsystems if subsystem.jumps)
        self._rules = [(subsystem.name, _any_of(subsystem.patterns)) for subsystem in subsystems]
        self.of = cache(self._of)

    def _of(self, function: str) -> str:
        """The first subsystem with a pattern that fits."""
        return next((name for name, rule in self._rules if rule.match(function)), OTHER)

    def parts(self, functions: Sizes) -> dict[str, Part]:
        """By subsystem, in the file's order, those that are there; what none has comes last."""
        parts: dict[str, Part] = {}
        for name in (*self.names, OTHER):
            own = [part for function, part in functions.items() if self.of(function) == name]
            if own:
                calls = 0 if name in self.jumps else sum(part.calls for part in own)
                parts[name] = Part(sum(part.amount for part in own), calls)
        return parts


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(translate, patterns)))


def travels(groups: Iterable[Group], subsystems: Sequence[Subsystem]) -> tuple[Travel, ...]:
    """One for each point that was seen in order, of its first trial that has one."""
    first = []
    for group in groups:
        walks = (record.evidence.counted for record in group.outside)
        if counted := next((counted for counted in walks if counted and counted.path), None):
            first.append((group, counted))
    if not first:
        return ()  # its patterns take longer to compile than most runs to judge
    sorter = Sorter(subsystems)
    return tuple(_travel(group, counted, sorter) for group, counted in first)


def unit(counted: Counted) -> str:
    """What a path is told in: instructions, or the ns of a tracer that cannot count them."""
    return NS if counted.tracer else INSTRUCTIONS


def amount(call: Call, of: str) -> int:
    """A call's own, without what it called."""
    return call.ns if of == NS else call.instructions


def _travel(group: Group, counted: Counted, sorter: Sorter) -> Travel:
    of = unit(counted)
    first, last = own_travel(counted.path, sorter)
    functions = {name: Part(*sizes) for name, sizes in counted.functions.items()}
    parts = sorter.parts(functions)
    total = sum(part.amount for part in parts.values())
    calls = counted.path[first:last]
    beneath = Part(*_within(calls, of, sorter))
    return Travel(
        subject=group.subject,
        unit=of,
        seen_by=counted.tracer or counted.plugin,
        alike=next(iter(counted.modes.values()), 1),
        in_order=counted.tracer != SAMPLED,
        total=total,
        functions=functions,
        subsystems=parts,
        unmatched=parts[OTHER].amount / total if OTHER in parts and total else 0.0,
        calls=calls,
        passed=frozenset(c.function for c in calls if sorter.of(c.function) in sorter.travels),
        before=_sum(counted.path[:first], of, sorter),
        after=_sum(counted.path[last:], of, sorter),
        own=_sum(calls, of, sorter),
        netfilter=_sum([c for c in calls if sorter.of(c.function) == NETFILTER], of, sorter),
        beneath_netfilter=beneath,
    )


def own_travel(path: Sequence[Call], sorter: Sorter) -> tuple[int, int]:
    """From which call to before which one a path is the packet's own; all, if none travels."""
    own = [at for at, call in enumerate(path) if sorter.of(call.function) in sorter.travels]
    if not own:
        return 0, len(path)
    depth = path[_outermost(path, own[-1], sorter)].depth
    for at in range(own[-1] + 1, len(path)):
        if path[at].depth <= depth or sorter.of(path[at].function) in sorter.waits:
            return _outermost(path, own[0], sorter), at
    return _outermost(path, own[0], sorter), len(path)


def _outermost(path: Sequence[Call], at: int, sorter: Sorter) -> int:
    """Up from a call to the outermost one above it, below what the processor waits in."""
    top = at
    for place in range(at, -1, -1):
        if path[place].depth < path[top].depth:
            if sorter.of(path[place].function) in sorter.waits:
                break
            top = place
    return top


def _sum(calls: Iterable[Call], of: str, sorter: Sorter) -> Part:
    held = list(calls)
    counted = [call for call in held if sorter.of(call.function) not in sorter.jumps]
    return Part(sum(amount(call, of) for call in held), len(counted))


def _within(calls: Sequence[Call], of: str, sorter: Sorter) -> tuple[int, int]:
    """Netfilter's functions with all that they called."""
    held, outer = [], None
    for call in calls:
        if outer is not None and call.depth <= outer:
            outer = None
        if outer is None and sorter.of(call.function) == NETFILTER:
            outer = call.depth
        if outer is not None:
            held.append(call)
    part = _sum(held, of, sorter)
    return part.amount, part.calls


def base(travels: Sequence[Travel], travel: Travel) -> Travel | None:
    """The first arm of its plan at the same point; None: it is that one itself."""
    first = next(other for other in travels if _place(other) == _place(travel))
    return None if first is travel else first


def _place(travel: Travel) -> tuple[object, ...]:
    return travel.plan, *sorted(travel.point.items())


def added(below: Sizes, other: Sizes) -> Iterator[tuple[str, Part]]:
    """By how much the second has more than the first, function by function, the most first."""
    none = Part(0, 0)
    results = []
    for name in dict.fromkeys((*other, *below)):
        was, now = below.get(name, none), other.get(name, none)
        if was != now:
            results.append((name, Part(now.amount - was.amount, now.calls - was.calls)))
    yield from sorted(results, key=lambda item: (-abs(item[1].amount), item[0]))
