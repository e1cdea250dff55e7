# SPDX-License-Identifier: Apache-2.0
"""Counters of drops, as kernels and tools print them: each cause once, by how much it rose."""

import asyncio

import pytest

from gatemark.judge.cause.reconcile import once
from gatemark.node.shell import Local
from gatemark.probe.drop import reading
from gatemark.probe.drop.qdisc import qdiscs
from gatemark.probe.drop.reading import Reading, lost, risen
from gatemark.probe.kind import drops, freed
from gatemark.probe.kind.drops import Readings
from gatemark.probe.probe import Kept, Seen, Sent
from gatemark.store.drops import Drops, Freed

PORTS = ("eth1", "eth2")
NFT = """\
@@ nft rules
table inet filter { # handle 1
\tchain forward { # handle 1
\t\tudp dport 5001 counter packets {n} bytes 91833 drop # handle 7
\t\tudp dport 5002 counter packets 5 bytes 3 reject with icmp port-unreachable # handle 8
\t\tudp dport 5003 counter packets {n} bytes 3 accept # handle 9
"""
FW4 = """\
@@ nft rules
table inet fw4 { # handle 1
\tchain reject_from_wan { # handle 2
\t\tiifname "wan" counter packets {n} bytes 9 jump handle_reject comment "!fw4" # handle 3
\t\tiifname "lan" counter packets {n} bytes 9 jump forward_lan # handle 4
"""
IPSEC = "@@ IPsec\nXfrmInError 0\nXfrmInNoStates {n}\nXfrmInNoPols {n}\n"
UDP = """\
@@ IPv4
Udp: InDatagrams RcvbufErrors SndbufErrors MemErrors
Udp: 9 0 {n} {n}
"""
SNMP = """\
@@ IPv4
Ip: Forwarding DefaultTTL InReceives InHdrErrors InAddrErrors FragFails
Ip: 1 64 9 {n} 0 0
Icmp: InMsgs OutDestUnreachs OutTimeExcds
Icmp: 0 0 {n}
Udp: InDatagrams NoPorts RcvbufErrors
Udp: 0 0 0
TcpExt: SyncookiesSent IPReversePathFilter
TcpExt: 0 0
IpExt: InNoRoutes InTruncatedPkts
IpExt: {n} 0
"""
ROUTES = """\
@@ blackhole routes
entries  in_hit   in_slow_tot in_slow_mc in_no_route in_brd
00000006 00000000 0002008b    00000000   {n:08x}    00000000
00000006 00000000 0002008b    00000000   00000001    00000000
"""
SNMP6 = "@@ IPv6\nIp6InTooBigErrors \t{n}\nIp6FragFails \t{n}\nIp6InReceives 99\n"
NEIGHBOURS = """\
@@ neighbours
entries  allocs   destroys hash_grows lookups  hits     res_failed unresolved_discards table_fulls
00000002 00000006 00000004 00000000   00000008 00000002 00000000   {n:08x}             00000000
entries  allocs   destroys hash_grows lookups  hits     res_failed unresolved_discards table_fulls
00000002 00000006 00000004 00000000   00000008 00000002 00000000   00000000            00000000
"""
CARDS = """\
@@ ports
eth1 rx_missed_errors {n}
eth1 rx_crc_errors 0
eth1 rx_dropped {n}
eth1 tx_dropped 0
eth2 rx_missed_errors 0
eth2 rx_dropped {n}
eth2 tx_dropped {n}
"""
BACKLOG = "@@ backlog\n0000ffff {n:08x} 00000000 00000000\n0000ffff 00000000 00000000 00000000\n"
TC = """\
@@ qdiscs
[{"kind":"htb","handle":"1:","dev":"eth2","root":true,"drops":{n},"overlimits":9},
{"kind":"fq_codel","handle":"10:","dev":"eth2","parent":"1:1","drops":{n}},
{"kind":"clsact","handle":"ffff:","dev":"eth1","parent":"ffff:fff1","drops":{n}},
{"kind":"cake","handle":"8001:","dev":"ifb4eth2","root":true,"drops":{n}},
{"kind":"pfifo","handle":"2:","dev":"eth9","root":true,"drops":{n}}]
"""
CONNTRACK = """\
@@ conntrack
entries  clashres found insert insert_failed drop early_drop
00000009 00000000 00000000 00000000 {n:08x} 00000001 00000007
"""
LEGACY = """\
@@ iptables rules
*filter
:FORWARD DROP [{n}:3400]
[{n}:91833] -A FORWARD -p udp -m udp --dport 5001 -j DROP
"""
XDP = "@@ XDP\neth1 rx_queue_0_xdp_drops {n}\n"
HISTOGRAM = """\
print fmt: "%s", __print_symbolic(REC->reason, { 1, "NOT_SPECIFIED" }, { 7, "NETFILTER_DROP" })
# trigger info: hist:keys=reason,location.sym:vals=hitcount:sort=hitcount:size=2048 [active]
{ reason:          1, location: [ffffffffa3ae6700] unix_stream_connect        } hitcount:     4
{ reason:          7, location: [ffffffffc05e854f] nft_do_chain [nf_tables]   } hitcount:   124
"""
OLD = "{ location: [ffffffffa3ae6700] nf_hook_slow                   } hitcount:          4"


