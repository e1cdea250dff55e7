# SPDX-License-Identifier: Apache-2.0
"""Some flows: a few lose all or much, the others nothing. What do they have in common?

Each trial is judged first: flows that lose all, where the others do not, prove themselves, though
it may be others in each trial. Flows that lose a part are told by two halves of the trials.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import sqrt
from statistics import median
from typing import Final

from gatemark.judge.fact import Fact, fact, several
from gatemark.judge.finding import Finding
from gatemark.judge.math.unlike import unlike
from gatemark.judge.shape.sight import MOST as IN_MOST
from gatemark.judge.shape.sight import Sight, Sweep, in_most

FEWEST: Final = 20  # packets of a flow
ALIKE: Final = 0.7  # of the flows that either half names
MOST: Final = 0.75  # of all flows: else the others are the exception
TOLD: Final = 0.95  # Matthews' coefficient from which an attribute is named
WHOLE: Final = 8  # packets of a flow that lost them all
REST: Final = 0.5  # what any of the others may lose
CHANCE: Final = 1e-3  # that any of the others loses all
MODULI: Final = range(2, 17)
FEW: Final = 4  # values that are told one by one

Counts = dict[int, tuple[int, float]]


def find(sweep: Sweep) -> Iterator[Finding]:
    """Explains what these lost."""
    judged = [sight for level in sweep.quiet for sight in level.sights if sight.loss.by_flow]
    if not judged:
        return
    silent = [_silent(sight) for sight in judged]
    if in_most([bool(flows) for flows in silent]):
        yield _whole(judged, [flows for flows in silent if flows])
        for sight in sweep.sights:
            _explain(sight, _silent(sight))
    elif named := _partly(judged):
        yield _part(judged, named)
        for sight in sweep.sights:
            _explain(sight, named)


def _silent(sight: Sight) -> set[int]:
    """The flows of a trial of which nothing came, where that is no chance."""
    loss = sight.loss
    counts = dict(enumerate(zip(loss.tried_by_flow, loss.by_flow, strict=True)))
    silent = {flow for flow, (tried, lost) in counts.items() if lost >= tried >= WHOLE}
    others = [(n, x) for flow, (n, x) in counts.items() if flow not in silent and n]
    if not others or not silent or any(x > REST * n for n, x in others):
        return set()
    share = sum(x for _, x in others) / sum(n for n, _ in others)
    least = min(counts[flow][0] for flow in silent)
    return silent if share**least * len(counts) < CHANCE else set()


def _whole(judged: Sequence[Sight], silent: Sequence[set[int]]) -> Finding:
    """Flows that lose all."""
    flows, many = len(judged[0].loss.by_flow), round(median(map(len, silent)))
    times = Counter(flow for own in silent for flow in own)
    same = sorted(flow for flow, count in times.items() if count >= IN_MOST * len(silent))
    if len(same) >= ALIKE * many:
        many = len(same)
        seen = fact("flows.all", which=attribute(judged[0], same), many=many, flows=flows)
    else:
        seen = fact("flows.all-others", many=many, flows=flows)
    return Finding(
        shape="some-flows",
        fact=seen,
        values={"flows": float(many), "of_flows": float(flows), "share": 1.0},
    )


def _partly(judged: Sequence[Sight]) -> list[int]:
    """The flows that lose much, if two halves of the trials name about the same."""
    odd, even = (unlike(counts) for counts in _halves(judged))
    named = sorted(odd & even)
    if len(named) < ALIKE * len(odd | even):
        return []
    nearest = _nearest(_sum(judged, range(len(judged))), named)
    is_group = len(set(nearest) & set(named)) >= ALIKE * len(set(nearest) | set(named))
    return nearest if is_group and len(nearest) <= MOST * len(judged[0].loss.by_flow) else []


def _nearest(counts: Counts, named: Sequence[int]) -> list[int]:
    """The flows that lose more than half way from the others to those that are named."""
    groups = ([counts[flow] for flow in counts if (flow in named) == is_in] for is_in in (0, 1))
    shares = [sum(x for _, x in own) / max(1, sum(n for n, _ in own)) for own in groups]
    return [flow for flow, (tried, lost) in counts.items() if lost > sum(shares) / 2 * tried]


def _part(judged: Sequence[Sight], named: Sequence[int]) -> Finding:
    flows = len(judged[0].loss.by_flow)
    whole = _sum(judged, range(len(judged)))
    share = sum(whole[flow][1] for flow in named) / sum(whole[flow][0] for flow in named)
    which = attribute(judged[0], named)
    return Finding(
        shape="some-flows",
        fact=fact("flows.part", which=which, many=len(named), flows=flows, share=share),
        values={"flows": float(len(named)), "of_flows": float(flows), "share": share},
    )


def _explain(sight: Sight, flows: Iterable[int]) -> None:
    if sight.loss.by_flow:
        sight.explained += sum(sight.loss.by_flow[flow] for flow in flows) / sight.tried


def _halves(sights: Sequence[Sight]) -> tuple[Counts, Counts]:
    """Lost by flow in odd and even trials; of one trial, of odd and even numbers."""
    if len(sights) > 1:
        return _sum(sights, range(0, len(sights), 2)), _sum(sights, range(1, len(sights), 2))
    loss = sights[0].loss
    made = (
        {flow: (tried // 2, float(lost[flow])) for flow, tried in enumerate(loss.tried_by_flow)}
        for lost in loss.halves
    )
    even, odd = made
    return even, odd


def _sum(sights: Sequence[Sight], places: range) -> Counts:
    counts: Counts = {}
    for place in places:
        loss = sights[place].loss
        for flow, (tried, lost) in enumerate(zip(loss.tried_by_flow, loss.by_flow, strict=True)):
            before = counts.get(flow, (0, 0.0))
            counts[flow] = before[0] + tried, before[1] + lost
    return {flow: count for flow, count in counts.items() if count[0] >= FEWEST}


def attribute(sight: Sight, named: Iterable[int]) -> Fact:
    """Name the client or port that the flows share: one, a range, a remainder; else a hash.

    Flow i is of client i mod `clients`.
    """
    ports, clients = sight.loss.ports, sight.record.definition.clients
    own = [flow % clients + 1 for flow in range(len(ports))] if clients > 1 else []
    every, chosen = set(range(len(ports))), {flow for flow in named if flow < len(ports)}
    tries = [*_shared("client", own, chosen), *_shared("port", ports, chosen)]
    if not tries or not chosen:
        return fact("which.unknown")
    shared, picked = max(tries, key=lambda each: _matthews(every, chosen, each[1]))
    if _matthews(every, chosen, picked) < TOLD:
        return fact("which.nothing" if own else "which.no-ports")
    return shared


def _shared(name: str, values: Sequence[int], chosen: set[int]) -> Iterator[tuple[Fact, set[int]]]:
    """Each way to say what values these flows have, and all flows that it is true of."""
    own = {values[flow] for flow in chosen if flow < len(values)}
    if len(set(values)) < 2 or not own:
        return
    low, high = min(own), max(own)
    span = fact("which.one" if low == high else "which.span", name=name, low=low, high=high)
    ways = [(span, {v for v in values if low <= v <= high})]
    ways += [
        (
            fact("which.mod", name=name, modulus=modulus, rest=rest),
            {v for v in values if v % modulus == rest},
        )
        for modulus in MODULI
        for rest in {value % modulus for value in own}
    ]
    if len(own) <= FEW:
        ways.append((fact("which.some", name=name, values=several(sorted(own))), own))
    for shared, picked in ways:
        yield shared, {flow for flow, value in enumerate(values) if value in picked}


def _matthews(every: set[int], chosen: set[int], picked: set[int]) -> float:
    """Matthews' correlation of two subsets (1975)."""
    both, neither = len(chosen & picked), len(every - chosen - picked)
    more, less = len(picked - chosen), len(chosen - picked)
    rows = (both + more) * (both + less) * (neither + more) * (neither + less)
    return (both * neither - more * less) / sqrt(rows) if rows else 0.0
