# SPDX-License-Identifier: Apache-2.0
"""What a counter of the gateway names, in words: what is seen, in short after "it", what to type.

`{count}` is packets of a trial, `{share}` and `{part}` their share of what was sent, `{where}` the
counter's own place.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

from gatemark.judge.fact import Fact
from gatemark.tell.fact import say
from gatemark.tell.fact.say import Entries, Said
from gatemark.tell.words.figure import grouped, percent, upper

ALL: Final = 0.999

COUNTERS: Final[dict[str, tuple[str, str, str]]] = {
    "changed-marks": (
        "{All} packets came with another mark than {mark}.",
        "gives {all} packets another mark than {mark}",
        "`nft list ruleset | grep dscp` and `tc filter show` on the gateway show who sets it; a "
        "`wash` of cake does, too.",
    ),
    "too-large": (
        "{Units} do not pass: {mtu}.",
        "lets no {units} through",
        "Clamp the MSS (feature `mss`) for TCP, or let its ICMP through; else send what fits.",
    ),
    "full-table.few-looked": (
        "Connection tracking dropped {count} packets ({share}), though it threw out entries for "
        "others: its table is full, and the kernel looks for one to throw out in 8 buckets "
        "alone.",
        "drops {part} as its connection table is full and few of its entries are looked at",
        "`sysctl net.netfilter.nf_conntrack_max net.netfilter.nf_conntrack_buckets`: where the "
        "first is less than a quarter of the second, set both to one number (feature `conntrack-"
        "max:N` does); else the others had answers, and it needs more room.",
    ),
    "full-table.thrown-out": (
        "The connection table is full: {count} entries were thrown out for new ones, so their "
        "answers do not come back.",
        "throws {count} connections out of a full table",
        "`sysctl net.netfilter.nf_conntrack_max` (feature `conntrack-max:N`) gives it more room,"
        " `conntrack-timeout:S` forgets sooner.",
    ),
    "full-table": (
        "Connection tracking dropped {count} packets ({share}): its table has no room.",
        "drops {part} as its connection table has no room",
        "`sysctl net.netfilter.nf_conntrack_max` (feature `conntrack-max:N`) gives it more room.",
    ),
    "no-entry": (
        "Connection tracking could not add {count} connections ({share}): no port was free, or "
        "two packets of one connection came at once.",
        "cannot add the connections of {part}",
        "`conntrack -S` shows insert_failed; give NAT more ports or addresses.",
    ),
    "reverse-path": (
        "The reverse path filter dropped {count} packets ({share}): answers to their source "
        "would leave by another port.",
        "drops {part} by its reverse path filter",
        "`sysctl -a | grep rp_filter`: 2 is loose, 0 is off; `ip route get SOURCE` shows the way.",
    ),
    "not-forwarding": (
        "The gateway does not forward {count} packets ({share}): forwarding is off, or it is for"
        " the port that they came by.",
        "does not forward {part}",
        "`sysctl -a | grep forwarding` shows where it is 0.",
    ),
    "martians": (
        "{count} packets ({share}) have an address that may not be there: of nobody, of a loop, "
        "or of the gateway itself.",
        "does not take the addresses of {part}",
        "`sysctl net.ipv4.conf.all.log_martians=1`, then `dmesg`, shows them.",
    ),
    "no-route": (
        "The gateway has no route for {count} packets ({share}), or one that says blackhole or "
        "unreachable.",
        "has no route for {part}",
        "`ip route get DESTINATION` and `ip rule` on the gateway show it.",
    ),
    "time-to-live": (
        "{count} packets ({share}) came with a time to live that ends at the gateway: they loop,"
        " or a rule counts it down.",
        "ends the time to live of {part}",
        "`traceroute` shows a loop; look for rules that set `ttl` or `hoplimit`.",
    ),
    "checksum": (
        "The gateway found {count} packets ({share}) with a wrong checksum.",
        "finds wrong checksums in {part}",
        "`ethtool -K PORT rx off tx off` says whether a card makes them; else it is the cable or"
        " the memory.",
    ),
    "neighbour-table": (
        "The neighbour table is full: {count} packets ({share}) found no room for a MAC address.",
        "has no room for the MAC addresses of {part}",
        "`sysctl net.ipv4.neigh.default.gc_thresh3` (ipv6 likewise) gives it more room.",
    ),
    "no-neighbour": (
        "No host tells its MAC address for {count} packets ({share}).",
        "learns no MAC address for {part}",
        "`ip neigh` on the gateway shows addresses that are FAILED or INCOMPLETE.",
    ),
    "fragments": (
        "{count} fragments ({share}) made no whole packet: parts of it are missing, or there is "
        "no memory for them.",
        "cannot put {part} together",
        "`sysctl net.ipv4.ipfrag_high_thresh` is the memory; better, send what fits the MTU.",
    ),
    "headers": (
        "The gateway does not take the header of {count} packets ({share}).",
        "does not take the headers of {part}",
        "`tcpdump -v` at its port shows what is wrong with them.",
    ),
    "discards": (
        "The IP layer discarded {count} packets ({share}): a rule for what the gateway itself "
        "sends, a queue, or no memory.",
        "discards {part} in its IP layer",
        "`nft list ruleset` (hooks input and output) and `tc -s qdisc` on the gateway show who.",
    ),
    "ipsec": (
        "IPsec dropped {count} packets ({share}): no state or policy fits them, or a key is wrong.",
        "drops {part} by IPsec",
        "`cat /proc/net/xfrm_stat` says why, `ip xfrm policy` and `ip xfrm state` what fits.",
    ),
    "invalid": (
        "A rule dropped {count} packets ({share}) that are of no connection that the gateway saw"
        " begin, or are out of its window: {where}.",
        "takes {part} for packets of no connection",
        "`sysctl net.netfilter.nf_conntrack_log_invalid=255`, then `dmesg`, says why; answers "
        "that come by another gateway are such packets.",
    ),
    "rule": (
        "A rule dropped {count} packets ({share}): {where}.",
        "drops {part} by a rule",
        "`nft -a list ruleset` has its handle, `iptables-save -c` its count.",
    ),
    "no-listener": (
        "{count} packets ({share}) were for the gateway itself, where nobody listens: it "
        "forwards or translates them to nobody.",
        "takes {part} for its own",
        "`nft list table nat` and `conntrack -L` show what is translated, `ss -lun` who listens.",
    ),
    "listen-queue": (
        "A server on the gateway refused {count} connections: its queue was full.",
        "refuses {count} connections as a listen queue is full",
        "`ss -ltn` shows the queue (Recv-Q, Send-Q); `sysctl net.core.somaxconn` is its most.",
    ),
    "socket-buffer": (
        "A program on the gateway did not read {count} packets ({share}) in time: the buffer of "
        "its socket was full.",
        "drops {part} at a full socket buffer",
        "`ss -uamp` shows whose; `sysctl net.core.rmem_max` is its most, and `net.ipv4.udp_mem` "
        "that of all together.",
    ),
    "send-buffer": (
        "A program on the gateway could not send {count} packets ({share}) at once: the buffer "
        "of its socket was full. One that does not try again loses them.",
        "cannot send {part} at once",
        "`ss -uamp` shows whose; `sysctl net.core.wmem_max` is its most.",
    ),
    "errors": (
        "A port took {count} packets ({share}) for damaged: {where}.",
        "takes {part} for damaged",
        "Change the cable; `ethtool PORT` shows speed and duplex, `ip -s -s link` the errors.",
    ),
    "ring": (
        "A port dropped {count} packets ({share}), as nobody took them in time: {where}.",
        "drops {part} at a port's ring",
        "`ethtool -G PORT rx N` makes the ring longer; feature `steering` spreads its work.",
    ),
    "not-taken": (
        "Nobody took {count} packets ({share}) that a port received: they have a protocol or a "
        "VLAN tag that it does not serve, or another's MAC address, or its driver calls a full "
        "ring so: {where}.",
        "does not take {part} from a port",
        "`ip -d link`, `bridge vlan` and `tcpdump -e` show tags and addresses; `ethtool -S PORT`"
        " has the driver's own counters.",
    ),
    "backlog": (
        "The backlog of a CPU was full for {count} packets ({share}).",
        "drops {part} at a CPU's backlog",
        "`sysctl net.core.netdev_max_backlog` makes it longer.",
    ),
    "ingress": (
        "{count} packets ({share}) were dropped by a filter of a port: {where}.",
        "drops {part} by a filter of a port",
        "`tc -s filter show dev PORT ingress` (and `egress`) and `ip link` (xdp) show by what.",
    ),
    "queue": (
        "A queue dropped {count} packets ({share}): {where}.",
        "drops {part} at a queue",
        "`tc -s qdisc show dev PORT` shows its limit and what it dropped.",
    ),
}


def _counter(code: str, fact: Fact) -> Said:
    words, clause, advice = COUNTERS[code]
    values = _values(fact)
    return f"{upper(words.format_map(values))} {advice}", clause.format_map(values)


def _values(fact: Fact) -> dict[str, str]:
    packets, ratio = int(say.number(fact, "packets")), say.number(fact, "share")
    count, share = grouped(packets), percent(ratio)
    every = "all" if ratio >= ALL else f"{share} of the"
    units = _units(fact)
    mark = fact.values["mark"]
    return {
        "count": count,
        "share": share if ratio else "of how many is not known",
        "part": f"{share} of the packets" if ratio else f"{count} packets",
        "where": str(fact.values["where"]),
        "all": every,
        "All": upper(every),
        "mark": "the one that they were sent with" if mark is None else str(mark),
        "units": units,
        "Units": upper(units),
        "mtu": _mtu(fact),
    }


def _units(fact: Fact) -> str:
    """Return what does not pass: `segments of 1 500 bytes`."""
    name = "segments" if fact.values["tcp"] else "packets"
    if fact.values["bytes"] is None:
        return f"{name} that are too large"
    return f"{name} of {grouped(int(say.number(fact, 'bytes')))} bytes"


def _mtu(fact: Fact) -> str:
    """Return why: the port that takes less."""
    port = fact.values["port"]
    if not port:
        return "the way out takes less"
    silent = " and its ICMP does not arrive" if fact.values["tcp"] else ""
    return f"the gateway's {port} takes {grouped(int(say.number(fact, 'mtu')))}{silent}"


def _no_entry(who: str) -> Callable[[Fact], Said]:
    """Return the words of flows that lose all, with why: one fault, one row."""

    def entry(fact: Fact) -> Said:
        flows = fact.values["finding"]
        assert isinstance(flows, Fact)
        begin, count = say.words(flows).partition(":")[0], grouped(int(say.number(fact, "packets")))
        return (
            f"{begin}: {who} for them (insert_failed {count}). `conntrack -S` shows it; give NAT "
            "more ports or addresses.",
            f"{say.clause(flows)}: {who}",
        )

    return entry


ENTRIES: Final[Entries] = {
    "flows.no-port": _no_entry("NAT has no port left"),
    "flows.no-entry": _no_entry("connection tracking adds no entry"),
    **{f"counter.{code}": partial(_counter, code) for code in COUNTERS},
}
