# SPDX-License-Identifier: Apache-2.0
"""The one table of counters: which cause a counter names, in words, and what to type about it.

A counter is called as `counts` calls it: `ip.FragFails` is the counter FragFails of the stage `ip`
(store/drops.py), `record.corrupt` a field of a record. A `*` in a name stands for any text: rules
and queues have names of their own. A test lists the counters that name no cause, with the reason.
In words, `{count}` is packets of a trial, `{share}` and `{part}` their share of what was sent,
`{where}` the counter's own place.
"""

from dataclasses import dataclass
from typing import Final

from gatemark.judge.finding import Shape


@dataclass(frozen=True, slots=True)
class Cause:
    """What is wrong where one of these counters rose; counters of one packet are no sum."""

    shape: Shape
    counters: tuple[str, ...]
    words: str  # what is seen
    clause: str  # the same in short, after "it"
    advice: str  # what to type
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
        "{All} packets came with another mark than {mark}.",
        "gives {all} packets another mark than {mark}",
        "`nft list ruleset | grep dscp` and `tc filter show` on the gateway show who sets it; a "
        "`wash` of cake does, too.",
    ),
    Cause(
        "too-large",
        ("ip.FragFails", "ip.Ip6InTooBigErrors", "ip.Ip6FragFails", "freed.PKT_TOO_BIG"),
        "{Units} do not pass: {mtu}.",
        "lets no {units} through",
        "Clamp the MSS (feature `mss`) for TCP, or let its ICMP through; else send what fits.",
    ),
    Cause(
        "full-table",
        ("netfilter.conntrack drop", "record.conntrack.drop"),
        "Connection tracking dropped {count} packets ({share}), though it threw out entries for "
        "others: its table is full, and the kernel looks for one to throw out in 8 buckets alone.",
        "drops {part} as its connection table is full and few of its entries are looked at",
        "`sysctl net.netfilter.nf_conntrack_max net.netfilter.nf_conntrack_buckets`: where the "
        "first is less than a quarter of the second, set both to one number (feature "
        "`conntrack-max:N` does); else the others had answers, and it needs more room.",
        needs=("event.conntrack early_drop",),
    ),
    Cause(
        "full-table",
        ("event.conntrack early_drop", "record.conntrack.early_drop"),
        "The connection table is full: {count} entries were thrown out for new ones, so their "
        "answers do not come back.",
        "throws {count} connections out of a full table",
        "`sysctl net.netfilter.nf_conntrack_max` (feature `conntrack-max:N`) gives it more room, "
        "`conntrack-timeout:S` forgets sooner.",
    ),
    Cause(
        "full-table",
        ("netfilter.conntrack drop", "record.conntrack.drop"),
        "Connection tracking dropped {count} packets ({share}): its table has no room.",
        "drops {part} as its connection table has no room",
        "`sysctl net.netfilter.nf_conntrack_max` (feature `conntrack-max:N`) gives it more room.",
    ),
    Cause(
        "no-entry",
        ("netfilter.conntrack insert_failed", "record.conntrack.insert_failed"),
        "Connection tracking could not add {count} connections ({share}): no port was free, or two "
        "packets of one connection came at once.",
        "cannot add the connections of {part}",
        "`conntrack -S` shows insert_failed; give NAT more ports or addresses.",
    ),
    Cause(
        "reverse-path",
        ("ip.IPReversePathFilter", "freed.IP_RPFILTER"),
        "The reverse path filter dropped {count} packets ({share}): answers to their source would "
        "leave by another port.",
        "drops {part} by its reverse path filter",
        "`sysctl -a | grep rp_filter`: 2 is loose, 0 is off; `ip route get SOURCE` shows the way.",
    ),
    Cause(
        # RFC 4293: of who does not forward, what is not for itself. IPv6's also has what may not be
        # forwarded (net/ipv6/ip6_output.c, ip6_forward).
        "not-forwarding",
        ("ip.InAddrErrors", "ip.Ip6InAddrErrors"),
        "The gateway does not forward {count} packets ({share}): forwarding is off, or it is for "
        "the port that they came by.",
        "does not forward {part}",
        "`sysctl -a | grep forwarding` shows where it is 0.",
    ),
    Cause(
        "martians",
        ("ip.in_martian_src", "ip.in_martian_dst"),
        "{count} packets ({share}) have an address that may not be there: of nobody, of a loop, or "
        "of the gateway itself.",
        "does not take the addresses of {part}",
        "`sysctl net.ipv4.conf.all.log_martians=1`, then `dmesg`, shows them.",
    ),
    Cause(
        "no-route",
        (
            *("ip.OutNoRoutes", "ip.InNoRoutes", "ip.in_no_route"),
            *("ip.Ip6InNoRoutes", "ip.Ip6OutNoRoutes"),
            *("freed.IP_INNOROUTES", "freed.IP_OUTNOROUTES"),
        ),
        "The gateway has no route for {count} packets ({share}), or one that says blackhole or "
        "unreachable.",
        "has no route for {part}",
        "`ip route get DESTINATION` and `ip rule` on the gateway show it.",
        lacks=("ip.InAddrErrors",),  # the kernel counts both of who does not forward
    ),
    Cause(
        "time-to-live",
        ("ip.InHdrErrors", "ip.Ip6InHdrErrors"),
        "{count} packets ({share}) came with a time to live that ends at the gateway: they loop, "
        "or a rule counts it down.",
        "ends the time to live of {part}",
        "`traceroute` shows a loop; look for rules that set `ttl` or `hoplimit`.",
        needs=EXPIRED,
    ),
    Cause(
        "checksum",
        (
            *("ip.InCsumErrors", "socket.Udp.InCsumErrors", "socket.Udp6InCsumErrors"),
            *("event.Tcp.InCsumErrors", "freed.IP_CSUM", "freed.UDP_CSUM", "freed.TCP_CSUM"),
        ),
        "The gateway found {count} packets ({share}) with a wrong checksum.",
        "finds wrong checksums in {part}",
        "`ethtool -K PORT rx off tx off` says whether a card makes them; else it is the cable or "
        "the memory.",
    ),
    Cause(
        "neighbour-table",
        ("neighbour.table_fulls", "freed.NEIGH_CREATEFAIL"),
        "The neighbour table is full: {count} packets ({share}) found no room for a MAC address.",
        "has no room for the MAC addresses of {part}",
        "`sysctl net.ipv4.neigh.default.gc_thresh3` (ipv6 likewise) gives it more room.",
    ),
    Cause(
        "no-neighbour",
        (
            *("neighbour.unresolved_discards", "freed.NEIGH_FAILED"),
            *("freed.NEIGH_QUEUEFULL", "freed.NEIGH_DEAD"),
        ),
        "No host tells its MAC address for {count} packets ({share}).",
        "learns no MAC address for {part}",
        "`ip neigh` on the gateway shows addresses that are FAILED or INCOMPLETE.",
    ),
    Cause(
        "fragments",
        ("ip.ReasmFails", "ip.Ip6ReasmFails"),
        "{count} fragments ({share}) made no whole packet: parts of it are missing, or there is no "
        "memory for them.",
        "cannot put {part} together",
        "`sysctl net.ipv4.ipfrag_high_thresh` is the memory; better, send what fits the MTU.",
    ),
    Cause(
        "headers",
        (
            *("ip.InHdrErrors", "ip.Ip6InHdrErrors", "freed.IP_INHDR"),
            *("ip.InTruncatedPkts", "ip.Ip6InTruncatedPkts"),
        ),
        "The gateway does not take the header of {count} packets ({share}).",
        "does not take the headers of {part}",
        "`tcpdump -v` at its port shows what is wrong with them.",
        lacks=EXPIRED,
    ),
    Cause(
        "discards",
        ("ip.InDiscards", "ip.OutDiscards", "ip.Ip6InDiscards", "ip.Ip6OutDiscards"),
        "The IP layer discarded {count} packets ({share}): a rule for what the gateway itself "
        "sends, a queue, or no memory.",
        "discards {part} in its IP layer",
        "`nft list ruleset` (hooks input and output) and `tc -s qdisc` on the gateway show who.",
        less=(
            *("icmp.Icmp.OutDestUnreachs", "icmp.Icmp.OutTimeExcds"),
            *("icmp.Icmp6OutDestUnreachs", "icmp.Icmp6OutPktTooBigs", "icmp.Icmp6OutTimeExcds"),
        ),
    ),
    Cause(
        "ipsec",
        ("ip.Xfrm*", "freed.XFRM_POLICY"),
        "IPsec dropped {count} packets ({share}): no state or policy fits them, or a key is wrong.",
        "drops {part} by IPsec",
        "`cat /proc/net/xfrm_stat` says why, `ip xfrm policy` and `ip xfrm state` what fits.",
    ),
    Cause(
        "invalid",
        INVALID,
        "A rule dropped {count} packets ({share}) that are of no connection that the gateway saw "
        "begin, or are out of its window: {where}.",
        "takes {part} for packets of no connection",
        "`sysctl net.netfilter.nf_conntrack_log_invalid=255`, then `dmesg`, says why; answers that "
        "come by another gateway are such packets.",
    ),
    Cause(
        "rule",
        ("netfilter.nft rule*", "netfilter.iptables*"),
        "A rule dropped {count} packets ({share}): {where}.",
        "drops {part} by a rule",
        "`nft -a list ruleset` has its handle, `iptables-save -c` its count.",
        without=INVALID,
    ),
    Cause(
        "no-listener",
        ("socket.Udp.NoPorts", "socket.Udp6NoPorts"),
        "{count} packets ({share}) were for the gateway itself, where nobody listens: it forwards "
        "or translates them to nobody.",
        "takes {part} for its own",
        "`nft list table nat` and `conntrack -L` show what is translated, `ss -lun` who listens.",
    ),
    Cause(
        "listen-queue",
        ("event.TcpExt.ListenDrops", "event.TcpExt.TCPBacklogDrop"),
        "A server on the gateway refused {count} connections: its queue was full.",
        "refuses {count} connections as a listen queue is full",
        "`ss -ltn` shows the queue (Recv-Q, Send-Q); `sysctl net.core.somaxconn` is its most.",
    ),
    Cause(
        "socket-buffer",
        (
            *("socket.Udp.RcvbufErrors", "socket.Udp6RcvbufErrors"),
            *("socket.Udp.MemErrors", "socket.Udp6MemErrors"),
        ),
        "A program on the gateway did not read {count} packets ({share}) in time: the buffer of "
        "its socket was full.",
        "drops {part} at a full socket buffer",
        "`ss -uamp` shows whose; `sysctl net.core.rmem_max` is its most, and "
        "`net.ipv4.udp_mem` that of all together.",
        by_load=True,
    ),
    Cause(
        "send-buffer",
        ("event.Udp.SndbufErrors", "event.Udp6SndbufErrors"),
        "A program on the gateway could not send {count} packets ({share}) at once: the buffer of "
        "its socket was full. One that does not try again loses them.",
        "cannot send {part} at once",
        "`ss -uamp` shows whose; `sysctl net.core.wmem_max` is its most.",
        by_load=True,
    ),
    Cause(
        "errors",
        ("port in.rx_crc_errors", "port in.rx_frame_errors", "port in.rx_length_errors"),
        "A port took {count} packets ({share}) for damaged: {where}.",
        "takes {part} for damaged",
        "Change the cable; `ethtool PORT` shows speed and duplex, `ip -s -s link` the errors.",
    ),
    Cause(
        "ring",
        (
            *("port in.rx_missed_errors", "port in.rx_over_errors", "port in.rx_fifo_errors"),
            "port out.tx_dropped",
        ),
        "A port dropped {count} packets ({share}), as nobody took them in time: {where}.",
        "drops {part} at a port's ring",
        "`ethtool -G PORT rx N` makes the ring longer; feature `steering` spreads its work.",
        by_load=True,
    ),
    Cause(
        "not-taken",
        ("port in.rx_dropped", "freed.UNHANDLED_PROTO", "freed.OTHERHOST"),
        "Nobody took {count} packets ({share}) that a port received: they have a protocol or a "
        "VLAN tag that it does not serve, or another's MAC address, or its driver calls a full "
        "ring so: {where}.",
        "does not take {part} from a port",
        "`ip -d link`, `bridge vlan` and `tcpdump -e` show tags and addresses; `ethtool -S PORT` "
        "has the driver's own counters.",
        by_load=True,
    ),
    Cause(
        "backlog",
        ("backlog.softnet dropped", "freed.CPU_BACKLOG"),
        "The backlog of a CPU was full for {count} packets ({share}).",
        "drops {part} at a CPU's backlog",
        "`sysctl net.core.netdev_max_backlog` makes it longer.",
        by_load=True,
    ),
    Cause(
        "ingress",
        ("ingress.*", "freed.XDP", "freed.TC_INGRESS", "freed.TC_EGRESS"),
        "{count} packets ({share}) were dropped by a filter of a port: {where}.",
        "drops {part} by a filter of a port",
        "`tc -s filter show dev PORT ingress` (and `egress`) and `ip link` (xdp) show by what.",
        by_load=True,
    ),
    Cause(
        "queue",
        ("qdisc.*", "freed.QDISC_DROP"),
        "A queue dropped {count} packets ({share}): {where}.",
        "drops {part} at a queue",
        "`tc -s qdisc show dev PORT` shows its limit and what it dropped.",
        by_load=True,
    ),
)
