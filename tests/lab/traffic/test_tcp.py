# SPDX-License-Identifier: Apache-2.0
"""TCP crosses every path in every direction; what a trial tells of it is there."""

from typing import Any

import pytest

from gatemark.plan.model import Workload
from gatemark.run.bench import Bench
from gatemark.stats.judgement import Judgement
from gatemark.store.record import Record
from lab.crossing import CROSSINGS, Crossing, halved
from lab.planted import measure, measure_each, plan, wanted


def transferred(path: str, **keys: Any) -> tuple[Judgement, Record]:
    load = Workload(kind="tcp", **({"duration_s": 0.3} | keys))
    judgement, (record, _probed) = measure(plan(path, load))
    return judgement, record


@pytest.fixture(scope="module")
def crossed(request: pytest.FixtureRequest) -> dict[Crossing, Record]:
    def load(direction: str, family: str) -> Workload:
        keys: Any = {"direction": direction, "family": family}
        return Workload(kind="tcp", duration_s=0.3, **keys)

    ways = wanted(request, "crossing", CROSSINGS)
    return measure_each({way: plan(way[0], load(*way[1:])) for way in ways})


@pytest.mark.parametrize("crossing", halved(*CROSSINGS), ids="-".join)
def test_data_arrive_on_each_path(crossing: Crossing, crossed: dict[Crossing, Record]) -> None:
    record = crossed[crossing]
    assert (record.status, record.reason) == ("ok", "")
    assert record.values["goodput_bps"] > 1e6


@pytest.mark.parametrize("direction", ["send", "receive", "both"])
def test_the_gateway_itself_is_an_end(direction: str) -> None:
    _, record = transferred("endpoint", direction=direction)
    own = {reading.thread for reading in record.evidence.cpu if reading.busy > 0}
    ways = ("receive", "send") if direction == "both" else (direction,)
    assert own >= {f"gm-agent {way}" for way in ways}


def test_a_segment_is_as_large_as_the_path_lets_it() -> None:
    """1500 bytes of packet less 40 of headers less 12 of timestamps (RFC 7323)."""
    assert transferred("route")[1].values["mss_bytes"] == 1448


def test_one_segment_is_one_packet() -> None:
    """A merged or cut packet at the gateway would carry more, or less, than a segment."""
    _, record = transferred("route", duration_s=0.5)
    (reading,) = [r for r in record.evidence.cpu if r.thread == "napi/gw0"]
    assert reading.ns_per_packet is not None
    packets_pps = reading.busy * 1e9 / reading.ns_per_packet
    assert record.values["goodput_bps"] / 8 / packets_pps == pytest.approx(1448, rel=0.1)


@pytest.mark.parametrize("streams", [4, 16])
def test_streams_share_the_way(streams: int) -> None:
    _, record = transferred("nat", streams=streams)
    assert (record.status, record.definition.streams) == ("ok", streams)


@pytest.mark.parametrize("congestion", ["reno", "bbr"])
def test_the_congestion_control_is_set_and_named(congestion: str) -> None:
    _, record = transferred("route", congestion=congestion)
    assert (record.status, record.definition.congestion) == ("ok", congestion)


def test_an_unknown_congestion_control_is_told_with_those_there_are() -> None:
    _, record = transferred("route", congestion="vegetable")
    assert record.status == "invalid"
    assert "cubic" in record.reason


def test_a_small_socket_buffer_holds_tcp_back() -> None:
    small = transferred("route", socket_buffer_bytes=4096)[1].values["goodput_bps"]
    tuned = transferred("route")[1].values["goodput_bps"]
    assert small < tuned / 2


def test_a_slowed_gateway_limits_tcp_by_its_cpu() -> None:
    """So slow that its queue lasts while other work keeps the tester from its CPU: 0.1 s."""
    load = Workload(kind="tcp", duration_s=1.0)
    judgement, _ = measure(plan("route", load, slow_to_pps=2_500))
    assert judgement.points[0].limit == "cpu", judgement.points[0].why


def test_two_directions_are_counted_together(crossed: dict[Crossing, Record]) -> None:
    record = crossed["direct", "both", "ipv4"]
    assert record.definition.direction == "both"
    assert record.values["goodput_bps"] > 1e6


async def _no_way(bench: Bench) -> None:
    """The gateway refuses the WAN host's network: no route."""
    gateway = bench.station.gateway
    await gateway.run("ip", "route", "add", "unreachable", "198.19.1.2/32")


def test_no_route_is_told_in_one_line() -> None:
    load = Workload(kind="tcp", duration_s=0.3)
    _, (record, _probed) = measure(plan("route", load), plant=_no_way)
    assert record.status == "invalid"
    assert "198.19.1.2 cannot be reached" in record.reason
    assert "\n" not in record.reason
