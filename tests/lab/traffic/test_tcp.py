# SPDX-License-Identifier: Apache-2.0
"""TCP crosses every path in every direction; what a trial tells of it is there."""

from collections.abc import Mapping
from typing import Any, Final

import pytest
from msgspec.structs import replace

from gatemark.plan.model import Workload
from gatemark.run.bench import Bench
from gatemark.store.record import CpuReading, Record
from lab.crossing import CROSSINGS, FEW, Crossing, crossings
from lab.planted import bare, measure, measure_each, plan, wanted

TCP = Workload(kind="tcp", duration_s=0.3)
LONGER_S = (0.5, 1.0, 2.0, 4.0)
# By the name of what is asked of them: a path, and how its load differs.
ASKED: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    "tuned": ("route", {}),
    "4096": ("route", {"socket_buffer_bytes": 4096}),
    "16 streams": ("nat", {"streams": 16}),
    "reno": ("route", {"congestion": "reno"}),
    "bbr": ("route", {"congestion": "bbr"}),
    "vegetable": ("route", {"congestion": "vegetable"}),
    "send": ("endpoint", {"direction": "send"}),
    "receive": ("endpoint", {"direction": "receive"}),
    "both": ("endpoint", {"direction": "both"}),
}


@pytest.fixture(scope="module")
def crossed(request: pytest.FixtureRequest) -> dict[Crossing, Record]:
    def load(direction: str, family: str) -> Workload:
        keys: Any = {"direction": direction, "family": family}
        return replace(TCP, **keys)

    ways = wanted(request, "crossing", CROSSINGS)
    return measure_each({way: plan(way[0], load(*way[1:])) for way in ways})


@pytest.mark.parametrize("crossing", crossings(*CROSSINGS, few=FEW[2:]), ids="-".join)
def test_data_arrive_on_each_path(crossing: Crossing, crossed: dict[Crossing, Record]) -> None:
    record = crossed[crossing]
    assert (record.status, record.reason) == ("ok", "")
    assert record.definition.direction == crossing[1]
    assert record.values["goodput_bps"] > 1e6
    # 1500 bytes of packet less 40 or 60 of headers less 12 of timestamps (RFC 7323).
    assert record.values["mss_bytes"] == (1448 if crossing[2] == "ipv4" else 1428)


@pytest.fixture(scope="module")
def asked() -> dict[str, Record]:
    """One trial of each, all on the same lab."""
    loads = {name: (path, replace(TCP, **keys)) for name, (path, keys) in ASKED.items()}
    return measure_each({name: plan(*pair) for name, pair in loads.items()})


@pytest.mark.long
@pytest.mark.parametrize("direction", ["send", "receive", "both"])
def test_the_gateway_itself_is_an_end(direction: str, asked: dict[str, Record]) -> None:
    own = {reading.thread for reading in asked[direction].evidence.cpu if reading.busy > 0}
    ways = ("receive", "send") if direction == "both" else (direction,)
    assert own >= {f"gm-agent {way}" for way in ways}


def carried() -> tuple[Record, CpuReading]:
    """A trial, and how long the gateway's thread took for it.

    Each is longer than the one before: a watcher that other work keeps from its CPU reads nothing
    of a short one.
    """
    for seconds in LONGER_S:
        load = replace(TCP, duration_s=seconds)
        record = measure_each({"route": plan("route", load)})["route"]
        assert (record.status, record.reason) == ("ok", "")
        for reading in record.evidence.cpu:
            if reading.thread == "napi/gw0" and reading.ns_per_packet:
                return record, reading
    pytest.skip("other work keeps the watcher from its CPU")


@pytest.mark.long
def test_one_segment_is_one_packet() -> None:
    """A merged or cut packet at the gateway would carry more, or less, than a segment."""
    record, reading = carried()
    assert reading.ns_per_packet
    packets_pps = reading.busy * 1e9 / reading.ns_per_packet
    assert record.values["goodput_bps"] / 8 / packets_pps == pytest.approx(1448, rel=0.1)


@pytest.mark.long
def test_streams_share_the_way(asked: dict[str, Record]) -> None:
    record = asked["16 streams"]
    assert (record.status, record.definition.streams) == ("ok", 16)


@pytest.mark.long
@pytest.mark.parametrize("congestion", ["reno", "bbr"])
def test_the_congestion_control_is_set_and_named(congestion: str, asked: dict[str, Record]) -> None:
    record = asked[congestion]
    assert (record.status, record.definition.congestion) == ("ok", congestion)


@pytest.mark.long
def test_an_unknown_congestion_control_is_told_with_those_there_are(
    asked: dict[str, Record],
) -> None:
    record = asked["vegetable"]
    assert record.status == "invalid"
    assert "cubic" in record.reason


@pytest.mark.long
def test_a_small_socket_buffer_holds_tcp_back(asked: dict[str, Record]) -> None:
    small, tuned = (asked[name].values["goodput_bps"] for name in ("4096", "tuned"))
    assert small < tuned / 2


@pytest.mark.long
def test_a_slowed_gateway_limits_tcp_by_its_cpu() -> None:
    """So slow that its queue lasts while other work keeps the tester from its CPU: 0.1 s."""
    load = replace(TCP, duration_s=1.0)
    judgement, _ = measure(plan("route", load, slow_to_pps=2_500))
    assert judgement.points[0].limit == "cpu", judgement.points[0].why


async def _no_way(bench: Bench) -> None:
    """The gateway refuses the WAN host's network: no route."""
    gateway = bench.station.gateway
    await gateway.run("ip", "route", "add", "unreachable", "198.19.1.2/32")


@pytest.mark.long
def test_no_route_is_told_in_one_line() -> None:
    _, (record,) = measure(bare(plan("route", TCP)), plant=_no_way)
    assert record.status == "invalid"
    assert "198.19.1.2 cannot be reached" in record.reason
    assert "\n" not in record.reason
