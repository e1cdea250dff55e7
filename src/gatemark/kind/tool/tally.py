# SPDX-License-Identifier: Apache-2.0
"""A tool's UDP packets accounted for: its own counts, against its hosts' and the ports' counters.

What came to the sink's host and is not in the tool's count was lost by the tool's own receiver, so
it is the tester's loss (`ring_dropped`). Beside its test packets a tool sends a control connection
and a few datagrams that begin and end a test; they are reported, and are in no count.
"""

from collections.abc import Mapping
from typing import Final

from gatemark.store.record import Accounting
from gatemark.workload.way import Way

MOST_EXTRA: Final = 16  # datagrams of a stream that begin and end a test: 1 of iperf3, 8 of nuttcp


def tally(way: Way, before: Mapping[str, int], after: Mapping[str, int]) -> Accounting:
    """The account of one direction; `before` and `after` are the test ports' counters."""
    moved = {name: after[name] - before[name] for name in after}
    sent, got = way.sender["host"], way.sink["host"]
    tried, unique = int(way.sender["tried"]), int(way.sink["unique"])
    arrived = got["ip_in"] - got["tcp_in"] - got["icmp_in"]
    own = arrived - unique - extra(way)
    return Accounting(
        scheduled=int(way.sender["scheduled"]),
        tried=tried,
        refused=sent["udp_refused"],
        unique=unique,
        lost=tried - unique,
        duplicated=0,
        reordered=0,
        stale=0,
        corrupt=0,
        foreign=0,
        ring_dropped=max(0, min(own, tried - unique)),
        interfaces=moved,
        mismatch={name: n for name, n in _differences(way, moved, arrived).items() if n},
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
