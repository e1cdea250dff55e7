# SPDX-License-Identifier: Apache-2.0
"""What the gateway's own counters say that it dropped during a trial, by cause.

They are read before the first packet and after the drain. A cause is one counter. Some packets are
counted twice, by a stage and by a sum further up; `counted_in` names that sum.
"""

from typing import Final

import msgspec

# Stages in the order in which a packet meets them. The tester's are no loss of the gateway.
PORT_IN: Final = "port in"  # of a card: missed, CRC, over, fifo
BACKLOG: Final = "backlog"  # the queue of a CPU: without NAPI, or by RPS
INGRESS: Final = "ingress"  # XDP, tc ingress, policers; tc egress too, which shares its counter
NETFILTER: Final = "netfilter"  # rules, chain policies, connection tracking
IP: Final = "ip"  # TTL, route, size, reverse path
NEIGHBOUR: Final = "neighbour"  # waited for a MAC address
SOCKET: Final = "socket"  # for the gateway itself: nobody listens, or the buffer is full
QDISC: Final = "qdisc"  # the queue of a port
PORT_OUT: Final = "port out"  # the card's ring
TESTER: Final = "tester"  # the sink's ring that a veth fills
ICMP: Final = "icmp"  # sent about packets that were dropped: never a loss of its own
REFUSED: Final = "refused"  # in `counted_in`: the tester's sender counts these packets as well
STAGES: Final = (
    *(PORT_IN, BACKLOG, INGRESS, NETFILTER, IP, NEIGHBOUR, SOCKET, QDISC, PORT_OUT),
    *(TESTER, ICMP),
)


class Drop(msgspec.Struct, frozen=True, kw_only=True):
    """One counter of the gateway that rose."""

    stage: str  # of STAGES
    cause: str  # the counter's own name, or the rule's text: InHdrErrors, udp dport 5001 drop
    where: str = ""  # port, "inet filter forward handle 7", ...; "": all of the gateway
    packets: int  # by how much it rose
    counted_in: str = ""  # the causes whose counters count these packets once more, by commas


class Drops(msgspec.Struct, frozen=True, kw_only=True):
    """What one gateway dropped between two readings."""

    causes: tuple[Drop, ...] = ()  # those that rose, by stage
    unread: tuple[str, ...] = ()  # stages without a reading, and why: "netfilter rules: no nft"
    background_pps: float = 0.0  # drops a second at rest, read in the second before
    lasts_s: float = 0.0  # between both readings


class Freed(msgspec.Struct, frozen=True, kw_only=True):
    """Packets that the gateway's kernel freed as dropped. Aggregated ones count as one packet."""

    reason: str  # as its tracepoint calls it: NETFILTER_DROP; "": before Linux 5.17
    place: str  # the function that freed them: nf_hook_slow
    packets: int  # while it was counted: from before the first packet until after the drain
