# SPDX-License-Identifier: Apache-2.0
"""A classifier that is attached to a box over SSH: another kernel, busybox and dropbear."""

import time

import pytest
from command import GATEMARK

from vm.box import STATION, Box
from vm.cpu import placement

pytestmark = [pytest.mark.long, pytest.mark.box]
ALONE = ("timeout", "300", "taskset", "-c", str(placement().sink))  # the box has the other CPU
STATE = (
    "nft list ruleset; tc qdisc show; ls -d /dev/shm/gate* /tmp/gate* /run/gate* 2> /dev/null; :"
)
KILL = "kill -9 $(cat /dev/shm/gatemark-classifier/pid /tmp/gatemark-classifier/pid 2> /dev/null)"


@pytest.fixture(scope="module")
def bench(desk_box: Box) -> Box:
    (desk_box.folder / "bench.toml").write_text(STATION)
    return desk_box


def asked(bench: Box, verb: str, *words: str) -> None:
    where = bench.folder / "bench.toml"
    bench.host.run(*ALONE, *GATEMARK, "classifier", verb, where, *words)


def until(bench: Box, state: str) -> bool:
    end = time.monotonic() + 30
    while (now := bench.said(STATE)) != state and time.monotonic() < end:
        time.sleep(1)
    return now == state


def test_it_is_attached_and_detached(bench: Box) -> None:
    before = bench.said(STATE)
    asked(bench, "attach", "--shape", "20")
    state = bench.said(STATE)
    assert "gatemark-classifier" in state
    assert "meta mark & 0x000000f0 == 0x00000030" in state
    asked(bench, "detach")
    assert bench.said(STATE) == before


def test_one_that_is_killed_leaves_nothing(bench: Box) -> None:
    before = bench.said(STATE)
    asked(bench, "attach", "--shape", "20", "--step", "sliding")
    bench.said(KILL)
    assert until(bench, before)
