# SPDX-License-Identifier: Apache-2.0
"""Every packet of a UDP trial accounted for, and cross-checked with the interfaces' counters."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from gatemark.counter import NOTES, VALUES, SinkCounters
from gatemark.station.wiring import Port
from gatemark.store.record import Accounting
from gatemark.workload.way import Report, Way

Counters = Mapping[str, int]  # "lan0.tx_packets" -> count

# Neighbours asked for, spanning tree, routers that announce themselves: a few a second at most.
CHATTER, CHATTER_PPS = 20, 10

# The counters of a sink that a record keeps; those with a default are not of every sink.
SINK_SUMS: Final = {
    field.name: field.required
    for field in msgspec.structs.fields(Accounting)
    if field.name in SinkCounters.__annotations__
}


def account(
    ways: Sequence[Way], before: Counters, after: Counters, *, talks: bool = False
) -> Accounting:
    """The sums over all directions, with what the test ports counted meanwhile.

    `talks`: a program of the user's own runs on the gateway, which may send by itself.
    """
    moved = {name: after[name] - before[name] for name in after}
    sums = {
        name: _sum(way.sink[name] if required else way.sink.get(name, 0) for way in ways)
        for name, required in SINK_SUMS.items()
    }
    tried = _sum(way.sender["tried"] for way in ways)
    return Accounting(
        scheduled=_sum(way.sender["scheduled"] for way in ways),
        tried=tried,
        refused=_sum(way.sender["refused"] for way in ways),
        lost=tried - sums["unique"],
        interfaces=moved,
        mismatch={
            name: difference
            for way in ways
            for name, difference in _differences(way, moved, talks=talks).items()
            if difference
        },
        altered=sum(_altered(way.sink) for way in ways),
        strange=sum(_strange(way.sink) for way in ways),
        **sums,
    )


def values(ways: Iterable[Way]) -> dict[str, float]:
    """The sinks' counters that are values of a record, over all directions."""
    sinks = [way.sink for way in ways]
    return {name: float(_sum(sink.get(name, 0) for sink in sinks)) for name in VALUES}


def notes(ways: Sequence[Way]) -> Iterator[str]:
    """Yield what a record says of the sinks' counters that are above 0."""
    for name, words in NOTES.items():
        if packets := _sum(way.sink.get(name, 0) for way in ways):
            yield words.format(count=f"{packets:,}".replace(",", " "))


def _differences(way: Way, moved: Counters, *, talks: bool) -> dict[str, int]:
    """Counter less account. What a port was offered it sent or dropped; what came in was seen.

    A refused frame need not be counted: where the device's queue is locked just then, the kernel
    frees it without counting it (`__dev_direct_xmit`, net/core/dev.c). What a sender tried
    again (`retried`; ours never does) the port may have counted each time. On a real cable other
    hosts send a packet now and then: a few packets beyond ours are theirs.
    """
    source, sink = way.wire.source.role, way.wire.sink.role
    beyond = [_chatter(port, way, talks=talks) for port in (way.wire.source, way.wire.sink)]
    came = moved[f"{sink}.rx_packets"] - _arrived(way.sink)
    offered = moved[f"{source}.tx_packets"] + moved[f"{source}.tx_dropped"]
    most = way.sender["tried"] + way.sender.get("retried", 0)
    least = way.sender["tried"] - way.sender["refused"]
    return {
        f"{source}.tx": _beyond(offered - int(most), beyond[0]) + min(0, offered - int(least)),
        f"{sink}.rx": _beyond(came, beyond[1]) + min(0, came),
    }


def _altered(sink: Report) -> int:
    return int(sink["corrupt_by"]["header"]) if "corrupt_by" in sink else 0


def _strange(sink: Report) -> int:
    """A replay has packets of any kind, and does not tell."""
    return int(sink["foreign"]) - _altered(sink) if "corrupt_by" in sink else 0


def _chatter(port: Port, way: Way, *, talks: bool) -> int:
    """How many packets of others may cross a port while a trial lasts."""
    return 0 if port.silent and not talks else chatter(way.span_ns)


def chatter(span_ns: int) -> int:
    """How many packets others send on a real cable in such a time."""
    return CHATTER + round(CHATTER_PPS * span_ns / 1e9)


def _beyond(surplus: int, allowed: int) -> int:
    return surplus if surplus > allowed else 0


def _arrived(sink: Report) -> int:
    """Packets that the sink's device handed up: test packets, strange ones, and its own losses."""
    return _sum(sink[name] for name in ("received", "corrupt", "foreign", "ring_dropped"))


def _sum(values: Iterable[int]) -> int:
    return sum(int(value) for value in values)
