# SPDX-License-Identifier: Apache-2.0
"""The user's command that switches arms: run by the shell, its output kept, its end reported."""

import asyncio
import os
import select
import time
from contextlib import suppress
from pathlib import Path

import pytest

from gatemark.error import GatemarkError
from gatemark.run.switch import LOG, switch
from gatemark.store.folder import Folder


def test_it_gets_the_arm(tmp_path: Path) -> None:
    asyncio.run(switch("echo {arm} is {arm}", "new", Folder(tmp_path)))
    assert (tmp_path / LOG).read_text() == "$ echo new is new\nnew is new\n"


def test_it_is_run_to_its_end(tmp_path: Path) -> None:
    asyncio.run(
        switch(
            "sleep 0.1; touch there-{arm}".replace("there", f"{tmp_path}/there"),
            "old",
            Folder(tmp_path),
        )
    )
    assert (tmp_path / "there-old").exists()


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("echo flashing; echo no such image >&2; exit 7 # {arm}", "7 (no such image)"),
        ("exit 7 # {arm}", "7 (it said nothing)"),
        ("no-such-program {arm} 2> /dev/null", "127 (it said nothing)"),
    ],
)
def test_a_failure_is_one_line_with_its_last_words(command: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(GatemarkError) as failed:
        asyncio.run(switch(command, "new", Folder(tmp_path)))
    message = str(failed.value)
    assert message.endswith(f"' ended with {why}")
    assert "\n" not in message


def test_who_stops_us_ends_it_and_what_it_started(tmp_path: Path) -> None:
    """Else it would go on to flash behind our back."""
    gate, after = tmp_path / "gate", tmp_path / "after"
    os.mkfifo(gate)
    words = f"(read -r _ < {gate}; touch {after}) & wait # {{arm}}"

    async def stopped() -> None:
        run = asyncio.create_task(switch(words, "old", Folder(tmp_path)))
        with await asyncio.to_thread(gate.open, "w") as opened:  # as soon as it is read
            for _ in range(100):
                await asyncio.sleep(0)  # it has begun for us, too
            run.cancel()
            with pytest.raises(asyncio.CancelledError):
                await run
            assert has_no_reader(opened.fileno())

    asyncio.run(stopped())
    assert not after.exists()


def test_who_stops_us_as_it_begins_ends_it_and_what_it_started(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)

    async def stopped() -> None:
        run = asyncio.create_task(switch(f"(read -r _ < {gate}) & wait", "old", Folder(tmp_path)))
        while (opened := when_read(gate)) is None:  # noqa: ASYNC110  no event of ours tells it
            await asyncio.sleep(0)  # a step of the event loop, which then stands
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        assert has_no_reader(opened)
        os.close(opened)

    asyncio.run(stopped())


def when_read(fifo: Path) -> int | None:
    """Its end for writing, as soon as somebody reads it; None after a while without."""
    until = time.monotonic() + 0.5
    while time.monotonic() < until:
        with suppress(OSError):  # ENXIO: nobody yet
            return os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
        time.sleep(0.001)
    return None


def has_no_reader(fifo: int) -> bool:
    """Whether nobody has it open any more: who was killed ends a little later."""
    asking = select.poll()
    asking.register(fifo, 0)
    return asking.poll(20_000) == [(fifo, select.POLLERR)]
