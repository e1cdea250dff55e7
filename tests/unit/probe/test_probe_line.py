# SPDX-License-Identifier: Apache-2.0
"""The line's books and its ports' counters are of one moment, whatever crosses meanwhile."""

import asyncio
from typing import Any, cast

import pytest

from gatemark.node.shell import Local
from gatemark.probe import line
from gatemark.station.line.line import Line
from gatemark.station.wiring import Port

PORT = Port(Local(), "line0", "02:00:00:00:00:01")


class Crossing:
    """A line that a frame crosses at some of the looks at its counters."""

    ports = (PORT,)

    def __init__(self, frames: list[int]) -> None:
        self.frames = frames
        self.passed = 0
        self.since = 0

    async def begin(self) -> None:
        self.since = self.passed

    async def books(self) -> dict[str, Any]:
        return {"sent": self.passed - self.since}

    async def counters(self, _: object) -> dict[str, int]:
        self.passed += self.frames.pop(0) if self.frames else 0
        return {"line0.tx_packets": self.passed}


@pytest.mark.parametrize("frames", [[1, 0, 0, 5], [0, 1, 1, 0, 5], [0, 0, 5, 1, 1, 0]])
def test_a_frame_between_two_looks_is_in_both_or_in_none(
    frames: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    crossing = Crossing(frames)
    monkeypatch.setattr(line, "port_counters", crossing.counters)
    books = line.Books(cast("Line", crossing))

    async def trial() -> line.Crossed:
        await books.start()
        return await books.stop()

    crossed = asyncio.run(trial())
    assert crossed.moved["line0.tx_packets"] == crossed.report["sent"]
