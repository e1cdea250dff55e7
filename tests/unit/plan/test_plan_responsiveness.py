# SPDX-License-Identifier: Apache-2.0
"""Plans of responsiveness: their keys, what cannot be asked, how long they take."""

from pathlib import Path

import pytest

from gatemark.error import UsageError
from gatemark.plan.lasting import expected_s, lasts_s
from gatemark.plan.load import read_plan
from gatemark.plan.model import Workload

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
    load = read(tmp_path)
    assert (load.tls, load.interval_s, load.congestion) == (True, 5.0, "cubic")


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
    load = Workload(kind="responsiveness", interval_s=5.0)
    assert 55 < expected_s(load) < 80
    assert lasts_s(load) > 200
