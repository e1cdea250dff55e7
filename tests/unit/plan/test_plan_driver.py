# SPDX-License-Identifier: Apache-2.0
"""What a known tool cannot send is refused with the fix, before anything is built."""

from typing import Any

import pytest
from msgspec.structs import replace

from gatemark.error import UsageError
from gatemark.plan.driver import faults, misfit, tools
from gatemark.plan.expand import check
from gatemark.plan.load import load
from gatemark.plan.model import Arm, Plan, Search, Workload


def said(**keys: Any) -> list[str]:
    return list(faults(Workload(**keys)))


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"driver": "tcpreplay", "kind": "tcp"}, "tcpreplay sends udp; measure with the driver"),
        ({"driver": "iperf3", "kind": "replay"}, "iperf3 sends udp and tcp; measure with"),
        ({"driver": "iperf3", "mix": "imix"}, "`mix` = imix: iperf3 has nothing like it"),
        ({"driver": "nuttcp", "flows": 2}, "`flows` = 2: nuttcp has nothing like it"),
        ({"driver": "tcpreplay", "burst": 8}, "`burst` = 8: tcpreplay has nothing like it"),
        ({"driver": "otg", "mix": "imix"}, "`mix` = imix: otg has nothing like it"),
        ({"driver": "iperf3", "dscp": 46}, "`dscp` = 46: iperf3 has nothing like it"),
        ({"driver": "iperf3", "kind": "tcp", "dscp": 46}, "`dscp` = 46: iperf3 has nothing"),
        ({"driver": "iperf3", "packets": 9}, "`packets` = 9: iperf3 has nothing like it"),
        ({"driver": "nuttcp", "sink_port": "ring"}, "`sink_port` = ring: nuttcp has nothing"),
        ({"driver": "nuttcp", "kind": "tcp", "settle_s": 1.0}, "`settle_s` = 1.0: nuttcp has"),
        ({"driver": "iperf3", "duration_s": 0.4}, "iperf3 counts whole seconds; write 1"),
        ({"driver": "iperf3", "flows": 129}, "`flows` = 129: iperf3 has 128 at most"),
        ({"driver": "nuttcp", "kind": "tcp", "streams": 200}, "`streams` = 200: nuttcp has 128"),
        ({"driver": "iperf3", "kind": "tcp", "write_bytes": 2 << 20}, "iperf3 takes 1048576 at"),
        ({"driver": "iperf3", "family": "ipv6", "frame_bytes": 80}, "iperf3 sends 82 and more"),
        ({"driver": "nuttcp", "kind": "tcp", "socket_buffer_bytes": 1500}, "nuttcp takes whole"),
        ({"driver": "tcpreplay", "frame_bytes": 1518, "duration_s": 9.0}, "a capture of 10533 MiB"),
    ],
)
def test_what_a_tool_lacks_is_refused(keys: dict[str, Any], words: str) -> None:
    (fault,) = said(**keys)
    assert words in fault


@pytest.mark.parametrize(
    "keys",
    [
        {"driver": "iperf3", "flows": 128, "rate_pps": 20_000.0},
        {"driver": "iperf3", "kind": "tcp", "settle_s": 1.0, "flows": 500},
        {"driver": "nuttcp", "duration_s": 0.5},
        {"driver": "tcpreplay", "flows": 1000, "duration_s": 0.5},
        {"mix": "imix", "flows": 100_000, "duration_s": 0.1},
    ],
)
def test_what_a_tool_can_do_is_not_refused(keys: dict[str, Any]) -> None:
    assert said(**keys) == []


@pytest.mark.parametrize(
    ("path", "keys", "words"),
    [
        ("endpoint", {"driver": "tcpreplay", "direction": "send"}, "puts frames on a wire"),
        ("route", {"driver": "iperf3", "direction": "both"}, "`direction` = both: iperf3's own"),
        ("nat", {"driver": "nuttcp", "direction": "down"}, "nuttcp opens no way through a NAT"),
        ("nat", {"driver": "otg", "direction": "down"}, "otg opens no way through a NAT"),
        ("nat", {"driver": "nuttcp", "direction": "down", "kind": "tcp"}, ""),
        ("nat", {"driver": "iperf3", "direction": "down"}, ""),
        ("nat", {"driver": "tcpreplay", "direction": "both"}, ""),
        ("endpoint", {"driver": "gatemark", "direction": "both"}, ""),
    ],
)
def test_what_does_not_fit_a_path_is_refused(path: Any, keys: dict[str, Any], words: str) -> None:
    found = misfit(Arm(path=path), Workload(**keys))
    assert words in found
    assert bool(found) == bool(words)


def plan(**keys: Any) -> Plan:
    made = Plan(schema="gatemark.plan/1", title="t", why="w", reading="r", arm=(Arm(path="route"),))
    return replace(made, **keys)


def test_a_plan_is_checked_with_each_of_its_drivers() -> None:
    with pytest.raises(UsageError, match="whole seconds"):
        check(plan(workload=Workload(duration_s=0.5), sweep={"driver": ("gatemark", "iperf3")}))


def test_a_search_is_not_made_with_a_tool() -> None:
    with pytest.raises(UsageError, match="needs our own agent"):
        check(plan(workload=Workload(driver="iperf3"), search=Search()))


def test_a_plans_tools_are_those_of_its_points() -> None:
    swept = plan(sweep={"driver": ("gatemark", "nuttcp")}, case=({"driver": "iperf3"},))
    assert tools([plan(), swept]) == ["nuttcp", "iperf3"]


def test_the_cross_check_has_ours_at_each_point_of_a_tool() -> None:
    (made,) = load("rfc/cross-check")[1]
    drivers: dict[tuple[Any, ...], set[Any]] = {}
    for case in made.case:
        key = tuple(level for name, level in case.items() if name != "driver")
        drivers.setdefault(key, set()).add(case["driver"])
    assert drivers
    assert all({"gatemark", "iperf3", "nuttcp"} <= named for named in drivers.values())
