# SPDX-License-Identifier: Apache-2.0
"""Where flows are by what gateways print, and what is told of those that went elsewhere."""

import pytest
from judge.conftest import Trial, run
from msgspec.structs import replace

from gatemark.error import NodeError
from gatemark.judge.judge import judge
from gatemark.kind.fastpath.load import Played, Stream, sample
from gatemark.kind.fastpath.plan import FASTPATH
from gatemark.kind.fastpath.result import values
from gatemark.kind.fastpath.state import Sample, State, connections, moves, statistics, tables
from gatemark.plan.kind import faults
from gatemark.plan.model import Workload
from gatemark.store.record import Definition
from gatemark.tell.sentence.answer import answer
from gatemark.workload import packet
from gatemark.workload.ends import LAN, WAN
from gatemark.workload.hand import Flow
from gatemark.workload.packet import TCP, UDP

S = 1_000_000_000
ADDRESSED = ("198.18.1.4", 31000), ("198.19.1.253", 4000)
ENDS = "src=198.18.0.9 dst=198.19.0.9 sport=33000"
BACK = "src=198.19.0.9 dst=198.19.0.1 sport=4000 dport=33000"
# /proc/net/nf_conntrack of Linux 6.1; and `conntrack -L`, which begins with the protocol.
FILE = f"""ipv4     2 udp      17 {ENDS} dport=4000 {BACK} [OFFLOAD] mark=0 zone=0 use=3
ipv4     2 tcp      6 {ENDS} dport=4001 {BACK} [HW_OFFLOAD] mark=0 zone=0 use=3
ipv4     2 udp      17 86 {ENDS} dport=4002 {BACK} [ASSURED] mark=0 zone=0 use=2
ipv4     2 tcp      6 431999 ESTABLISHED {ENDS} dport=4003 {BACK} [ASSURED] mark=0 zone=0 use=2
ipv6     10 udp     17 20 src=fd00::1 dst=fd00::2 sport=1 dport=4009 [UNREPLIED] use=2
"""
TOOL = f"udp      17 29 {ENDS} dport=4002 [UNREPLIED] {BACK} mark=0 use=1\nnonsense\n"
# nft list flowtables, of a driver that takes flows: tried on this text alone.
NFT = """table inet fw4 {
	flowtable ft {
		hook ingress priority filter
		devices = { "eth0", "lan1" }
		flags offload
		counter
	}
}
table inet gatemark_offload {
	flowtable fast {
		hook ingress priority filter
		devices = { eth1, eth2 }
	}
}
"""


def test_a_flow_is_where_the_table_says() -> None:
    flows = [(UDP, 4000), (TCP, 4001), (UDP, 4002), (TCP, 4003), (UDP, 4004)]
    assert [*connections(FILE, flows).values()] == [
        State.TABLE,
        State.HARDWARE,
        State.USUAL,
        State.USUAL,
        State.GONE,
    ]
    assert connections(TOOL, [(UDP, 4002), (TCP, 4002)]) == {
        (UDP, 4002): State.USUAL,
        (TCP, 4002): State.GONE,
    }


def test_flow_tables_are_read_with_their_devices_and_flags() -> None:
    first, second = tables(NFT)
    assert first == ("ft", ("eth0", "lan1"), True, True)
    assert second == ("fast", ("eth1", "eth2"), False, False)
    assert tables("") == tables("Error: syntax error") == []


def test_statistics_are_summed_over_cpus_where_the_kernel_has_them() -> None:
    assert statistics("wq_add   wq_del   wq_stats\n3 1 0\n4 2 1\n") == {
        "wq_add": 7,
        "wq_del": 3,
        "wq_stats": 1,
    }
    assert statistics("cat: no such file") == {}


def test_a_reading_has_flows_and_statistics() -> None:
    read = sample(f"{FILE}@stat\nwq_add wq_del wq_stats\n1 0 0\n", 5, [(UDP, 4000)])
    assert read
    assert (read.at_ns, read.states) == (5, {(UDP, 4000): State.TABLE})
    assert read.statistics["wq_add"] == 1
    empty = sample("", 5, [(UDP, 4000)])
    assert empty
    assert empty.states == {(UDP, 4000): State.GONE}


