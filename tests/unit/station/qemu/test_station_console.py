# SPDX-License-Identifier: Apache-2.0
"""A guest's serial line, with a real shell at its other end."""

import asyncio
import os
import pty
import re
import select
import socket
import subprocess
import threading
from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest

from gatemark.error import StationError
from gatemark.node.quoted import literal
from gatemark.station.qemu import console as console_
from gatemark.station.qemu.console import Console
from gatemark.station.qemu.machine import Machine

INIT = "printf 'Please press Enter to activate this console.\\n'; read -r _; exec sh -i"


def shell(ends: socket.socket) -> None:
    """What a serial line of OpenWrt's has: a terminal that waits for Enter, then a shell."""
    master, slave = pty.openpty()
    with subprocess.Popen(
        ["sh", "-c", INIT], stdin=slave, stdout=slave, stderr=slave, start_new_session=True
    ) as process:
        os.close(slave)

        def typed() -> None:
            while data := ends.recv(4096):
                os.write(master, data)
            process.kill()

        typing = threading.Thread(target=typed)
        typing.start()
        try:
            while data := os.read(master, 4096):
                ends.sendall(data)
        except OSError:  # the terminal or the reader is gone
            pass
        typing.join()
    os.close(master)


def with_shell(do: Callable[[Console], Awaitable[None]]) -> None:
    async def run() -> None:
        ours, theirs = socket.socketpair()
        serving = asyncio.create_task(asyncio.to_thread(shell, theirs))
        console = await Console.open(ours)
        try:
            await do(console)
        finally:
            console.close()
            await serving
            theirs.close()

    asyncio.run(run())


class Ends:
    """A monitor whose machine is reset, and writes nothing yet."""

    async def ask(self, _: str) -> None:
        """It is done."""


def test_what_was_written_before_a_reset_invites_nobody() -> None:
    async def do(console: Console) -> None:
        await console._seen(console_.INVITATION, 10)
        machine = Machine(cast(Any, None), cast(Any, Ends()), console, cast(Any, None))
        await machine.reset()
        with pytest.raises(StationError, match="press Enter"):
            await console.login(0.1)

    with_shell(do)


def test_one_logs_in_and_each_line_is_run(tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("typed") / "typed"

    async def do(console: Console) -> None:
        await console.login(10)
        await console.type(literal(f"printf '\\101\\012' > {file}"))
        await console.type(literal(f"echo more >> {file}"))

    with_shell(do)
    assert file.read_text() == "A\nmore\n"


def test_a_line_that_fails_is_named() -> None:
    async def do(console: Console) -> None:
        await console.login(10)
        with pytest.raises(StationError, match=r"'ls /nowhere' failed \(2\).*No such file"):
            await console.type(literal("ls /nowhere"))

    with_shell(do)


def waking(ends: socket.socket) -> None:
    """A shell that starts late: the first line is done with the second, and each after a while."""
    marks = list[bytes]()
    lines = ends.makefile("rb")
    ends.sendall(b"Please press Enter to activate this console.\n")
    while line := lines.readline():
        if mark := re.search(rb"echo (gatemark\d*)=", line):
            marks.append(mark[1] + (b"=1=\n" if b"false" in line else b"=0=\n"))
        if mark and len(marks) == 2:
            ends.sendall(marks[0])
        if mark and len(marks) > 1:
            select.select([ends], [], [], 0.3)
            ends.sendall(marks[len(marks) - 1])


def test_an_answer_that_comes_late_is_not_taken_for_that_of_the_next_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(console_, "LOGIN_S", 1.0)

    async def run() -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            serving = asyncio.create_task(asyncio.to_thread(waking, theirs))
            console = await Console.open(ours)
            try:
                await console.login(10)
                with pytest.raises(StationError, match=r"'false' failed \(1\)"):
                    await console.type(literal("false"), 10)
            finally:
                console.close()
                await serving

    asyncio.run(run())


def test_who_is_never_asked_to_press_enter_is_told_what_the_console_has() -> None:
    async def run() -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            theirs.sendall(b"Kernel panic - not syncing\r\n")
            console = await Console.open(ours)
            try:
                with pytest.raises(StationError, match=r"in 0\.1 s: Kernel panic - not syncing"):
                    await console.login(0.1)
            finally:
                console.close()

    asyncio.run(run())


def test_a_machine_that_ends_is_not_waited_for() -> None:
    async def run() -> None:
        ours, theirs = socket.socketpair()
        theirs.sendall(b"Kernel panic - not syncing\r\n")
        theirs.close()
        console = await Console.open(ours)
        try:
            with pytest.raises(StationError, match="its console ended: Kernel panic"):
                await console.login(10)
        finally:
            console.close()

    asyncio.run(run())
