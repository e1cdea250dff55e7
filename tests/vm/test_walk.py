# SPDX-License-Identifier: Apache-2.0
"""One packet at a time through a guest that is counted: exact, and the same again."""

import subprocess
from collections import Counter
from contextlib import ExitStack
from statistics import median
from typing import Final

import backlog
import pytest
from msgspec.structs import replace

from gatemark.judge.point.mode import first, shift
from gatemark.plan.model import L4, Arm, Direction, Workload
from gatemark.probe.threads import port_counters
from gatemark.store.record import Counted, Record
from vm.conftest import Booted, Stand, on

pytestmark = [pytest.mark.long, pytest.mark.counted]
WALKS = Workload(kind="walk", walks=100, ordered=True)

PACED = Workload(rate_pps=1_000, duration_s=2.0)
ROUTE = Arm(path="route", name="route")
CONNTRACK = Arm(path="route", name="conntrack", features=("conntrack",))
NAT = Arm(path="nat", name="nat")
L4S: Final[tuple[L4, ...]] = ("udp", "tcp")
OF_OWN = {"send": "udp_sendmsg", "receive": "udp_recvmsg"}


def found(record: Record) -> Counted:
    """What was counted."""
    assert (record.status, record.reason) == ("ok", "")
    assert record.evidence.counted is not None
    return record.evidence.counted


def modes(record: Record) -> dict[int, int]:
    """Instructions of a walk, and how many walks had them."""
    return {int(number): walks for number, walks in found(record).modes.items()}


def sizes(record: Record) -> Counter[str]:
    """Instructions by function."""
    return Counter({name: ran for name, (ran, _) in found(record).functions.items()})


@pytest.fixture(scope="module")
def routed(counted_stand: Stand) -> tuple[Record, Record]:
    """Routed packets, twice."""
    counted = counted_stand.booted()
    return counted.measure(ROUTE, WALKS), counted.measure(ROUTE, WALKS)


@on("qemu-mips", "qemu-x86", "qemu-aarch64", fixture="counted_stand")
def test_the_same_setup_differs_by_nothing_and_all_adds_up(routed: tuple[Record, Record]) -> None:
    assert shift(*map(modes, routed)) == 0
    record, _ = routed
    counted = found(record)
    by_functions = sum(instructions for instructions, _ in counted.functions.values())
    assert by_functions == record.values["instructions"]
    assert sum(call.instructions for call in counted.path) == record.values["instructions"]
    way = [call.function for call in counted.path]
    met = [way.index(name) for name in ("ip_rcv_core", "ip_forward", "ip_output")]
    assert met == sorted(met)


def test_a_way_through_modules_is_the_same_again(counted: Booted) -> None:
    before = modes(counted.measure(CONNTRACK, WALKS))
    counted.measure(NAT, replace(WALKS, walks=20))  # other modules, and a fuller TLB on MIPS
    other = modes(counted.measure(CONNTRACK, WALKS))
    assert abs(shift(before, other)) <= 0.001 * first(before)


@on("qemu-mips", "qemu-x86", fixture="counted_stand")
def test_a_rule_more_is_seen_as_a_rule_more(counted: Booted) -> None:
    rules = [Arm(path="route", name=f"{n}", features=(f"filter:{n}",)) for n in (20, 21)]
    fewer, more = (counted.measure(arm, WALKS) for arm in rules)
    old, new = (found(record).functions["nft_do_chain"][0] for record in (fewer, more))
    assert shift(modes(fewer), modes(more)) == new - old > 0


def test_a_segment_differs_from_a_datagram_by_its_functions(counted: Booted) -> None:
    udp, tcp = (counted.measure(ROUTE, replace(WALKS, l4=l4)) for l4 in L4S)
    assert min(record.values["mode_share"] for record in (udp, tcp)) > 0.05
    by = sizes(tcp)
    by.subtract(sizes(udp))
    assert shift(modes(udp), modes(tcp)) == by.total() != 0
    assert by["tcp_v4_early_demux"] > 0 > by["udp_v4_early_demux"]


@pytest.mark.parametrize("direction", ["up", "down"])
def test_a_segment_is_of_a_connection_that_the_gateway_knows(
    counted: Booted, direction: Direction
) -> None:
    load = Workload(kind="walk", walks=20, l4="tcp", direction=direction)
    with backlog.watched() as backlogs:
        tcp = counted.measure(NAT, load)
    (entry,) = counted.said("conntrack -L -p tcp 2>/dev/null | grep 198.18.1.4").splitlines()
    assert "ESTABLISHED" in entry
    assert "[ASSURED]" in entry
    assert "dst=198.19.1.1 " in entry  # as the WAN side knows it
    assert found(tcp).lost <= backlogs.dropped
    assert sizes(tcp)["nf_conntrack_tcp_packet"] > 0


@pytest.mark.parametrize("l4", L4S)
def test_nothing_answers_a_packet(counted: Booted, l4: L4) -> None:
    """An ICMP or a reset would be one packet more through the gateway."""
    far = [counted.lab.ports["wan0"]]
    before = counted.run(port_counters(far))
    counted.measure(ROUTE, Workload(kind="walk", walks=20, l4=l4))
    sent = counted.run(port_counters(far))["wan0.tx_packets"] - before["wan0.tx_packets"]
    assert sent == (2 if l4 == "tcp" else 0)  # it takes two to open a connection


@pytest.mark.parametrize("direction", ["send", "receive"])
def test_the_gateway_itself_is_an_end(counted: Booted, direction: Direction) -> None:
    load = Workload(kind="walk", walks=10, direction=direction)
    record = counted.measure(Arm(path="endpoint", name="endpoint"), load)
    if record.status == "skipped" and "agent" in record.reason:
        pytest.skip("the agent is not built for this processor")
    assert OF_OWN[direction] in found(record).functions


def test_beside_busy_loops_the_number_is_the_same(counted: Booted) -> None:
    quiet = modes(counted.measure(CONNTRACK, WALKS))
    with ExitStack() as loops:
        for _ in range(7):
            loop = loops.enter_context(subprocess.Popen(["sh", "-c", "while :; do :; done"]))
            loops.callback(loop.kill)
        busy = counted.measure(CONNTRACK, WALKS)
    assert found(busy).disturbed > 0
    assert shift(quiet, modes(busy)) == 0  # which of two ways comes more often may change


@on("qemu-x86", fixture="counted_stand")
def test_packets_far_apart_cost_what_they_do_alone(counted: Booted) -> None:
    alone = median(Counter(modes(counted.measure(ROUTE, WALKS))).elements())
    paced = counted.measure(ROUTE, PACED, probes=("instructions",))
    assert paced.evidence.at_rate is not None, paced.reason
    at_rate = paced.values["instructions_at_rate"]
    assert at_rate == pytest.approx(alone, rel=0.15)  # with the ticks of the clock
    assert paced.evidence.at_rate.functions["ip_forward"][1] >= paced.evidence.at_rate.packets
