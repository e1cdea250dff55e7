# SPDX-License-Identifier: Apache-2.0
"""What sender and sink are asked for: the right addresses and ports on either side of NAT."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from gatemark.kind.udp.load import Stream, ledger, numbers
from gatemark.node.shell import Local
from gatemark.plan.model import Workload
from gatemark.station.cpu import Placement
from gatemark.station.wiring import ADDRESS, LAN_PORT, WAN_PORT, Port, wires

PORTS = {device: Port(Local(), device, f"mac of {device}") for device in ADDRESS}
PLACEMENT = Placement(gateway=3, sender=0, sink=1)


def asked(
    path: str, direction: str, load: Workload, mapped: Sequence[int] = ()
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a direction's sender and sink are asked for."""
    (wire,) = wires(PORTS, path, direction)
    stream = Stream(wire, load, PLACEMENT, run=7, mapped=mapped)
    return stream._send_request(), stream._sink_request()


def test_up_is_sent_from_the_flows_to_the_wan_port() -> None:
    send, sink = asked("nat", "up", Workload(flows=2))
    ports = [LAN_PORT, LAN_PORT + 1], [WAN_PORT], [WAN_PORT]
    assert (send["src_port"], send["dst_port"], sink["dst_port"]) == ports


def test_down_is_sent_to_the_flows_as_the_wan_side_knows_them() -> None:
    send, sink = asked("nat", "down", Workload(flows=2), mapped=[5000, 5001])
    assert (send["src_port"], send["dst_port"]) == ([WAN_PORT], [5000, 5001])
    assert sink["dst_port"] == [LAN_PORT, LAN_PORT + 1]


def test_down_through_nat_is_addressed_to_the_gateway() -> None:
    send, sink = asked("nat", "down", Workload(), mapped=[5000])
    assert (send["dst"], send["dst_mac"], sink["device"]) == ("198.19.1.1", "mac of gw1", "lan0")


@pytest.mark.parametrize(("family", "dst"), [("ipv4", "198.19.1.2"), ("ipv6", "2001:2:0:2::2")])
def test_addresses_are_of_the_family(family: Any, dst: str) -> None:
    send, sink = asked("route", "up", Workload(family=family))
    assert (send["dst"], f"ipv{send['family']}", f"ipv{sink['family']}") == (dst, family, family)


def test_sender_and_sink_work_on_their_own_processors() -> None:
    send, sink = asked("route", "up", Workload())
    assert (send["cpu"], sink["cpu"]) == (0, 1)


def test_sender_and_sink_agree_on_the_run() -> None:
    send, sink = asked("route", "up", Workload())
    assert send["run"] == sink["run"] == 7


@pytest.mark.parametrize(("duration_s", "ticks"), [(1.99, False), (2.0, True)])
def test_a_short_trial_is_not_disturbed(duration_s: float, ticks: bool) -> None:
    _, sink = asked("route", "up", Workload(duration_s=duration_s))
    assert bool(sink["tick_ms"]) is ticks


def test_the_time_is_reported_in_whole_milliseconds() -> None:
    assert asked("route", "up", Workload(duration_s=0.0555))[0]["duration_ms"] == 56


@pytest.mark.parametrize("load", [Workload(clients=3, flows=7), Workload(flow_ports="random")])
def test_a_crowd_has_addresses_that_no_host_owns(load: Workload) -> None:
    send, sink = asked("route", "up", load)
    assert (send["src"], send["src_count"]) == ("198.18.1.4", load.clients)
    assert (send["dst"], sink["dst_port"]) == ("198.19.1.254", [])


def test_down_to_a_crowd_goes_to_every_client() -> None:
    send, _ = asked("route", "down", Workload(clients=3, flows=3, family="ipv6"))
    assert (send["src"], send["dst"], send["dst_count"]) == ("2001:2:0:2::fe", "2001:2:0:1::4", 3)
    assert send["dst_port"] == [LAN_PORT] * 3


def test_down_to_a_crowd_behind_nat_goes_to_the_gateway() -> None:
    send, _ = asked("nat", "down", Workload(clients=2, flows=2), mapped=[5000, 5001])
    assert (send["dst"], send["dst_count"]) == ("198.19.1.1", 1)


