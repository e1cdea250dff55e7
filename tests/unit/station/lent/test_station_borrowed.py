# SPDX-License-Identifier: Apache-2.0
"""Changes on a host are undone whatever happens to us."""

import asyncio
import os
from pathlib import Path

import pytest

from gatemark.node.quoted import shell
from gatemark.node.shell import Local
from gatemark.station.lent.borrowed import Borrowed


def test_who_is_cancelled_meanwhile_has_them_undone(tmp_path: Path) -> None:
    log, gate = tmp_path / "log", tmp_path / "gate"
    os.mkfifo(gate)
    change = shell("read -r _ < {gate}; echo made >> {log}", gate=str(gate), log=str(log))
    undo = shell("echo undone >> {log}", log=str(log))

    async def run() -> None:
        taking = asyncio.create_task(Borrowed.take(Local(), (change,), (undo,)))
        # Opening it waits for the change to read it.
        with await asyncio.to_thread(gate.open, "w") as writer:
            taking.cancel()
            await asyncio.sleep(0)
            writer.write("on\n")
        with pytest.raises(asyncio.CancelledError):
            await taking

    asyncio.run(run())
    assert log.read_text().split() == ["made", "undone"]
