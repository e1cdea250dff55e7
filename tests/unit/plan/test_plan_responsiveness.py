# SPDX-License-Identifier: Apache-2.0
"""Plans of responsiveness: their keys, what cannot be asked, how long they take."""

from pathlib import Path

import pytest

from gatemark.error import UsageError
from gatemark.plan.lasting import expected_s, lasts_s
from gatemark.plan.load import load, read_plan
from gatemark.plan.model import Plan, Workload
from gatemark.plan.order import order

PLAN = """schema = "gatemark.plan/1"
title = "t"
why = "w"
reading = "r"
[setup]
path = "{path}"
[workload]
kind = "responsiveness"
{keys}
"""


def read(folder: Path, keys: str = "", path: str = "nat", variant: str = "") -> Workload:
    file = folder / "plan.toml"
    file.write_text(PLAN.format(path=path, keys=keys))
    return read_plan(file, "plan", variant).workload


def test_it_has_tls_and_the_drafts_interval(tmp_path: Path) -> None:
    made = read(tmp_path)
    assert (made.tls, made.interval_s, made.congestion) == (True, 5.0, "cubic")


def test_a_variant_has_shorter_intervals(tmp_path: Path) -> None:
    keys = "[variant.short.workload]\ninterval_s = 1.0"
    assert read(tmp_path, keys, variant="short").interval_s == 1.0


@pytest.mark.parametrize(
    ("keys", "path", "line", "words"),
    [
        ("interval_s = 0.1", "nat", 9, "`interval_s` = 0.1: 0.2 to 60; the draft has 5"),
        ('congestion = "no such"', "nat", 9, "a name such as cubic, reno or bbr"),
        ("streams = 2", "nat", 9, "`streams` means nothing for kind responsiveness"),
        ('direction = "receive"', "endpoint", 8, "the gateway only forwards"),
        ('driver = "iperf3"', "nat", 9, "`driver`"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_line(
    tmp_path: Path, keys: str, path: str, line: int, words: str
) -> None:
    with pytest.raises(UsageError) as refused:
        read(tmp_path, keys, path)
    assert words in str(refused.value)
    assert f"plan.toml:{line}:" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_test_is_reckoned_by_what_most_take_and_watched_for_the_longest() -> None:
    made = Workload(kind="responsiveness", interval_s=5.0)
    assert 55 < expected_s(made) < 80
    assert lasts_s(made) > 200


LINED = """schema = "gatemark.plan/1"
title = "t"
why = "w"
reading = "r"
[[arm]]
name = "nat"
path = "nat"
{more}
[[arm]]
name = "alone"
path = "direct"
line = false
{line}
[workload]
kind = "responsiveness"
"""
LINE = "[line]\nrate_bps = 5_000_000"


def lined(folder: Path, more: str = "", line: str = LINE) -> Plan:
    file = folder / "plan.toml"
    file.write_text(LINED.format(more=more, line=line))
    return read_plan(file, "plan", "")


def test_the_tester_alone_can_be_measured_without_the_line(tmp_path: Path) -> None:
    lines = {spec.arm.name: spec.line for spec in order([lined(tmp_path)], 1)}
    assert lines["nat"]
    assert lines["nat"].up.rate_bps == 5_000_000
    assert lines["alone"] is None


@pytest.mark.parametrize(
    ("more", "line", "words"),
    [
        ("line = false", LINE, "`line` = false of the arm nat: for the path direct alone"),
        ("", "", "`line` = false of the arm alone: this plan has no"),
    ],
)
def test_what_crosses_a_gateway_crosses_the_line(
    tmp_path: Path, more: str, line: str, words: str
) -> None:
    with pytest.raises(UsageError) as refused:
        lined(tmp_path, more, line)
    assert words in str(refused.value)


def test_the_shipped_plan_has_its_ceiling() -> None:
    specs = order(load("delay/responsiveness")[1], 1)
    alone = [spec for spec in specs if spec.arm.path == "direct"]
    assert {spec.point["direction"] for spec in alone} == {"up", "down"}
    assert not any(spec.line for spec in alone)
    others = [spec for spec in specs if spec not in alone]
    assert others
    assert all(spec.line for spec in others)