def read(text: str, count: int, *, is_own: bool = True, at_s: float = 0.0) -> Reading:
    """A reading, with a count in the place of each {n}."""
    filled = text.replace("{n}", str(count)).replace("{n:08x}", f"{count:08x}")
    return reading.parse(filled, at_s, devices=PORTS, is_own=is_own)


def rose(text: str, *, is_own: bool = True) -> list[tuple[str, str, str, int]]:
    """What rose from 3 to 8: stage, cause, where, packets."""
    before, after = (read(text, count, is_own=is_own) for count in (3, 8))
    return [(d.stage, d.cause, d.where, d.packets) for d in risen(before, after, is_own=is_own)]


def test_what_ipsec_drops_of_ipv6_is_no_discard_besides() -> None:
    text = "@@ IPv6\nIp6InDiscards {n}\n@@ IPsec\nXfrmInPolBlock {n}\n"
    counted = once(list(risen(read(text, 3), read(text, 8), is_own=True)))
    assert [(drop.cause, drop.packets) for drop in counted] == [("XfrmInPolBlock", 5)]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (NFT, [("netfilter", 'nft rule "udp dport 5001 drop"', "inet filter forward handle 7")]),
        (
            FW4,
            [
                (
                    "netfilter",
                    'nft rule "iifname "wan" jump handle_reject comment "!fw4""',
                    "inet fw4 reject_from_wan handle 3",
                )
            ],
        ),
        (IPSEC, [("ip", "XfrmInNoStates", ""), ("ip", "XfrmInNoPols", "")]),
        (UDP, [("socket", "Udp.MemErrors", ""), ("event", "Udp.SndbufErrors", "")]),
        (
            SNMP,
            [
                ("ip", "InHdrErrors", ""),
                ("ip", "InNoRoutes", ""),
                ("icmp", "Icmp.OutTimeExcds", ""),
            ],
        ),
        (ROUTES, [("ip", "in_no_route", "")]),
        (SNMP6, [("ip", "Ip6InTooBigErrors", ""), ("ip", "Ip6FragFails", "")]),
        (NEIGHBOURS, [("neighbour", "unresolved_discards", "arp")]),
        (BACKLOG, [("backlog", "softnet dropped", "")]),
        (
            TC,
            [
                ("ingress", "tc clsact", "eth1"),
                ("ingress", "cake", "ifb4eth2"),
                ("qdisc", "fq_codel", "eth2 class 1:1"),
            ],
        ),
        (CONNTRACK, [("netfilter", "conntrack insert_failed", "")]),
        (
            LEGACY,
            [
                ("netfilter", "iptables policy DROP", "filter FORWARD"),
                (
                    "netfilter",
                    'iptables rule "-p udp -m udp --dport 5001 -j DROP"',
                    "filter FORWARD",
                ),
            ],
        ),
        (XDP, [("ingress", "rx_queue_0_xdp_drops", "eth1")]),
    ],
)
def test_each_counter_that_rose_is_a_cause(text: str, rows: list[tuple[str, str, str]]) -> None:
    assert rose(text) == [(*row, 5) for row in rows]


def test_a_queue_in_others_is_named_by_its_class_and_the_outermost_has_the_rest() -> None:
    """htb in prio, and a class of htb with a queue that tc does not show."""
    tree = (
        '[{"kind":"prio","handle":"1:","dev":"eth2","root":true,"drops":9},'
        '{"kind":"htb","handle":"2:","dev":"eth2","parent":"1:3","drops":9},'
        '{"kind":"pfifo","handle":"20:","dev":"eth2","parent":"2:1","drops":7}]'
    )
    assert [(d.cause, d.where, d.packets) for d in qdiscs([tree], PORTS)] == [
        ("pfifo", "eth2 class 2:1", 7),
        ("prio", "eth2", 2),
    ]


def test_a_port_that_tells_nothing_else_tells_what_it_dropped() -> None:
    assert rose(CARDS) == [
        ("port in", "rx_missed_errors", "eth1", 5),
        ("port in", "rx_dropped", "eth2", 5),
        ("port out", "tx_dropped", "eth2", 5),
    ]


