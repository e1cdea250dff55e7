# SPDX-License-Identifier: Apache-2.0
"""`gatemark lab`: a lab that stays open between commands."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from gatemark.run import keep
from gatemark.station import lock
from gatemark.station.recover import recover

pytestmark = pytest.mark.alone


@contextmanager
def opened() -> Iterator[keep.Kept]:
    recover()
    kept = keep.up("nat", 30_000, print)
    try:
        yield kept
    finally:
        if lock.holder(kept.lab):
            keep.down()


def gatemark(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gatemark", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.long
def test_a_lab_is_open_for_other_commands_until_it_is_taken_down() -> None:
    with opened() as kept:
        assert kept.lab in gatemark("lab", "status").stdout
        assert "198.19.1.2" in gatemark("lab", "shell", "wan", "--", "ip", "addr").stdout
        rules = gatemark("lab", "shell", "gateway", "nft", "list", "ruleset").stdout
        assert "masquerade" in rules
        refused = gatemark("lab", "up")
        assert (refused.returncode, kept.lab in refused.stderr) == (2, True)
        keep.down()
        assert kept.lab not in gatemark("lab", "shell", "lan").stderr + str(keep.labs())


def test_the_next_start_removes_a_lab_whose_holder_was_killed() -> None:
    with opened() as kept:
        os.kill(kept.holder, signal.SIGKILL)
        while lock.holder(kept.lab):
            time.sleep(0.01)
        assert any(kept.lab in line for line in recover())
