# SPDX-License-Identifier: Apache-2.0
"""Some flows: a few lose all or much, the others nothing. What do they have in common?"""

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import Final

from gatemark.stats.finding import Finding
from gatemark.stats.shape.sight import Sight, Sweep
from gatemark.stats.shape.unlike import unlike
from gatemark.stats.shape.words import percent

FEWEST: Final = 20  # packets of a flow
ALIKE: Final = 0.7  # of the flows that either half names
MOST: Final = 0.75  # of all flows: else the others are the exception
TOLD: Final = 0.95  # Matthews' coefficient from which an attribute is named
MODULI: Final = range(2, 17)

Counts = dict[int, tuple[int, float]]


def find(sweep: Sweep) -> Iterator[Finding]:
    """Named if two halves of the trials name about the same flows. Explains what these lost."""
    judged = [sight for level in sweep.quiet for sight in level.sights if sight.loss.by_flow]
    if not judged:
        return
    odd, even = (unlike(counts) for counts in _halves(judged))
    named = sorted(odd & even)
    flows = len(judged[0].loss.by_flow)
    if not named or len(named) < ALIKE * len(odd | even) or len(named) > MOST * flows:
        return
    for sight in sweep.sights:
        if sight.loss.by_flow:
            lost = sum(sight.loss.by_flow[flow] for flow in named)
            sight.explained += lost / sight.tried
    whole = _sum(judged, range(len(judged)))
    share = sum(whole[flow][1] for flow in named) / sum(whole[flow][0] for flow in named)
    which = attribute(judged[0].loss.ports, named)
    yield Finding(
        shape="some-flows",
        words=f"{len(named)} of {flows} flows lose {percent(share)}, the others do not: {which}.",
        clause=f"loses {percent(share)} of {len(named)} of {flows} flows",
        values={"flows": float(len(named)), "of_flows": float(flows), "share": share},
    )


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


def attribute(ports: Sequence[int], named: Sequence[int]) -> str:
    """What the flows have in common: a port, its remainder, a range of ports; else a hash."""
    chosen = {ports[flow] for flow in named if flow < len(ports)}
    if not chosen or len(set(ports)) < len(ports):
        return "no attribute of theirs is known, look for a queue or a hash"
    tries = [
        (f"port mod {modulus} = {rest}", {port for port in ports if port % modulus == rest})
        for modulus in MODULI
        for rest in {port % modulus for port in chosen}
    ]
    low, high = min(chosen), max(chosen)
    span = f"port {low}" if low == high else f"ports {low} to {high}"
    tries.append((span, {port for port in ports if low <= port <= high}))
    words, picked = max(tries, key=lambda each: _matthews(set(ports), chosen, each[1]))
    if _matthews(set(ports), chosen, picked) < TOLD:
        return "their ports have nothing in common, look for a queue or a hash"
    return f"the LAN host's {words}"


def _matthews(every: set[int], chosen: set[int], picked: set[int]) -> float:
    """Matthews' correlation of two subsets (1975)."""
    both, neither = len(chosen & picked), len(every - chosen - picked)
    more, less = len(picked - chosen), len(chosen - picked)
    rows = (both + more) * (both + less) * (neither + more) * (neither + less)
    return (both * neither - more * less) / sqrt(rows) if rows else 0.0
