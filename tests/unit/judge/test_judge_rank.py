# SPDX-License-Identifier: Apache-2.0
"""Devices ranked by one definition: the best first, ties by interval, no virtual one among them."""

from typing import Any

import pytest
from msgspec.structs import replace

from gatemark.error import UsageError
from gatemark.judge.rank import left_out, rankings
from gatemark.store.study.device import DEVICE_VALUES, Box, DeviceFile, DeviceValue, Origin

ORIGIN = Origin(run="r", started="", command="", gatemark="")


def device(name: str, *values: DeviceValue, virtual: bool = False) -> DeviceFile:
    box = Box(name=name, virtual=virtual)
    return DeviceFile(schema=DEVICE_VALUES, device=box, run=ORIGIN, value=values)


def value(
    middle: float, half: float = 1.0, quantity: str = "goodput_bps", **more: Any
) -> DeviceValue:
    given = {"quantity": "goodput", "path": "nat", "l4": "tcp", "streams": 1} | more.pop(
        "definition", {}
    )
    kept: dict[str, Any] = {
        "n": 6,
        "level": 0.95,
        "unit": "bit/s",
        "limit": "cpu",
        "plan": "p/q",
        "arm": "nat",
    }
    return DeviceValue(
        quantity=quantity,
        value=middle,
        lo=middle - half,
        hi=middle + half,
        definition=given,
        **kept | more,
    )


def test_the_best_is_first_and_who_overlaps_is_tied() -> None:
    kept = [device("slow", value(10)), device("fast", value(30)), device("near", value(31))]
    (ranking,) = rankings(kept)
    assert [(d.place, d.device, d.alike) for d in ranking.devices] == [
        (1, "near", ("fast",)),
        (1, "fast", ("near",)),
        (3, "slow", ()),
    ]


def of_run(name: str, run: str, middle: float) -> DeviceFile:
    return replace(device(name, value(middle)), run=replace(ORIGIN, run=run))


def test_two_boxes_of_one_name_are_told_apart_by_their_runs() -> None:
    kept = [of_run("box", "first", 10), of_run("box", "second", 30), of_run("other", "first", 20)]
    (ranking,) = rankings(kept)
    assert [d.device for d in ranking.devices] == ["box, run second", "other", "box, run first"]


def test_a_file_that_is_given_twice_counts_once() -> None:
    (ranking,) = rankings([of_run("box", "first", 10), of_run("box", "first", 10)])
    assert [d.device for d in ranking.devices] == ["box"]


def test_two_files_that_nothing_tells_apart_are_refused() -> None:
    with pytest.raises(UsageError, match=r"^two files are of box, run first: set `name` of"):
        rankings([of_run("box", "first", 10), of_run("box", "first", 20)])


def test_less_is_better_of_a_delay() -> None:
    kept = [device(name, value(ns, 1, "delay_p50_ns", unit="ns")) for name, ns in DELAYS.items()]
    (ranking,) = rankings(kept, "delay_p50_ns")
    assert [d.device for d in ranking.devices] == ["quick", "slow"]


DELAYS = {"slow": 900.0, "quick": 20.0}


def test_a_lower_bound_is_not_behind() -> None:
    kept = [device("bound", value(20, at_least=True)), device("fast", value(30))]
    (ranking,) = rankings(kept)
    assert [d.place for d in ranking.devices] == [1, 1]


def test_another_definition_is_another_ranking() -> None:
    kept = [device("one", value(1)), device("two", value(2, definition={"streams": 4}))]
    assert [len(ranking.devices) for ranking in rankings(kept)] == [1, 1]


def test_a_share_of_the_throughput_is_ranked_apart_from_overload() -> None:
    kept = [device("one", value(1, point={"share": 0.1})), device("two", value(10, point={}))]
    assert [len(ranking.devices) for ranking in rankings(kept)] == [1, 1]


def test_another_duration_is_none() -> None:
    kept = [device("one", value(1)), device("two", value(2, definition={"duration_s": 4.0}))]
    assert [len(ranking.devices) for ranking in rankings(kept)] == [2]


def test_virtual_and_slowed_gateways_are_left_out() -> None:
    slowed = value(9, definition={"slow_to_pps": 30_000})
    kept = [
        device("lab", value(99), virtual=True),
        device("slowed", slowed),
        device("box", value(1)),
    ]
    assert [[d.device for d in ranking.devices] for ranking in rankings(kept)] == [["box"]]
    assert dict(left_out(kept)) == {
        "lab": "a virtual gateway",
        "slowed": "a gateway that was slowed on purpose",
    }
