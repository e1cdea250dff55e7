# SPDX-License-Identifier: Apache-2.0
"""A station's serial console is kept with a block, and its last lines say why one failed."""

import os
import pty
import time
from pathlib import Path

from gatemark.commands.campaign import console

OWN = str(10**6 + os.getpid())  # seconds that nothing else on this machine sleeps


def test_a_serial_line_is_kept_with_the_run(tmp_path: Path) -> None:
    """A pseudo-terminal is the line; what it says while the block lasts is in the run's folder."""
    near, far = pty.openpty()
    log, run = tmp_path / console.LOG, tmp_path / "run"
    run.mkdir()
    with console.kept(f"cat {os.ttyname(far)}", log):
        os.write(near, b"Kernel panic\nRebooting\x1b[2J in 1 seconds..\n")
        until = time.monotonic() + 10
        while b"seconds" not in log.read_bytes() and time.monotonic() < until:
            time.sleep(0.01)
    os.close(near)
    os.close(far)
    assert console.last(log) == "; its console: Kernel panic | Rebooting\\x1b[2J in 1 seconds.."
    console.move(log, run)
    assert b"Kernel panic" in (run / console.LOG).read_bytes()
    assert not log.exists()


def test_a_command_that_does_not_end_is_ended(tmp_path: Path) -> None:
    with console.kept(f"echo here; sleep {OWN} & sleep {OWN}; true", tmp_path / console.LOG):
        assert running(3) == 3  # with the shell
    assert running(0) == 0  # who is killed ends a little later


def running(awaited: int) -> int:
    """How many processes of ours there are: as many as awaited, or others for 20 s."""
    until = time.monotonic() + 20
    while (count := sum(map(is_ours, Path("/proc").glob("[0-9]*")))) != awaited:
        if time.monotonic() > until:
            break
        time.sleep(0.01)
    return count


def is_ours(process: Path) -> bool:
    return OWN.encode() in command_of(process)


def command_of(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""


def test_without_a_command_nothing_is_kept(tmp_path: Path) -> None:
    with console.kept("", tmp_path / console.LOG):
        pass
    assert console.last(tmp_path / console.LOG) == ""
    assert list(tmp_path.iterdir()) == []
