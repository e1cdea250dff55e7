# SPDX-License-Identifier: Apache-2.0
"""A kernel between its marks: what a program that died between its own left is not counted."""

import asyncio
import struct
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from counts import counts

from gatemark.error import InvalidTrialError
from gatemark.kind.algorithm.load import COUNTED_PASSES, Kernel
from gatemark.station.counter import REGION, REGION_AT, WORD, Counter

OPERATIONS, EACH = 10, 7


class Plugin:
    """What counts, in the file that both map."""

    def __init__(self, folder: Path) -> None:
        self.file = counts(folder)
        self.counter = Counter(self.file)

    def add(self, name: str, number: int) -> None:
        at = WORD * (REGION_AT + REGION.index(name))
        with self.file.open("r+b") as file:
            file.seek(at)
            (was,) = struct.unpack("Q", file.read(WORD))
            file.seek(at)
            file.write(struct.pack("Q", was + number))


class Played:
    """gm-algorithms: counted as it runs; with `dies` it ends before its second mark."""

    name = "gateway"

    def __init__(self, plugin: Plugin) -> None:
        self.plugin = plugin
        self.dies = False

    async def start(self, *_: str) -> Any:
        self.plugin.add("open", 1)
        self.plugin.add("instructions", EACH * OPERATIONS * COUNTED_PASSES)
        if not self.dies:
            self.plugin.add("open", -1)
        lines = [msgspec.json.encode({"operations": OPERATIONS}), b""]

        async def line() -> bytes:
            return lines.pop(0)

        async def wait() -> int:
            return 0

        return SimpleNamespace(line=line, wait=wait, close_stdin=lambda: None)


def test_a_program_that_died_between_its_marks_spoils_no_other(tmp_path: Path) -> None:
    plugin = Plugin(tmp_path)
    program = Played(plugin)
    kernel = Kernel.__new__(Kernel)
    kernel.node, kernel._command = program, ("gm-algorithms", "lpm")  # type: ignore[assignment]
    kernel.load = SimpleNamespace(instances=1)  # type: ignore[assignment]
    counting: Any = SimpleNamespace(counter=lambda: plugin.counter, data="")

    def counted() -> dict[str, float]:
        return asyncio.run(kernel._counted(counting, {"operations": OPERATIONS}))

    program.dies = True
    with pytest.raises(InvalidTrialError, match="without the marks"):
        counted()
    program.dies = False
    plugin.add("instructions", 1000)  # counted by the marks that are left open, between two trials
    assert counted() == {"instructions": EACH, "accesses": 0, "l1_misses": 0}
    plugin.counter.close()
