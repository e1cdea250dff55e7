# SPDX-License-Identifier: Apache-2.0
"""An agent that stays: its jobs are as those that were started alone, and what it is told is none.

Of its frames those of a real agent, and odd ones that a shell writes in its place.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from gatemark.error import NodeError
from gatemark.node.inside.staying import LOST, Job, Staying
from gatemark.node.shell import Local, Stream

Use = Callable[[Staying], Coroutine[Any, Any, Any]]


async def real() -> Stream:
    """An agent of this machine."""
    host = Local()
    return await host.stream(await host.agent("watch"), "stay")


def used(use: Use) -> Any:
    """What is made of one that stays, which is ended afterwards."""

    async def whole() -> Any:
        staying = Staying("host")
        try:
            return await use(staying)
        finally:
            await staying.end()

    return asyncio.run(whole())


def of_frames(*frames: str, then: str = "exec cat > /dev/null") -> tuple[bytes, int, str]:
    """The first line, the exit code and the errors of job 1, of an agent that passes these on."""
    text = "".join(f"printf '{frame}' >&2; " for frame in frames)

    async def use(staying: Staying) -> tuple[bytes, int, str]:
        job = await staying.job(lambda: Local().stream("sh", "-c", f"read -r _; {text}{then}"), "x")
        line = await job.line()
        job.kill()
        return line, await job.wait(), await job.errors()

    read: tuple[bytes, int, str] = used(use)
    return read


async def ended(job: Job) -> int:
    job.close_stdin()
    return await job.wait()


def test_one_agent_does_all_jobs_and_another_comes_where_it_is_gone() -> None:
    async def use(staying: Staying) -> list[int]:
        starts = []

        async def start() -> Stream:
            starts.append(await real())
            return starts[-1]

        for _ in range(2):
            assert await ended(await staying.job(start, "watch")) == 1  # there was no request
        starts[0].kill()
        await starts[0].wait()
        await asyncio.sleep(0)
        lost = await staying.job(start, "watch")  # its agent may not be known as gone yet
        assert await ended(lost) in (1, LOST)
        assert await ended(await staying.job(start, "watch")) == 1
        return [len(starts)]

    assert used(use) == [2]


def test_a_frame_is_read_however_it_is_cut() -> None:
    cut = "out 1", " 6\\nabc", "\\nefout 1 1\\ng", "err 1 3\\nwhyg", "one 1 -9\\n"
    assert of_frames(*cut) == (b"abc\n", -9, "why")


def test_frames_of_a_job_that_nobody_knows_are_let_go() -> None:
    assert of_frames("out 7 2\\nx\\ngone 7 0\\nout 1 2\\ny\\ngone 1 3\\n") == (b"y\n", 3, "")


def test_what_a_job_printed_is_there_when_its_agent_has_gone() -> None:
    line, code, errors = of_frames("out 1 2\\ny\\n", then="exit")
    assert (line, code) == (b"y\n", LOST)
    assert "its agent was ended" in errors


@pytest.mark.parametrize(
    "frame", ["out 1 0\\n", "out 1 65537\\n", "sing 1 1\\nx", "out x 1\\nx", "0" * 60, "out 1\\n"]
)
def test_what_is_no_frame_is_told_and_ends_the_agent(frame: str) -> None:
    with pytest.raises(NodeError, match="host: what its agent passed on cannot be read: "):
        of_frames(frame)


def test_a_line_without_an_end_is_told() -> None:
    async def use(staying: Staying) -> None:
        flood = "while :; do printf 'out 1 65536\\n' >&2; head -c 65536 /dev/zero >&2; done"
        job = await staying.job(lambda: Local().stream("sh", "-c", f"read -r _; {flood}"), "x")
        with pytest.raises(NodeError, match="printed more than 64 MiB in one line"):
            await job.line()

    used(use)
