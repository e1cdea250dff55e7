# SPDX-License-Identifier: Apache-2.0
"""A station's serial console is kept with a block, and its last lines say why one failed."""

import os
import pty
import time
from pathlib import Path

from gatemark.commands.campaign import console


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
    began = time.monotonic()
    with console.kept("echo here; sleep 4321 & sleep 4321", tmp_path / console.LOG):
        time.sleep(0.1)
    assert time.monotonic() - began < 4321
    until = time.monotonic() + 10  # who is killed ends a little later
    while (left := running()) and time.monotonic() < until:
        time.sleep(0.01)
    assert not left


def running() -> list[Path]:
    return [p for p in Path("/proc").glob("[0-9]*") if b"4321" in command_of(p)]


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