def test_what_a_namespaces_port_dropped_found_the_sinks_ring_full() -> None:
    assert ("tester", "tx_dropped", "eth2", 5) in rose(CARDS, is_own=False)


def test_a_part_that_failed_says_so_and_stops_no_other() -> None:
    failed = read("@@ nft rules\n@!\n@@ qdiscs\nno JSON\n" + XDP, 3)
    assert dict(failed.unread) == {
        "nft rules": "no nft, or it may not list",
        "qdiscs": "no tc that prints JSON",
    }
    assert len(failed.counts) == 1


def test_a_namespace_is_not_read_where_the_whole_machine_is_counted() -> None:
    assert set(read(XDP, 3, is_own=False).unread) == {"backlog", "blackhole routes", "neighbours"}
    assert "softnet_stat" not in reading.script(reading.parts(is_own=False), PORTS)


def test_what_names_a_cause_and_is_no_loss_has_a_stage_of_its_own() -> None:
    forgotten = CONNTRACK.replace("00000007", "{n:08x}")
    assert ("event", "conntrack early_drop", "", 5) in rose(forgotten)
    assert lost(risen(read(NFT, 0), read(SNMP, 8), is_own=True)) == 2 * 8


def test_the_mtu_of_each_port_is_read_by_the_name_that_people_know() -> None:
    now = read("@@ MTU\neth1 1500\neth2 1492\n", 0)
    assert dict(now.mtu) == {"eth1": 1500, "eth2": 1492}
    readings = Readings((now, now), now, now, {"WAN port": 1492})
    assert drops.outcome(Seen(own={"drops": readings}), Sent(0, 1, 1.0)).evidence["drops"].mtu == {
        "WAN port": 1492
    }


def test_what_rises_at_rest_is_the_background() -> None:
    rested = read(NFT, 5, at_s=2.0)
    readings = Readings((read(NFT, 1), rested), rested, read(NFT, 9, at_s=3.5))
    outcome = drops.outcome(Seen(own={"drops": readings}), Sent(0, 1, 1.0))
    result: Drops = outcome.evidence["drops"]
    assert (result.background_pps, result.lasts_s) == (2.0, 1.5)
    assert lost(result.causes) == 4


def test_the_files_of_all_parts_are_read_by_one_program() -> None:
    """One is there by half, and one not at all; without its other file nothing is counted."""
    printed = (
        "/proc/net/softnet_stat:00000001 00000003 00000000\n"
        "/proc/net/snmp:Ip: InDiscards\n/proc/net/snmp:Ip: 5\n"
        "/proc/net/stat/arp_cache:entries table_fulls\n/proc/net/stat/arp_cache:00000001 0000000a\n"
        "@@ MTU\neth1 1500\n"
    )
    scripts: list[str] = []

    class Far(Local):
        async def run(self, *command: str, stdin: str = "") -> str:
            del stdin
            scripts.append(command[-1])
            return printed

    text = asyncio.run(reading.read(Far(), reading.parts(is_own=True), PORTS))
    parsed = reading.parse(text, 0.0, devices=PORTS, is_own=True)
    rose = {drop.cause: drop.packets for drop in parsed.counts.values() if drop.packets}
    assert rose == {"softnet dropped": 3, "table_fulls": 10}
    assert set(parsed.unread) == {"IPv4", "IPv6", "blackhole routes"}
    assert parsed.mtu == {"eth1": 1500}
    assert [script.count("grep -sH") for script in scripts] == [1]


def test_an_arm_is_looked_at_at_rest_once_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    times = iter((0.0, 1.0, 60.0, 62.0, 63.0))

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async def look(watch: drops.Watch) -> Reading:
        del watch
        return read(NFT, 1, at_s=next(times))

    async def started(kept: Kept) -> int:
        await drops.Watch(Local(), {}, is_own=True, kept=kept).start()
        return len(slept)

    async def all_started() -> list[int]:
        kept: Kept = {}
        return [await started(kept) for _ in range(3)]

    monkeypatch.setattr(drops, "sleep", sleep)
    monkeypatch.setattr(drops.Watch, "_read", look)
    assert asyncio.run(all_started()) == [1, 1, 2]


def test_the_kernels_reasons_have_its_own_names() -> None:
    assert list(freed.parse(HISTOGRAM.splitlines())) == [
        Freed(reason="NETFILTER_DROP", place="nft_do_chain", packets=124),
        Freed(reason="NOT_SPECIFIED", place="unix_stream_connect", packets=4),
    ]


def test_a_kernel_without_reasons_has_places() -> None:
    assert list(freed.parse([OLD])) == [Freed(reason="", place="nf_hook_slow", packets=4)]
