# SPDX-License-Identifier: Apache-2.0
"""What was begun is over before whoever waited for it goes on, wherever that was cancelled."""

import asyncio
import time
from contextlib import suppress

import pytest

from gatemark.error import NodeError
from gatemark.node.shell import Local
from gatemark.node.shield import together, whole

READER = ("sh", "-c", 'eval "$(cat)"; true')  # its child reads a pipe of ours
STEPS = range(4)  # of the event loop, in which a process is begun


@pytest.mark.parametrize("steps", STEPS)
def test_a_command_can_be_cancelled_at_any_step_of_its_beginning(steps: int) -> None:
    async def cancel() -> None:
        task = asyncio.create_task(Local().run(*READER, stdin="true"))
        for _ in range(steps):
            await asyncio.sleep(0)
            time.sleep(0.02)  # noqa: ASYNC251  the loop stands, the process goes on
        task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.wait_for(task, 10)

    asyncio.run(cancel())


def test_who_is_cancelled_goes_on_when_the_work_is_over() -> None:
    done = []

    async def work() -> None:
        await asyncio.sleep(0.05)
        done.append(True)

    async def cancel() -> None:
        task = asyncio.create_task(whole(asyncio.create_task(work())))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert done == [True]

    asyncio.run(cancel())


def test_what_is_done_together_is_over_where_one_of_it_fails() -> None:
    done = []

    async def work() -> None:
        await asyncio.sleep(0.05)
        done.append(True)

    async def fail() -> None:
        raise NodeError("lost")

    with pytest.raises(NodeError, match="lost"):
        asyncio.run(together(fail(), work()))
    assert done == [True]
