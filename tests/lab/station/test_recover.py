# SPDX-License-Identifier: Apache-2.0
"""What a crash left is found by its name alone; what bears another name is not ours."""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest
from pyroute2 import netns

from gatemark.station import lock
from gatemark.station.recover import NAME, recover

pytestmark = pytest.mark.alone
LAB = "abc123"  # of these tests; a lab's own name is random
LEFT = (f"gm-{LAB}-lan", f"gm-{LAB}-gw")
OTHERS = (f"gm-{LAB}-lan3", f"gm-{LAB}-test", "gm-abc12-lan", "gm-ABC123-lan", f"xgm-{LAB}-lan")


def test_other_names_are_not_ours() -> None:
    names = [*OTHERS, "gm-", f"gm-{LAB}", f"gm-{LAB}-", f"gm-{LAB}-lan\n"]
    assert [name for name in names if NAME.fullmatch(name)] == []


def test_every_name_that_a_lab_takes_is_ours() -> None:
    for lab, host in product(("000000", "0a1b2c", "ffffff"), ("lan", "gw", "wan")):
        match = NAME.fullmatch(f"gm-{lab}-{host}")
        assert match, (lab, host)
        assert match[1] == lab


@pytest.fixture
def left() -> Iterator[None]:
    """Two namespaces of a dead lab, and others with names much alike."""
    if os.geteuid():
        pytest.skip("needs root: makes namespaces")
    for name in (*LEFT, *OTHERS):
        netns.create(name)
    try:
        yield
    finally:
        lock.forget(LAB)
        for name in (*LEFT, *OTHERS):
            with suppress(FileNotFoundError):
                netns.remove(name)


def ours(lines: list[str]) -> list[str]:
    """Of what was removed, that of these tests: another dead run may be about."""
    return [line for line in lines if LAB in line]


@pytest.mark.usefixtures("left")
def test_a_dead_lab_is_removed_and_told_and_other_namespaces_are_never_touched() -> None:
    before = {*netns.listnetns()} - {*LEFT}
    assert ours(recover()) == [f"removed what a dead run left: lab {LAB}, 2 namespaces"]
    assert not {*LEFT} & {*netns.listnetns()}
    assert {*OTHERS} <= before & {*netns.listnetns()}


@pytest.mark.long
@pytest.mark.usefixtures("left")
def test_a_lab_that_lives_is_not_removed() -> None:
    with lock.named(LAB, "run"):
        assert ours(recover()) == []
        assert {*LEFT} <= {*netns.listnetns()}


@pytest.mark.usefixtures("left")
def test_a_dead_labs_processes_are_ended_and_no_others() -> None:
    ours_, other = (
        subprocess.Popen(["ip", "netns", "exec", name, "sleep", "60"])
        for name in (LEFT[1], OTHERS[0])
    )
    try:
        inode = Path("/run/netns", LEFT[1]).stat().st_ino
        until = time.monotonic() + 60
        while Path(f"/proc/{ours_.pid}/ns/net").stat().st_ino != inode and time.monotonic() < until:
            time.sleep(0.01)
        recover()
        assert (ours_.wait(60), other.poll()) == (-9, None)
    finally:
        for process in (ours_, other):
            process.kill()
            process.wait()


@pytest.mark.long
def test_a_lock_that_nobody_holds_is_removed() -> None:
    if os.geteuid():
        pytest.skip("needs root: makes namespaces")
    lock.folder().mkdir(mode=0o700, exist_ok=True)
    (lock.folder() / f"{LAB}.lock").touch()
    recover()
    assert LAB not in lock.names()
