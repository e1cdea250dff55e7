# SPDX-License-Identifier: Apache-2.0
"""A shell that stays: each command is on its own, and what ends one ends no other."""

import asyncio
import gc
import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from gatemark.error import NodeError
from gatemark.node.inside import standing as module
from gatemark.node.inside.standing import Standing

Use = Callable[[Standing], Coroutine[Any, Any, Any]]


def used(use: Use) -> Any:
    """What is made of a shell of this machine, which is ended afterwards."""

    shell = Standing(("sh",))
    try:
        return asyncio.run(use(shell))
    finally:
        shell.close()


def ran(*scripts: str) -> list[tuple[int, bytes, str]]:
    """Code, output and errors of each, one after the other in one shell."""

    async def use(shell: Standing) -> list[tuple[int, bytes, str]]:
        return [await shell.run("host", ("sh", "-c", script)) for script in scripts]

    result: list[tuple[int, bytes, str]] = used(use)
    return result


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("printf 'a\\n b'", (0, b"a\n b", "")),
        ("echo a; echo b >&2; exit 3", (3, b"a\n", "b\n")),
        ("cat", (0, b"", "")),  # there is nothing to read
        ('printf "it\'s"', (0, b"it's", "")),
    ],
)
def test_code_output_and_errors_are_those_of_the_command(
    script: str, told: tuple[int, bytes, str]
) -> None:
    assert ran(script) == [told]


def test_a_command_leaves_nothing_behind_for_the_next() -> None:
    asked = ran("cd /; export LEFT=1; exec 1> /dev/null; exit 5", 'echo "$LEFT" $PWD')
    assert asked[1] == (0, f" {Path.cwd()}\n".encode(), "")


@pytest.mark.parametrize("text", ["a\n b", "it's %s \\n $HOME `id` ü\n", "x" * 300_000])
def test_a_command_reads_what_it_is_given_as_it_is(text: str) -> None:
    async def use(shell: Standing) -> tuple[int, bytes, str]:
        return await shell.run("host", ("cat",), text)

    assert used(use) == (0, text.encode(), "")


def test_what_a_command_does_not_read_is_not_the_next_one() -> None:
    async def use(shell: Standing) -> list[tuple[int, bytes, str]]:
        first = await shell.run("host", ("sh", "-c", "exit 3"), "echo no\n" * 100_000)
        return [first, await shell.run("host", ("cat",))]

    assert used(use) == [(3, b"", ""), (0, b"", "")]


def test_the_same_shell_runs_all() -> None:
    first, second = ran("echo $PPID", "echo $PPID")
    assert first == second


def test_it_outlives_an_event_loop() -> None:
    shell = Standing(("sh",))
    try:
        first, second = (asyncio.run(shell.run("host", ("sh", "-c", "echo $PPID"))) for _ in "12")
    finally:
        shell.close()
    assert first == second


def test_output_without_end_ends_the_shell_and_the_next_command_has_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "OUTPUT_BYTES", 1000)

    async def use(shell: Standing) -> bytes:
        with pytest.raises(NodeError, match="host: 'yes' printed more than"):
            await shell.run("host", ("yes",))
        return (await shell.run("host", ("echo", "on")))[1]

    assert used(use) == b"on\n"


def test_a_shell_that_is_ended_is_told_and_another_begins() -> None:
    async def use(shell: Standing) -> bytes:
        with pytest.raises(NodeError, match="its shell was ended"):
            await shell.run("host", ("sh", "-c", "kill -9 $PPID"))
        return (await shell.run("host", ("echo", "on")))[1]

    assert used(use) == b"on\n"


def test_who_is_cancelled_has_ended_what_he_ran(tmp_path: Path) -> None:
    os.mkfifo(fifo := tmp_path / "pid")

    async def use(shell: Standing) -> int:
        asyncio.get_running_loop().set_exception_handler(lambda _, about: complaints.append(about))
        script = f"echo $$ > {fifo}; exec sleep 600"
        task = asyncio.create_task(shell.run("host", ("sh", "-c", script)))
        pid = int(await asyncio.to_thread(fifo.read_text))
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        del task
        gc.collect()  # a failure that nobody took is told then
        return pid

    complaints: list[dict[str, Any]] = []
    pid = used(use)
    assert not _runs(pid)
    assert complaints == []


def _runs(pid: int) -> bool:
    """Return True unless it is gone, or a zombie that nobody has asked for its end yet."""
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
