# SPDX-License-Identifier: Apache-2.0
"""The drops of the IP layer: TTL, routes, sizes, neighbours. Names: RFC 4293, net/ipv4/proc.c.

A packet without a route that is not ours counts as InNoRoutes, or, where a route says blackhole or
unreachable, in the routing cache's `in_no_route` alone. That counts both, once a look-up: packets
to one address that come in a batch share one (ip_route_use_hint).
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from gatemark.node.quoted import shell
from gatemark.probe.drop.part import Part, by_name, of_files, of_machine, read_near, summed
from gatemark.store.drops import EVENT, ICMP, IP, NEIGHBOUR, SOCKET, Drop

NO_ROUTE: Final = "in_no_route"
MARTIAN: Final = "in_martian_src"
LOOKED_UP: Final = (NO_ROUTE, MARTIAN, "in_martian_dst")  # of the routing cache
WAITED: Final = ("unresolved_discards", "table_fulls")  # of the neighbours
# Counter -> stage, and the counter that has these packets once more.
V4: Final[Mapping[str, tuple[str, str]]] = {
    "Ip.InHdrErrors": (IP, ""),  # TTL at its end, and broken headers
    "Ip.InAddrErrors": (IP, ""),
    "Ip.InDiscards": (IP, ""),
    "Ip.OutNoRoutes": (IP, ""),
    "Ip.FragFails": (IP, ""),  # too large for the way out, and may not be cut
    "Ip.OutDiscards": (IP, ""),
    "IpExt.InNoRoutes": (IP, NO_ROUTE),
    "Ip.ReasmFails": (IP, ""),
    "IpExt.InTruncatedPkts": (IP, ""),
    "IpExt.InCsumErrors": (IP, "InHdrErrors"),
    "TcpExt.IPReversePathFilter": (IP, MARTIAN),
    "Udp.NoPorts": (SOCKET, ""),
    "Udp.RcvbufErrors": (SOCKET, ""),
    "Udp.MemErrors": (SOCKET, ""),  # all sockets of UDP together: Linux 5.11
    "Udp.InCsumErrors": (SOCKET, ""),
    "Udp.SndbufErrors": (EVENT, ""),  # a program may send it again
    "Tcp.InCsumErrors": (EVENT, ""),
    "TcpExt.ListenDrops": (EVENT, ""),
    "TcpExt.TCPBacklogDrop": (EVENT, ""),
    "Icmp.OutDestUnreachs": (ICMP, ""),  # no route, no port, too large
    "Icmp.OutTimeExcds": (ICMP, ""),
}
V6: Final[Mapping[str, tuple[str, str]]] = {
    "Ip6InHdrErrors": (IP, ""),
    "Ip6InAddrErrors": (IP, ""),
    "Ip6InDiscards": (IP, ""),
    "Ip6InNoRoutes": (IP, ""),
    "Ip6InTruncatedPkts": (IP, ""),
    # A packet that is too large for the way out counts in both (ip6_forward).
    "Ip6InTooBigErrors": (IP, "Ip6FragFails"),
    "Ip6FragFails": (IP, ""),
    "Ip6OutNoRoutes": (IP, ""),
    "Ip6OutDiscards": (IP, ""),
    "Ip6ReasmFails": (IP, ""),
    "Udp6NoPorts": (SOCKET, ""),
    "Udp6RcvbufErrors": (SOCKET, ""),
    "Udp6MemErrors": (SOCKET, ""),
    "Udp6SndbufErrors": (EVENT, ""),
    "Udp6InCsumErrors": (SOCKET, ""),
    "Icmp6OutDestUnreachs": (ICMP, ""),
    "Icmp6OutPktTooBigs": (ICMP, ""),
    "Icmp6OutTimeExcds": (ICMP, ""),
}


def snmp(lines: list[str], devices: Collection[str]) -> Iterator[Drop]:
    """Two lines a protocol: names, and numbers."""
    del devices
    counts: dict[str, int] = {}
    for names, numbers in zip(lines[::2], lines[1::2], strict=False):
        protocol, _, head = names.partition(":")
        row = zip(head.split(), numbers.partition(":")[2].split(), strict=False)
        counts |= {f"{protocol}.{name}": int(number) for name, number in row}
    yield from _known(counts, V4)


def snmp6(lines: list[str], devices: Collection[str]) -> Iterator[Drop]:
    """A name and a number a line."""
    del devices
    yield from _known(by_name(lines), V6)


def ipsec(lines: list[str], devices: Collection[str]) -> Iterator[Drop]:
    """Each reason of IPsec (net/xfrm/xfrm_proc.c); those of IPv6 are discards too (ip6_forward)."""
    del devices
    for name, count in by_name(lines).items():
        yield Drop(stage=IP, cause=name, packets=count, counted_in="Ip6InDiscards")


def routes(lines: list[str], devices: Collection[str]) -> Iterator[Drop]:
    """Return the drops of blackhole and unreachable routes, which are in no other counter."""
    del devices
    for name, count in summed(lines, LOOKED_UP).items():
        yield Drop(stage=IP, cause=name, packets=count)


def neighbours(lines: list[str], devices: Collection[str]) -> Iterator[Drop]:
    """Packets without a MAC address: too many waited, or the table had no room for the address.

    Both tables, one after another.
    """
    del devices
    heads = [place for place, line in enumerate(lines) if line.startswith("entries")]
    for name, start, end in zip(("arp", "ndisc"), heads, (*heads[1:], len(lines)), strict=False):
        for cause, count in summed(lines[start:end], WAITED).items():
            yield Drop(stage=NEIGHBOUR, cause=cause, where=name, packets=count)


def _known(counts: Mapping[str, int], known: Mapping[str, tuple[str, str]]) -> Iterator[Drop]:
    for name, (stage, again) in known.items():
        if name in counts:
            cause = name.partition(".")[2] if stage == IP and "." in name else name
            yield Drop(stage=stage, cause=cause, packets=counts[name], counted_in=again)


SNMP_FILES: Final = ("/proc/net/snmp", "/proc/net/netstat")
SNMP: Final = shell("grep -hE '^(Ip|Icmp|Tcp|Udp|IpExt|TcpExt):' {files}", files=SNMP_FILES)
XFRM: Final = "/proc/net/xfrm_stat"
RT, ARP, NDISC = (f"/proc/net/stat/{name}_cache" for name in ("rt", "arp", "ndisc"))
TABLES: Final = shell("cat {arp} && (cat {ndisc} || true)", arp=ARP, ndisc=NDISC)
PARTS: Final = (
    Part(
        "IPv4",
        SNMP,
        snmp,
        "no /proc/net/snmp",
        near=read_near(SNMP_FILES),
        files=SNMP_FILES,
    ),
    of_files("IPv6", ("/proc/net/snmp6",), snmp6, "no IPv6"),
    of_files("IPsec", (XFRM,), ipsec, "no xfrm_stat", with_file=XFRM),
    of_machine("blackhole routes", RT, routes, "no rt_cache"),
    Part(
        "neighbours",
        TABLES,
        neighbours,
        "no arp_cache",
        shared=True,
        files=(ARP,),
        spare=NDISC,
    ),
)
