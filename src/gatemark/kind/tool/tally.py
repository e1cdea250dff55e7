# SPDX-License-Identifier: Apache-2.0
"""A tool's UDP packets accounted for: its own counts, against its hosts' and the ports' counters.

What came to the sink's host and is not in the tool's count was lost by the tool's own receiver, so
it is the tester's loss (`ring_dropped`). Beside its test packets a tool sends a control connection
and a few datagrams that begin and end a test; they are reported, and are in no count.
"""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from gatemark.error import InvalidTrialError
from gatemark.store.record import Accounting
from gatemark.workload.way import Way

MOST_EXTRA: Final = 16  # datagrams of a stream that begin and end a test: 1 of iperf3, 8 of nuttcp


def tally(way: Way, before: Mapping[str, int], after: Mapping[str, int]) -> Accounting:
    """The account of one direction; `before` and `after` are the test ports' counters."""
    moved = _moved(before, after)
    got = way.sink["host"]
    arrived = got["ip_in"] - got["tcp_in"] - got["icmp_in"]
    beside = extra(way)
    count = _account(way, moved, arrived - beside, _differences(way, moved, arrived))
    return replace(count, refused=way.sender["host"]["udp_refused"])


def attached(way: Way, before: Mapping[str, int], after: Mapping[str, int]) -> Accounting:
    """The account of a tester whose ports are attached to the test ports, which nothing else uses.

    Raises InvalidTrialError where they are attached to other ports.
    """
    moved = _moved(before, after)
    source, sink = way.wire.source, way.wire.sink
    tried, unique = int(way.sender["tried"]), int(way.sink["unique"])
    sent, arrived = moved[f"{source.role}.tx_packets"], moved[f"{sink.role}.rx_packets"]
    if tried and not sent:
        raise InvalidTrialError(
            f"{way.program} sent {tried} packets, and none by {source.device} of {source.node.name}"
            ": attach the tester's port to it"
        )
    differences = {f"{source.role}.tx": sent - tried, f"{sink.role}.rx": min(0, arrived - unique)}
    return _account(way, moved, arrived, differences)


def _moved(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    return {name: after[name] - before[name] for name in after}


def _account(
    way: Way, moved: dict[str, int], arrived: int, differences: Mapping[str, int]
) -> Accounting:
    """Of the test packets that came, those that the tool did not count are its own loss."""
    tried, unique = int(way.sender["tried"]), int(way.sink["unique"])
    return Accounting(
        scheduled=int(way.sender["scheduled"]),
        tried=tried,
        refused=0,
        unique=unique,
        lost=tried - unique,
        duplicated=0,
        reordered=0,
        stale=0,
        corrupt=0,
        foreign=0,
        ring_dropped=max(0, min(arrived - unique, tried - unique)),
        interfaces=moved,
        mismatch={name: n for name, n in differences.items() if n},
    )


def extra(way: Way) -> int:
    """Datagrams that the sending host made beside those that the tool counts."""
    sent = way.sender["host"]
    return int(sent["udp_out"] + sent["udp_refused"] - way.sender["tried"])


def notes(way: Way) -> tuple[str, ...]:
    """Return notes on what else crossed the test ports."""
    control = way.sender["host"]["tcp_out"]
    return (
        f"{way.program}: {control} packets of its control connection and {extra(way)} datagrams "
        "that begin and end its test left the sender besides; they are in no count",
    )


def _differences(way: Way, moved: Mapping[str, int], arrived: int) -> dict[str, int]:
    """Port less host, then host less tool: more than the tool counted is looked at elsewhere."""
    source, sink = way.wire.source.role, way.wire.sink.role
    sent, got = way.sender["host"], way.sink["host"]
    made = sum(sent[name] for name in ("udp_out", "udp_refused", "tcp_out", "icmp_out"))
    offered = moved[f"{source}.tx_packets"] + moved[f"{source}.tx_dropped"]
    beyond = extra(way)
    return {
        f"{source}.tx": offered - made,
        f"{sink}.rx": moved[f"{sink}.rx_packets"] - got["ip_in"],
        f"{way.program}.sent": min(0, beyond) + max(0, beyond - MOST_EXTRA * way.sender["flows"]),
        f"{way.program}.received": min(0, arrived - int(way.sink["unique"])),
    }
