# SPDX-License-Identifier: Apache-2.0
"""The user's command that switches arms: run by the shell, its output kept, its end reported."""

import asyncio
import time
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

    async def stopped() -> None:
        run = asyncio.create_task(
            switch(f"(sleep 2; touch {tmp_path}/after) & wait # {{arm}}", "old", Folder(tmp_path))
        )
        await asyncio.sleep(0.2)
        run.cancel()
        await run

    began = time.monotonic()
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(stopped())
    assert time.monotonic() - began < 1.5
    time.sleep(max(0.0, began + 2.5 - time.monotonic()))
    assert not (tmp_path / "after").exists()
