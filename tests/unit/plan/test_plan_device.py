# SPDX-License-Identifier: Apache-2.0
"""Devices in TOML: the shipped ones, the user's, and each fault with its line."""

from functools import cache
from pathlib import Path

import pytest
from msgspec.structs import replace

from gatemark.error import UsageError
from gatemark.plan import device
from gatemark.plan.expand import check, override
from gatemark.plan.load import load, read_plan
from gatemark.plan.model import Gateway, Plan

MINE = """schema    = "gatemark.device/1"
title     = "a box"
clock_mhz = 400
instruction_cache = { bytes = 65_536, ways = 4, line_bytes = 32 }
data_cache        = { bytes = 32_768, ways = 4, line_bytes = 32 }
stream_copy_mbps  = 231
"""


@cache
def plan() -> Plan:
    return load("counting/estimate")[1][0]


def test_every_shipped_device_is_read() -> None:
    names = device.shipped()
    devices = [device.read(device.folder() / f"{name}.toml") for name in names]
    assert [made.name for made in devices] == [*names] != []
    assert [made.name for made in devices if not made.reference] == []


def test_devices_of_a_plan_stand_whole_in_it() -> None:
    assert [(one.name, one.clock_mhz) for one in plan().gateway.devices] == [
        ("AR9132", 400),
        ("AR7161", 720),
        ("BCM5352", 200),
    ]


def test_a_pair_of_caches_is_modelled_once() -> None:
    assert device.pairs([plan()]) == ["65536/4/32:32768/4/32", "16384/2/16:8192/2/16"]


def test_a_few_lines_are_a_device(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(MINE)
    whole = device.described(["mine.toml"], tmp_path)
    made = override(plan(), {"gateway.devices": whole})
    assert [one.name for one in made.gateway.devices] == ["mine"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("clock_mhz = 400", "clock_mhz = 0", ":3: `clock_mhz` = 0"),
        ("clock_mhz = 400", "clock_mhz = 'fast'", ":3: clock_mhz: Expected `float`"),
        ("clock_mhz", "clock_khz", ":3: unknown key 'clock_khz'; did you mean 'clock_mhz'?"),
        ("device/1", "device/2", ":1: schema is 'gatemark.device/2'"),
        ('schema    = "gatemark.device/1', '# mine\nschema = "other', ":2: schema is 'other'"),
        ("ways = 4, line_bytes = 32 }\nd", "ways = 3, line_bytes = 32 }\nd", ":4: `instruction_"),
        ("32_768, ways = 4", "32_768, way = 4", ":5: unknown key 'way' in [data_cache]"),
        ("32_768, ways = 4", "32_768, ways = 32", ":5: `data_cache`: ways = 32: 1 to 16"),
        ("stream_copy_mbps  = 231\n", "", ":1: what a line costs"),
        ("= 231", "= 231\nline_cycles = [1, 2, 3]", ":7: what a line costs"),
        ("= 231", "= 231\nload_cycles = [1, 0, 3]", ":7: `load_cycles` = [1.0, 0.0, 3.0]"),
    ],
)
def test_a_fault_is_told_with_its_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = tmp_path / "mine.toml"
    assert old in MINE
    path.write_text(MINE.replace(old, new, 1))
    with pytest.raises(UsageError) as error:
        device.read(path)
    assert str(error.value).startswith(f"{path}{said}")


def test_an_unknown_device_is_told_with_the_plans_line(tmp_path: Path) -> None:
    shipped = device.folder().parent / "plans" / "counting" / "estimate.toml"
    text = shipped.read_text().replace('"AR9132"', '"AR9133"')
    path = tmp_path / "plan.toml"
    path.write_text(text)
    line = next(n for n, line in enumerate(text.splitlines(), 1) if line.startswith("devices"))
    with pytest.raises(UsageError) as error:
        read_plan(path, "plan")
    assert str(error.value).startswith(f"{path}:{line}: `devices`: no device 'AR9133'")
    assert "'AR9132'" in str(error.value)


def test_what_cannot_be_estimated_is_refused() -> None:
    made = replace(plan(), workload=replace(plan().workload, payload_bytes=0, rate_pps=0))
    with pytest.raises(UsageError, match="go together"):
        override(made, {"gateway.devices": []})
    with pytest.raises(UsageError, match="two are named 'AR9132'"):
        override(made, {"gateway.devices": [plan().gateway.devices[0]] * 2})
    with pytest.raises(UsageError, match="are for kind udp"):
        override(made, {"workload.kind": "tcp"})


def test_the_tester_alone_is_no_gateway_to_estimate() -> None:
    made = plan()
    with pytest.raises(UsageError, match="path direct"):
        check(replace(made, arm=(*made.arm, replace(made.arm[0], path="direct", name="alone"))))


def test_devices_without_the_figure_are_refused() -> None:
    with pytest.raises(UsageError, match="go together"):
        check(replace(plan(), figure="bars"))
    check(replace(plan(), figure="bars", gateway=Gateway()))
