# SPDX-License-Identifier: Apache-2.0
"""A tool's packets, accounted for by counters of hosts and ports that were really seen."""

from dataclasses import replace
from typing import Any

import pytest

from gatemark.error import InvalidTrialError
from gatemark.kind.tool.host import SNMP, parse
from gatemark.kind.tool.tally import attached, notes, tally
from gatemark.node.shell import Local
from gatemark.station.wiring import Port, Wire
from gatemark.workload.way import Way

NONE = dict.fromkeys(SNMP, 0)
# iperf3 at its fastest, routed: 121 810 sent, 64 546 counted, the rest lost in its own socket.
LAN = NONE | {"udp_out": 121_811, "tcp_out": 16, "tcp_in": 14, "ip_in": 15, "udp_in": 1}
WAN = NONE | {"ip_in": 121_827, "tcp_in": 16, "udp_in": 64_547, "udp_unread": 57_264}
PORTS = {"lan0.tx_packets": 121_827, "lan0.tx_dropped": 0, "wan0.rx_packets": 121_827}

SNMP_TEXT = """\
Tcp: RtoAlgorithm InSegs OutSegs RetransSegs
Tcp: 1 14 16 2
Udp: InDatagrams NoPorts InErrors OutDatagrams SndbufErrors
Udp: 5 3 4 7 9
Ip6InReceives 40
Udp6InDatagrams 6
Udp6OutDatagrams 8
"""


def way(lan: dict[str, int] = LAN, wan: dict[str, int] = WAN, **sender: Any) -> Way:
    lan0, wan0 = (Port(Local(), device, "02:00:00:00:00:01") for device in ("lan0", "wan0"))
    sent = {
        "t0_ns": 0,
        "t1_ns": 1,
        "scheduled": 0,
        "tried": 121_810,
        "flows": 1,
        "host": lan,
    }
    sink = {"unique": 64_546, "host": wan}
    wire = Wire("up", lan0, wan0, next_hop=wan0, target=wan0)
    return Way(wire, sent | sender, sink, {}, program="iperf3")


def count(direction: Way, **ports: int) -> Any:
    moved = PORTS | {name.replace("_", ".", 1): value for name, value in ports.items()}
    return tally(direction, dict.fromkeys(moved, 0), moved)


def test_what_came_to_the_host_and_was_not_counted_is_the_tools_own_loss() -> None:
    accounting = count(way())
    assert (accounting.tried, accounting.unique, accounting.lost) == (121_810, 64_546, 57_264)
    assert (accounting.ring_dropped, accounting.mismatch) == (57_264, {})


def test_what_did_not_come_to_the_host_is_the_gateways_loss() -> None:
    wan = WAN | {"ip_in": 100_017, "udp_unread": 35_454}
    accounting = count(way(wan=wan), wan0_rx_packets=100_017)
    assert (accounting.lost, accounting.ring_dropped, accounting.mismatch) == (57_264, 35_454, {})


def test_what_the_device_refused_was_tried() -> None:
    lan = LAN | {"udp_out": 121_000, "udp_refused": 811}
    accounting = count(way(lan), lan0_tx_packets=121_016, lan0_tx_dropped=811)
    assert (accounting.refused, accounting.mismatch) == (811, {})


@pytest.mark.parametrize(
    ("direction", "ports", "where"),
    [
        (way(), {"lan0_tx_packets": 121_830}, {"lan0.tx": 3}),
        (way(), {"wan0_rx_packets": 121_820}, {"wan0.rx": -7}),
        (way(tried=121_812), {}, {"iperf3.sent": -1}),
        (way(tried=121_700), {}, {"iperf3.sent": 95}),
        (way(wan=WAN | {"ip_in": 64_000}), {"wan0_rx_packets": 64_000}, {"iperf3.received": -562}),
    ],
)
def test_counts_that_cannot_be_are_reported(
    direction: Way, ports: dict[str, int], where: dict[str, int]
) -> None:
    assert count(direction, **ports).mismatch == where


def test_what_is_in_no_count_is_noted() -> None:
    noted = replace(way(), notes=notes(way()))
    assert "16 packets of its control connection and 1 datagrams" in noted.notes[0]


def test_a_hosts_counters_are_of_both_families() -> None:
    counters = parse(SNMP_TEXT)
    assert (counters["udp_in"], counters["udp_out"], counters["udp_unread"]) == (11, 15, 4)
    assert (counters["tcp_out"], counters["ip_in"], counters["udp_refused"]) == (18, 40, 9)


def seen(sent: int, came: int) -> Any:
    moved = {"lan0.tx_packets": sent, "wan0.rx_packets": came}
    return attached(way(), dict.fromkeys(moved, 0), moved)


def test_what_came_to_a_testers_port_and_was_not_counted_is_its_own_loss() -> None:
    accounting = seen(121_810, 121_800)
    assert (accounting.lost, accounting.ring_dropped, accounting.mismatch) == (57_264, 57_254, {})


def test_a_tester_that_sent_otherwise_than_its_port_is_told() -> None:
    assert seen(121_800, 60_000).mismatch == {"lan0.tx": -10, "wan0.rx": -4546}


def test_a_tester_at_other_ports_is_no_trial() -> None:
    with pytest.raises(InvalidTrialError, match="attach the tester's port to it"):
        seen(0, 0)
