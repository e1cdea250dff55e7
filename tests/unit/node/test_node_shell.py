# SPDX-License-Identifier: Apache-2.0
"""Hosts take commands: what failed is told with the host's name."""

import asyncio
import logging
import os
from pathlib import Path

import pytest

from gatemark.error import NodeError
from gatemark.node.shell import Local, Namespace


def test_what_a_command_printed_is_returned() -> None:
    assert asyncio.run(Local().run("echo", "a b")) == "a b\n"


def test_a_command_is_given_its_input() -> None:
    assert asyncio.run(Local().run("cat", stdin="x\ny")) == "x\ny"


def test_what_is_no_text_does_not_break_it() -> None:
    assert asyncio.run(Local().run("printf", r"\377")) == "\N{REPLACEMENT CHARACTER}"


def test_a_failure_names_host_command_and_its_last_word() -> None:
    with pytest.raises(NodeError) as error:
        asyncio.run(Local("LAN host").run("sh", "-c", "echo no >&2; echo never >&2; exit 3"))
    assert str(error.value).startswith("LAN host: 'sh -c echo no")
    assert str(error.value).endswith("failed: never")
    assert error.value.errors == "no\nnever\n"


def test_a_script_that_fails_is_told_in_one_line() -> None:
    with pytest.raises(NodeError) as error:
        asyncio.run(Local().run("sh", "-c", "false\n" * 100 + "exit 3"))
    assert str(error.value).startswith("this machine: 'sh -c false false")
    assert str(error.value).endswith("false ...' failed: no message")


def test_a_silent_failure_says_so() -> None:
    with pytest.raises(NodeError, match="this machine: 'false' failed: no message"):
        asyncio.run(Local().run("false"))


def test_a_command_that_was_killed_says_so() -> None:
    with pytest.raises(NodeError, match="failed: it was ended by signal 9"):
        asyncio.run(Local().run("sh", "-c", "kill -9 $$"))


def test_a_missing_tool_names_the_mend() -> None:
    with pytest.raises(NodeError, match="no 'gm-nothing' on this machine; `gatemark doctor` says"):
        asyncio.run(Local().run("gm-nothing"))


def test_a_command_that_is_given_up_is_ended(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)

    async def give_up() -> None:
        running = asyncio.create_task(Local().run("sh", "-c", 'read -r _ < "$0"', str(gate)))
        with await asyncio.to_thread(gate.open, "w"):  # as soon as it is read
            await asyncio.sleep(0.05)  # it has begun for us, too
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
            with pytest.raises(OSError, match="No such device"):  # nobody reads it: fifo(7)
                os.open(gate, os.O_WRONLY | os.O_NONBLOCK)

    asyncio.run(give_up())


def test_a_namespace_is_entered_by_ip() -> None:
    host = Namespace("gateway", "gm-abc123-gw")
    assert host.argv("tc", "qdisc") == ("ip", "netns", "exec", "gm-abc123-gw", "tc", "qdisc")


def test_what_ends_as_it_is_killed_is_no_unknown_child(caplog: pytest.LogCaptureFixture) -> None:
    """asyncio's own way to kill takes its exit code away from asyncio's thread."""

    async def ends() -> set[int]:
        codes = set()
        for _ in range(50):
            process = await Local().start("cat")
            process.close_stdin()
            await asyncio.sleep(0)
            for _ in range(40):
                process.kill()
            codes.add(await process.wait())
        return codes

    with caplog.at_level(logging.WARNING, "asyncio"):
        codes = asyncio.run(ends())
    assert (codes <= {0, -9}, caplog.messages) == (True, [])
