# SPDX-License-Identifier: Apache-2.0
"""The one table of counters: which cause a counter names. `tell/fact/counter.py` has its words.

A counter is called as `counts` calls it: `ip.FragFails` is the counter FragFails of the stage `ip`
(store/drops.py), `record.corrupt` a field of a record. A `*` in a name stands for any text: rules
and queues have names of their own. A test lists the counters that name no cause, with the reason.
"""

from dataclasses import dataclass
from typing import Final

from gatemark.judge.finding import Shape


@dataclass(frozen=True, slots=True)
class Cause:
    """What is wrong where one of these counters rose; counters of one packet are no sum."""

    shape: Shape
    counters: tuple[str, ...]
    code: str = ""  # of its fact; "": the shape
    less: tuple[str, ...] = ()  # counters of what is in it, and no test packet: a gateway's ICMP
    needs: tuple[str, ...] = ()  # one of these rose as well
    lacks: tuple[str, ...] = ()  # none of these did
    without: tuple[str, ...] = ()  # these of its counters are of another cause
    # What overload, a shaper or a line does as well: then it is no fault.
    by_load: bool = False


# ICMP about a time to live is sent of some packets alone (sysctl icmp_ratelimit).
EXPIRED: Final = ("icmp.Icmp.OutTimeExcds", "icmp.Icmp6OutTimeExcds")
# Rules for what connection tracking cannot place.
INVALID: Final = ("netfilter.*ct state*invalid*", "netfilter.*--ctstate*INVALID*")
CAUSES: Final[tuple[Cause, ...]] = (
    Cause(
        "changed-marks",
        ("record.mark_changed",),
    ),
    Cause(
        "too-large",
        ("ip.FragFails", "ip.Ip6InTooBigErrors", "ip.Ip6FragFails", "freed.PKT_TOO_BIG"),
    ),
    Cause(
        "full-table",
        ("netfilter.conntrack drop", "record.conntrack.drop"),
        code="full-table.few-looked",
        needs=("event.conntrack early_drop",),
    ),
    Cause(
        "full-table",
        ("event.conntrack early_drop", "record.conntrack.early_drop"),
        code="full-table.thrown-out",
    ),
    Cause(
        "full-table",
        ("netfilter.conntrack drop", "record.conntrack.drop"),
    ),
    Cause(
        "no-entry",
        ("netfilter.conntrack insert_failed", "record.conntrack.insert_failed"),
    ),
    Cause(
        "reverse-path",
        ("ip.IPReversePathFilter", "freed.IP_RPFILTER"),
    ),
    Cause(
        # RFC 4293: of who does not forward, what is not for itself. IPv6's also has what may not be
        # forwarded (net/ipv6/ip6_output.c, ip6_forward).
        "not-forwarding",
        ("ip.InAddrErrors", "ip.Ip6InAddrErrors"),
    ),
    Cause(
        "martians",
        ("ip.in_martian_src", "ip.in_martian_dst"),
    ),
    Cause(
        "no-route",
        (
            *("ip.OutNoRoutes", "ip.InNoRoutes", "ip.in_no_route"),
            *("ip.Ip6InNoRoutes", "ip.Ip6OutNoRoutes"),
            *("freed.IP_INNOROUTES", "freed.IP_OUTNOROUTES"),
        ),
        lacks=("ip.InAddrErrors",),  # the kernel counts both of who does not forward
    ),
    Cause(
        "time-to-live",
        ("ip.InHdrErrors", "ip.Ip6InHdrErrors"),
        needs=EXPIRED,
    ),
    Cause(
        "checksum",
        (
            *("ip.InCsumErrors", "socket.Udp.InCsumErrors", "socket.Udp6InCsumErrors"),
            *("event.Tcp.InCsumErrors", "freed.IP_CSUM", "freed.UDP_CSUM", "freed.TCP_CSUM"),
        ),
    ),
    Cause(
        "neighbour-table",
        ("neighbour.table_fulls", "freed.NEIGH_CREATEFAIL"),
    ),
    Cause(
        "no-neighbour",
        (
            *("neighbour.unresolved_discards", "freed.NEIGH_FAILED"),
            *("freed.NEIGH_QUEUEFULL", "freed.NEIGH_DEAD"),
        ),
    ),
    Cause(
        "fragments",
        ("ip.ReasmFails", "ip.Ip6ReasmFails"),
    ),
    Cause(
        "headers",
        (
            *("ip.InHdrErrors", "ip.Ip6InHdrErrors", "freed.IP_INHDR"),
            *("ip.InTruncatedPkts", "ip.Ip6InTruncatedPkts"),
        ),
        lacks=EXPIRED,
    ),
    Cause(
        "discards",
        ("ip.InDiscards", "ip.OutDiscards", "ip.Ip6InDiscards", "ip.Ip6OutDiscards"),
        less=(
            *("icmp.Icmp.OutDestUnreachs", "icmp.Icmp.OutTimeExcds"),
            *("icmp.Icmp6OutDestUnreachs", "icmp.Icmp6OutPktTooBigs", "icmp.Icmp6OutTimeExcds"),
        ),
    ),
    Cause(
        "ipsec",
        ("ip.Xfrm*", "freed.XFRM_POLICY"),
    ),
    Cause(
        "invalid",
        INVALID,
    ),
    Cause(
        "rule",
        ("netfilter.nft rule*", "netfilter.iptables*"),
        without=INVALID,
    ),
    Cause(
        "no-listener",
        ("socket.Udp.NoPorts", "socket.Udp6NoPorts"),
    ),
    Cause(
        "listen-queue",
        ("event.TcpExt.ListenDrops", "event.TcpExt.TCPBacklogDrop"),
    ),
    Cause(
        "socket-buffer",
        (
            *("socket.Udp.RcvbufErrors", "socket.Udp6RcvbufErrors"),
            *("socket.Udp.MemErrors", "socket.Udp6MemErrors"),
        ),
        by_load=True,
    ),
    Cause(
        "send-buffer",
        ("event.Udp.SndbufErrors", "event.Udp6SndbufErrors"),
        by_load=True,
    ),
    Cause(
        "errors",
        ("port in.rx_crc_errors", "port in.rx_frame_errors", "port in.rx_length_errors"),
    ),
    Cause(
        "ring",
        (
            *("port in.rx_missed_errors", "port in.rx_over_errors", "port in.rx_fifo_errors"),
            "port out.tx_dropped",
        ),
        by_load=True,
    ),
    Cause(
        "not-taken",
        ("port in.rx_dropped", "freed.UNHANDLED_PROTO", "freed.OTHERHOST"),
        by_load=True,
    ),
    Cause(
        "backlog",
        ("backlog.softnet dropped", "freed.CPU_BACKLOG"),
        by_load=True,
    ),
    Cause(
        "ingress",
        ("ingress.*", "freed.XDP", "freed.TC_INGRESS", "freed.TC_EGRESS"),
        by_load=True,
    ),
    Cause(
        "queue",
        ("qdisc.*", "freed.QDISC_DROP"),
        by_load=True,
    ),
)
