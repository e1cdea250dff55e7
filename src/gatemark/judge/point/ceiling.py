# SPDX-License-Identifier: Apache-2.0
"""The tester's ceiling: the most that LAN host and WAN host move without a gateway between them.

Near it a value says more about the tester than about the gateway (Korcek and others, who first
measured PC to PC and claimed no maximum for a device near that reference).
"""

from collections.abc import Iterable

from gatemark.judge.judgement import PointResult
from gatemark.judge.math.interval import Interval
from gatemark.plan.feature import ENDPOINT
from gatemark.store.record import Definition

NEAR = 0.9  # of the ceiling: a value within 10 % of it may be the tester's own


def ceiling(ceilings: Iterable[PointResult], definition: Definition) -> float | None:
    """The ceiling that holds for a definition, in its own quantity, or None where none does.

    Where the tester kept every rate that it was asked for, its end was not seen: no ceiling.
    Where the gateway is an end itself, the tester has one end less to work for: none either.
    """
    if definition.path == ENDPOINT:
        return None
    results = list(ceilings)
    ended = {_load(result.definition) for result in results if not _keeps(result)}
    return highest((r for r in results if _load(r.definition) in ended), definition)


def highest(ceilings: Iterable[PointResult], definition: Definition) -> float | None:
    """The most that the tester did alone of what a definition is about, or None.

    A size that was not measured takes the nearest on the side where the ceiling is surely no lower
    than the true one: packets/s fall with the frame's size, goodput rises with the write's.
    """
    values: dict[int, float] = {}
    for result in ceilings:
        if result.definition.line:  # what came through is the line's rate, not the tester's
            continue
        size, value = _size(result.definition), _most(result, definition.headline)
        if value is not None and size is not None and _alike(result.definition, definition):
            values[size] = max(value.value, values.get(size, 0.0))
    wanted = _size(definition) or 0
    if definition.l4 == "tcp":
        fitting = [size for size in values if size >= wanted]
        return values[min(fitting)] if fitting else None
    fitting = [size for size in values if size <= wanted]
    return values[max(fitting)] if fitting else None


def _keeps(result: PointResult) -> bool:
    """Return whether all came through of a rate that was set: the tester may do more.

    A search's highest rate came through too, and there is an end above it.
    """
    return result.limit == "none" and result.definition.headline == "received_pps"


def _load(definition: Definition) -> tuple[object, ...]:
    """By what the tester's rates are put together: those of one load have one ceiling."""
    return *_kind(definition), _size(definition)


def _most(result: PointResult, quantity: str) -> Interval | None:
    """What the tester alone did: no rate that is searched for can be above what it can send."""
    value = result.values.get(quantity)
    return value or (result.values.get("received_pps") if quantity == "throughput_pps" else None)


def near(value: float, most: float | None) -> bool:
    """Return whether a value is within 10 % of the ceiling, or above it."""
    return most is not None and value >= NEAR * most


def _size(definition: Definition) -> int | None:
    """By what ceilings are ordered; 0 for a mix, which is alike to itself only."""
    if definition.mix:
        return 0
    return definition.write_bytes if definition.l4 == "tcp" else definition.frame_bytes


def _alike(ours: Definition, theirs: Definition) -> bool:
    """Same family, protocol, mix and driver, one way against one way: two share the CPU."""
    return _kind(ours) == _kind(theirs)


def _kind(definition: Definition) -> tuple[object, ...]:
    both = definition.direction == "both"
    return (
        definition.family,
        definition.l4,
        definition.mix,
        definition.driver,
        both,
        definition.streams,
        definition.offload,
        definition.congestion,
    )
