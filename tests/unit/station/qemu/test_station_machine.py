# SPDX-License-Identifier: Apache-2.0
"""QEMU as a process, played by another program: what is left of one that does not come up."""

import asyncio
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from gatemark.error import StationError
from gatemark.node.shell import Namespace
from gatemark.station.qemu.guest import model
from gatemark.station.qemu.machine import Machine

# Its monitor greets, and then refuses what it is asked; it does not end with it.
PLAYED = """
import os, pathlib, re, signal, socket, sys
pathlib.Path(sys.argv[1]).write_text(str(os.getpid()))
word = next(word for word in sys.argv if word.startswith("socket,id=monitor,"))
with socket.socket(fileno=int(word.partition("fd=")[2])) as end, end.makefile("rw") as lines:
    print('{"QMP": {}}', file=lines, flush=True)
    lines.readline()
    print('{"return": {}}', file=lines, flush=True)
    lines.readline()
    print('{"error": {"desc": "not now"}}', file=lines, flush=True)
    signal.pause()
"""


class Played(Namespace):
    """Where the emulator is started; its words without what starts it."""

    def argv(self, *command: str) -> tuple[str, ...]:
        return (sys.executable, "-c", PLAYED, self.name, *command)


def test_an_emulator_that_does_not_name_its_processors_is_ended(tmp_path: Path) -> None:
    table = {"kind": "qemu", "arch": "x86_64"}
    starting = Machine.start(
        model(table, tmp_path), "tcg", [], Played(str(tmp_path / "pid"), "lan"), (0, 0)
    )
    with pytest.raises(StationError):
        asyncio.run(starting)
    pid = int((tmp_path / "pid").read_text())
    is_left = Path(f"/proc/{pid}").exists()
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    assert not is_left