@pytest.mark.parametrize("text", ["wq_add wq_del wq_stats\n1 x 0", "wq_add wq_del wq_stats\n1"])
def test_statistics_that_are_none_are_an_error_of_the_gateway(text: str) -> None:
    with pytest.raises(NodeError, match="flow tables"):
        statistics(text)


def stream(sort: str, port: int, *sent_s: float, lost: int = 0) -> Stream:
    flow = Flow(UDP, ("10.0.0.2", 33000), ("192.0.2.1", port), ("192.0.2.9", 33000))
    times = [round(at * S) for at in sent_s]
    came = {*range(len(times) - lost)}
    return Stream(sort, flow, {LAN: times, WAN: times}, {LAN: came, WAN: {*came}})


def played() -> Played:
    """A steady flow that stays, and a slow one that is out after 3 s, comes back, is forgotten."""
    steady = stream("steady", 4000, *range(30))
    slow = stream("slow", 4002, 0, 10, lost=1)
    idle = stream("idle", 4004, 0)
    idle.is_alive = False
    table, usual, gone = State.TABLE, State.USUAL, State.GONE
    states = [table] * 3 + [usual] * 7 + [table] * 3 + [usual] * 7 + [gone] * 2
    samples = [
        Sample(at * S, {steady.key: table, slow.key: state, idle.key: usual})
        for at, state in enumerate(states)
    ]
    return Played([steady, slow, idle], samples, [], [(0, 10), (30 * S, 20)], 0, 30 * S)


def test_what_falls_out_is_counted_by_its_reason() -> None:
    seen = values(played())
    assert (seen["fastpath_steady"], seen["fastpath_hardware"]) == (1, 0)
    assert (seen["fastpath_aged"], seen["fastpath_again"], seen["fastpath_torn"]) == (2, 1, 0)
    assert seen["fastpath_age_ns"] == 3 * S
    assert (seen["fastpath_forgotten"], seen["fastpath_idle_died"]) == (1, 1)
    assert seen["fastpath_slow_kept"] == 0.5
    assert 0 < seen["fastpath_usual"] < 1


def test_a_flow_that_leaves_though_packets_come_is_torn_down() -> None:
    key = (UDP, 4000)
    samples = [Sample(S, {key: State.TABLE}), Sample(2 * S, {key: State.USUAL})]
    (move,) = moves(samples, {key: [round(1.9 * S)]})
    assert (move.why, move.silent_ns) == ("torn", round(0.1 * S))


def test_nothing_is_counted_of_a_gateway_that_said_nothing() -> None:
    seen = values(Played([stream("steady", 4000, 0, 1)]))
    assert seen == {"fastpath_kept": 1, "fastpath_slow_kept": 0, "fastpath_idle_died": 0}
    assert sample("@none\n@stat\n", 5, [(UDP, 4000)]) is None


@pytest.mark.parametrize(
    ("keys", "word"),
    [
        ({"rate_pps": 500}, "rate_pps"),
        ({"duration_s": 2}, "duration_s"),
        ({"interval_s": 0.1}, "interval_s"),
        ({"direction": "down"}, "direction"),
        ({"family": "ipv6"}, "family"),
    ],
)
def test_what_is_out_of_its_bounds_is_named(keys: dict[str, object], word: str) -> None:
    load = Workload(**({"kind": "fastpath", "duration_s": 60.0} | keys))  # type: ignore[arg-type]
    assert any(word in fault for fault in faults(load))


def sentence(**seen: float) -> str:
    definition = Definition(path="nat", quantity=FASTPATH, direction="up", family="ipv4")
    record = replace(Trial().record(), arm="NAT", definition=definition, values=seen)
    return answer(run([record]), [record], judge(run([record]), [record]))


def test_where_flows_went_is_said_only_where_it_was_read() -> None:
    assert "NAT: all goes the usual path." in sentence(fastpath_kept=1, fastpath_steady=0)
    assert "which way its flows go could not be read" in sentence(fastpath_kept=1)


def test_a_tag_stands_behind_the_addresses_and_the_rest_is_as_it_was() -> None:
    frame = packet.udp(("02:00:00:00:00:01", "02:00:00:00:00:02"), *ADDRESSED, b"data")
    with_tag = packet.tagged(frame, packet.vlan_tag(7))
    assert with_tag[:12] == frame[:12]
    assert with_tag[12:18] == b"\x81\x00\x00\x07\x08\x00"
    assert with_tag[16:] == frame[12:]
