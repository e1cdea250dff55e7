# SPDX-License-Identifier: Apache-2.0
"""A virtual machine's monitor and console, whatever is in them."""

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from gatemark.error import GatemarkError
from gatemark.station.qemu.console import LINE_SHOWN, LINES, last
from gatemark.station.qemu.qmp import Monitor

GREETING = b'{"QMP": {}}\n{"return": {}}\n'


def answered(answer: bytes, do: Callable[[Monitor], Awaitable[Any]]) -> Any:
    """Ask a monitor that greets and then answers so."""

    async def run() -> Any:
        ours, theirs = socket.socketpair()
        with theirs:
            theirs.setblocking(False)
            answering = asyncio.create_task(
                asyncio.get_running_loop().sock_sendall(theirs, GREETING + answer + b"\n")
            )
            monitor = await Monitor.open(ours)
            try:
                return await do(monitor)
            finally:
                monitor.close()
                answering.cancel()

    return asyncio.run(run())


def test_a_long_answer_is_read() -> None:
    full = "\x1b[2J" * (1 << 15)
    answer = json.dumps({"return": full}).encode()
    assert answered(answer, lambda monitor: monitor.ask("human-monitor-command")) == full


def test_an_odd_answer_is_told() -> None:
    odd = (b"nonsense", b"[]", b"7", b"\xff", b'{"error": 7}', b'{"error": {}}', b"x" * (2 << 20))
    for answer in odd:
        with pytest.raises(GatemarkError, match="virtual machine"):
            answered(answer, lambda monitor: monitor.ask("query-status"))


def test_an_answer_that_comes_late_is_not_taken_for_the_next_one() -> None:
    """The first question was that of the greeting."""
    late, awaited = ({"return": word, "id": at} for at, word in enumerate(("late", "next"), 1))
    answers = f"{json.dumps(late)}\n{json.dumps(awaited)}".encode()
    assert answered(answers, lambda monitor: monitor.ask("query-status")) == "next"


def test_of_a_console_the_last_lines_are_shown() -> None:
    text = "".join(f"{number} {'x' * 1000}\r\n" for number in range(100))
    lines = last(text).split(" | ")
    assert [line.split()[0] for line in lines] == [str(n) for n in range(95, 100)]
    assert len(lines) == LINES
    assert {len(line) for line in lines} == {LINE_SHOWN}
