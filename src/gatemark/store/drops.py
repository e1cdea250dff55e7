# SPDX-License-Identifier: Apache-2.0
"""The drops of a trial, by cause: by the gateway's own counters, and by the line.

They are read before the first packet and after the drain. A cause is one counter. Some packets are
counted twice, by a stage and by a sum further up; `counted_in` names that sum.
"""

from typing import Final

import msgspec

from gatemark.store.schema import Seconds, Share

# Stages in the order in which a packet meets them. The tester's are no loss of the gateway.
PORT_IN: Final = "port in"  # of a card: missed, over, fifo, CRC, frame, length
BACKLOG: Final = "backlog"  # the queue of a CPU: without NAPI, or by RPS
INGRESS: Final = "ingress"  # XDP, tc ingress, policers; tc egress too, which shares its counter
NETFILTER: Final = "netfilter"  # rules, chain policies, connection tracking
IP: Final = "ip"  # TTL, route, size, reverse path
NEIGHBOUR: Final = "neighbour"  # waited for a MAC address
SOCKET: Final = "socket"  # for the gateway itself: nobody listens, or the buffer is full
QDISC: Final = "qdisc"  # the queue of a port
PORT_OUT: Final = "port out"  # the card's ring
LINE: Final = "line"  # the bench's, between the WAN port and the WAN host
TESTER: Final = "tester"  # the sink's ring that a veth fills
ICMP: Final = "icmp"  # sent about packets that were dropped: never a loss of its own
EVENT: Final = "event"  # names a cause, and counts no test packet: an entry, a TCP connection
REFUSED: Final = "refused"  # in `counted_in`: the tester's sender counts these packets as well
STAGES: Final = (
    *(PORT_IN, BACKLOG, INGRESS, NETFILTER, IP, NEIGHBOUR, SOCKET, QDISC, PORT_OUT),
    *(LINE, TESTER, ICMP, EVENT),
)
NO_LOSS: Final = frozenset({ICMP, EVENT})


class Drop(msgspec.Struct, frozen=True, kw_only=True):
    """One counter of the gateway that rose."""

    stage: str  # of STAGES
    cause: str  # the counter's own name, or the rule's text: InHdrErrors, udp dport 5001 drop
    where: str = ""  # port, "inet filter forward handle 7", ...; "": all of the gateway
    packets: int  # by how much it rose
    counted_in: str = ""  # the causes whose counters count these packets once more, by commas


class Drops(msgspec.Struct, frozen=True, kw_only=True):
    """The drops of one gateway between two readings."""

    causes: tuple[Drop, ...] = ()  # those that rose, by stage
    unread: tuple[str, ...] = ()  # stages without a reading, and why: "netfilter rules: no nft"
    background_pps: float = 0.0  # drops a second at rest, read in the second before
    lasts_s: Seconds = 0.0  # between both readings
    mtu: dict[str, int] = {}  # of each port, bytes, after the drain: "WAN port": 1492


class Freed(msgspec.Struct, frozen=True, kw_only=True):
    """Packets that the gateway's kernel freed as dropped. Aggregated ones count as one packet."""

    reason: str  # as its tracepoint calls it: NETFILTER_DROP; "": before Linux 5.17
    place: str  # the function that freed them: nf_hook_slow
    packets: int  # while it was counted: from before the first packet until after the drain


class Crossing(msgspec.Struct, frozen=True, kw_only=True):
    """One way over the emulated access line: in = sent + dropped + lost + refused + waiting."""

    came: int = msgspec.field(name="in")  # frames that came to it, `in` in the data
    sent: int  # that left it
    dropped: int  # by its queue: it was full, or chose them
    lost: int  # behind the queue, by the chance that the plan gave
    refused: int  # by the port that they were to leave by: what is beyond was full
    waiting: int  # still in it when the books were read, after the drain
    bytes: int  # of those sent: frames without check sequence
    busy: Share  # share of the time of sending in which it serialised, at most 1
    peak_packets: int  # that waited at once, at most
    peak_bytes: int  # of these, at most
    late_ns: dict[str, float] = {}  # departure less the time that was due: p50, p99, p999, max
    within_50us: float = 1.0  # share of the departures that were at most so late
    over_1ms: float = 0.0  # and later than this


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """The traffic that crossed the emulated access line in one trial."""

    up: Crossing  # towards the WAN host
    down: Crossing  # towards the gateway
    cpu: Share = 0.0  # share of a CPU that it used in that time, both ways
    # By how much CLOCK_REALTIME, of its stamps, was set against CLOCK_MONOTONIC meanwhile.
    clock_stepped_ns: int = 0
    # Where the counters of its ports and the books differ: "up.in" -> frames.
    mismatch: dict[str, int] = {}

    @property
    def ways(self) -> dict[str, Crossing]:
        """Return the crossings by direction."""
        return {"up": self.up, "down": self.down}
