# SPDX-License-Identifier: Apache-2.0
"""Work in a thread is over before whoever waited for it goes on."""

import asyncio
import threading

import pytest

from gatemark.station import blocking


def test_it_returns_what_the_work_does() -> None:
    assert asyncio.run(blocking.run(divmod, 7, 2)) == (3, 1)


def test_it_raises_what_the_work_does() -> None:
    with pytest.raises(ZeroDivisionError):
        asyncio.run(blocking.run(divmod, 7, 0))


@pytest.mark.parametrize("times", [1, 2])
def test_who_is_cancelled_goes_on_when_it_is_over(times: int) -> None:
    told: list[str] = []
    begun, go = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        assert go.wait(10)
        told.append("built")

    async def waits() -> None:
        try:
            await blocking.run(work)
        finally:
            told.append("removed")

    async def run() -> None:
        task = asyncio.create_task(waits())
        await asyncio.to_thread(begun.wait, 10)
        for _ in range(times):
            task.cancel()
            await asyncio.sleep(0.01)
        go.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert told == ["built", "removed"]
