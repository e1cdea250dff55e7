# SPDX-License-Identifier: Apache-2.0
"""A host's own protocol counters: the witness between a port's counter and a tool's count.

Linux, Documentation/networking/snmp_counter.rst. UDP counts `InDatagrams` as the program reads, so
what was left in its socket is in `ip_in` alone.
"""

from typing import Final

from gatemark.node.reader import reader
from gatemark.node.shell import Node

SNMP: Final = {  # ours -> those of /proc/net/snmp and /proc/net/snmp6 that make it
    "ip_in": ("IpInReceives", "Ip6InReceives"),
    "udp_in": ("UdpInDatagrams", "Udp6InDatagrams"),
    "udp_unread": ("UdpInErrors", "Udp6InErrors"),  # of them RcvbufErrors: the socket was full
    "udp_no_port": ("UdpNoPorts", "Udp6NoPorts"),
    "udp_out": ("UdpOutDatagrams", "Udp6OutDatagrams"),
    "udp_refused": ("UdpSndbufErrors", "Udp6SndbufErrors"),  # the device's queue was full
    "tcp_in": ("TcpInSegs",),
    "tcp_out": ("TcpOutSegs", "TcpRetransSegs"),
    "icmp_in": ("IcmpInMsgs", "Icmp6InMsgs"),
    "icmp_out": ("IcmpOutMsgs", "Icmp6OutMsgs"),
}
Counts = dict[str, int]


async def counts(node: Node) -> Counts:
    """The host's counters now."""
    return parse(await node.run("cat", "/proc/net/snmp", "/proc/net/snmp6"))


@reader("the counters of its IP layer")
def parse(text: str) -> Counts:
    """`Udp: InDatagrams ...` above `Udp: 12 ...`, and `Udp6InDatagrams 12`; TCP is of both."""
    counters: dict[str, int] = {}
    heads: dict[str, list[str]] = {}
    for line in text.splitlines():
        name, *fields = line.split()
        if not name.endswith(":"):
            counters[name] = int(fields[0])
        elif name in heads:
            names = (f"{name[:-1]}{head}" for head in heads[name])
            counters |= dict(zip(names, map(int, fields), strict=True))
        else:
            heads[name] = fields
    return {ours: sum(counters.get(name, 0) for name in names) for ours, names in SNMP.items()}


def risen(before: Counts, after: Counts) -> Counts:
    """Return how much each rose."""
    return {name: after[name] - before[name] for name in after}
