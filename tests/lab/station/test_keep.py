# SPDX-License-Identifier: Apache-2.0
"""`gatemark lab`: a lab that stays open between commands."""

import os
import signal
import subprocess
import sys
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


@pytest.fixture(scope="module")
def open_lab() -> Iterator[keep.Kept]:
    """A lab for all that look at it, until the one that takes it down."""
    with opened() as kept:
        yield kept


def gatemark(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gatemark", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_status_names_an_open_lab(open_lab: keep.Kept) -> None:
    assert open_lab.lab in gatemark("lab", "status").stdout


def test_a_shell_on_a_host_sees_that_host(open_lab: keep.Kept) -> None:
    del open_lab
    assert "198.19.1.2" in gatemark("lab", "shell", "wan", "--", "ip", "addr").stdout


def test_the_gateway_masquerades(open_lab: keep.Kept) -> None:
    del open_lab
    assert "masquerade" in gatemark("lab", "shell", "gateway", "nft", "list", "ruleset").stdout


def test_a_second_lab_is_refused(open_lab: keep.Kept) -> None:
    refused = gatemark("lab", "up")
    assert (refused.returncode, open_lab.lab in refused.stderr) == (2, True)


def test_down_removes_it(open_lab: keep.Kept) -> None:
    keep.down()
    assert open_lab.lab not in gatemark("lab", "shell", "lan").stderr + str(keep.labs())


def test_the_next_start_removes_a_lab_whose_holder_was_killed() -> None:
    with opened() as kept:
        os.kill(kept.holder, signal.SIGKILL)
        while lock.holder(kept.lab):
            pass
        assert any(kept.lab in line for line in recover())