def test_the_ports_can_be_forced() -> None:
    send, sink = asked("route", "up", Workload(sender_port="raw", sink_port="ring"))
    assert (send["port"], sink["port"]) == ("raw", "ring")


def test_a_mix_is_sent_interleaved() -> None:
    send, _ = asked("route", "up", Workload(mix="64:2,128:1"))
    assert send["frame_bytes"] == [64, 128, 64]


def test_the_gateways_own_sender_is_a_plain_socket_on_its_cpu() -> None:
    send, sink = asked("endpoint", "send", Workload(direction="send"))
    assert (send["port"], send["device"], send["cpu"]) == ("udp", "gw0", 3)
    assert "dst_mac" not in send
    assert (sink["port"], sink["device"]) == ("auto", "lan0")


def test_the_gateways_own_sink_is_a_plain_socket_on_its_cpu() -> None:
    send, sink = asked("endpoint", "receive", Workload(direction="receive"))
    assert (send["port"], send["device"], send["cpu"]) == ("auto", "lan0", 0)
    assert (sink["port"], sink["device"], sink["cpu"]) == ("udp", "gw0", 3)


def test_without_a_gateway_a_host_stands_in_for_its_program() -> None:
    send, sink = asked("direct", "send", Workload(direction="send"))
    assert (send["port"], send["device"], sink["device"]) == ("auto", "wan9", "lan9")


def test_the_ledger_has_room_for_what_is_due_and_for_no_more_than_a_report_holds() -> None:
    assert ledger(Workload(rate_pps=1000, duration_s=2, flows=4)) == {
        "silence_us": 5000,
        "ledger": 501,
        "delay": "flow",
    }
    assert ledger(Workload(rate_pps=0, duration_s=2, flows=4))["ledger"] > 2_000_000
    assert ledger(Workload(rate_pps=1_000_000, duration_s=400)) == {"silence_us": 4500}


def test_only_trials_draw_the_order_and_keep_a_ledger() -> None:
    send, sink = asked("route", "up", Workload(rate_pps=1000))
    assert send["seed"] == 0
    assert "ledger" not in sink


SHARED = {role: replace(port, shared=True) for role, port in PORTS.items()}


def requests(ports: Mapping[str, Port], path: str, direction: str) -> list[dict[str, Any]]:
    (wire,) = wires(ports, path, direction)
    stream = Stream(wire, Workload(), PLACEMENT, run=7)
    return [stream._send_request(), stream._sink_request()]


def test_on_a_cable_headers_are_tagged_by_a_key_of_the_trial() -> None:
    send, sink = requests(SHARED, "route", "up")
    assert len(bytes.fromhex(send["key"])) == 16
    assert send["key"] == sink["key"] != requests(SHARED, "route", "up")[0]["key"]


@pytest.mark.parametrize(
    ("ports", "path", "direction"),
    [(PORTS, "route", "up"), (SHARED, "endpoint", "receive"), (SHARED, "endpoint", "send")],
)
def test_ports_of_our_own_and_the_gateways_own_program_need_no_tag(
    ports: Mapping[str, Port], path: str, direction: str
) -> None:
    assert not any("key" in request for request in requests(ports, path, direction))


@pytest.mark.parametrize(
    ("load", "most"),
    [
        (Workload(rate_pps=1000, duration_s=0.5), 501),
        (Workload(rate_pps=1000, duration_s=0.5, flows=7), 73),
        (Workload(packets=100, duration_s=60, flows=10), 11),
        (Workload(rate_pps=0, duration_s=0.001, flows=3), 10_001),
    ],
)
def test_a_sink_knows_how_many_packets_a_flow_can_have(load: Workload, most: int) -> None:
    assert asked("route", "up", load)[1]["most_packets"] == most


def test_no_number_that_is_due_is_beyond_the_bound() -> None:
    for flows in (1, 3, 1000):
        load = Workload(rate_pps=12_345, duration_s=0.7, flows=flows)
        due = math.ceil(load.rate_pps * load.duration_s)
        assert numbers(load, 1) > (due - 1) // flows
