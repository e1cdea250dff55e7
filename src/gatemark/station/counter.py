# SPDX-License-Identifier: Apache-2.0
"""Reads what the plugin in counter/ counts: every block of a guest that ran, at any moment.

The file's layout is that of counter/table.h: 64-bit numbers in this machine's byte order.
"""

import mmap
import struct
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gatemark.error import StationError

MAGIC: Final = b"GMCOUNT1"
HEAD_BYTES: Final = 4096
WORD: Final = 8
KERNEL: Final = 0x80000000  # no kernel's block lies below
INSN_BYTES: Final = 4  # of MIPS and 64-bit ARM
# Words of the head, in order, behind the magic.
HEAD: Final = (
    *("slots", "paths", "used", "lost", "total", "open", "passed"),
    *("modelling", "blocks", "multiplies", "divides", "loads", "stores", "uncached", "pairs"),
)
# With caches: what all of them see, and what each pair counts.
SEEN: Final = HEAD[8:14]
EVENTS: Final = ("fetch_misses", "load_misses", "store_misses", "write_backs")
MOST_PAIRS: Final = 4
# Behind all pairs: what programs did between marks (counter/region.h).
REGION: Final = ("open", "begun", "instructions", "accesses", "l1_misses", "l2_misses")
CPU_MOST: Final = 16  # whose instructions are counted apart
REGION_AT: Final = 1 + len(HEAD) + MOST_PAIRS * len(EVENTS)  # word of the first


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of the guest's code that runs from its first instruction to its last."""

    address: int
    length: int  # instructions

    @property
    def end(self) -> int:
        """Behind it, where instructions are of four bytes."""
        return self.address + INSN_BYTES * self.length


class Counter:
    """The counts of one running guest. Raises StationError if the file is none of the plugin's."""

    def __init__(self, file: Path) -> None:
        try:
            with file.open("r+b") as opened:
                self._map = mmap.mmap(opened.fileno(), 0)
        except (OSError, ValueError) as error:
            raise StationError(f"instructions are not counted: {file}: {error}") from None
        if self._map[:WORD] != MAGIC:
            raise StationError(f"instructions are not counted: {file} is no file of the plugin's")
        self._words = memoryview(self._map).cast("Q")
        self._blocks: list[Block] = []
        slots, paths = self._head("slots"), self._head("paths")
        self._address = HEAD_BYTES // WORD
        self._length = self._address + slots
        self._runs = self._length + slots
        self._path = self._runs + slots
        self._longest = paths

    def close(self) -> None:
        """Let go of the file."""
        self._words.release()
        self._map.close()

    @property
    def total(self) -> int:
        """Instructions that the guest ran since it was started."""
        return self._head("total")

    @property
    def lost(self) -> int:
        """Blocks that found no slot."""
        return self._head("lost")

    @property
    def events(self) -> dict[str, int]:
        """With caches, while `model` was at work: blocks, accesses, and what takes long."""
        return {name: self._head(name) for name in SEEN}

    def misses(self, pair: int) -> dict[str, int]:
        """Return a pair of caches' misses and write-backs, in the order of QEMU's options."""
        first = 1 + len(HEAD) + pair * len(EVENTS)
        return {name: int(self._words[first + at]) for at, name in enumerate(EVENTS)}

    def region(self) -> dict[str, int]:
        """Return what programs did between marks so far; misses of the levels that are modelled."""
        return {name: int(self._words[REGION_AT + at]) for at, name in enumerate(REGION)}

    def of_cpus(self, cpus: int) -> tuple[int, ...]:
        """Return the instructions of each virtual processor since the guest was started."""
        first = REGION_AT + len(REGION)
        return tuple(int(self._words[first + at]) for at in range(min(cpus, CPU_MOST)))

    def unmark(self) -> None:
        """Close the marks of a program that ended between them, while none is at work."""
        struct.pack_into("Q", self._map, WORD * (REGION_AT + REGION.index("open")), 0)

    @contextmanager
    def model(self) -> Iterator[None]:
        """While it is open the caches are at work, and the guest is slower."""
        self._set("modelling", 1)
        try:
            yield
        finally:
            self._set("modelling", 0)

    def runs(self) -> "array[int]":
        """Return the runs of each block so far, by slot."""
        return array("Q", bytes(self._words[self._runs : self._runs + self.used]))

    def block(self, slot: int) -> Block:
        """Return the block in a slot; it stays so."""
        known = len(self._blocks)
        if slot >= known:
            end = self.used
            addresses = self._words[self._address + known : self._address + end]
            lengths = self._words[self._length + known : self._length + end]
            self._blocks += map(Block, addresses, lengths)
        return self._blocks[slot]

    def is_user(self, slot: int) -> bool:
        """Return whether a slot's block is of a program: all of these have one place."""
        return self.block(slot).address < KERNEL

    @property
    def programs(self) -> int:
        """Instructions of all programs, without the kernel's."""
        return sum(
            runs * self.block(slot).length
            for slot, runs in enumerate(self.runs())
            if self.is_user(slot)
        )

    @property
    def used(self) -> int:
        """Slots that were taken so far."""
        return self._head("used")

    def anew(self) -> None:
        """Forget what was written down in the window so far."""
        self._set("passed", 0)

    @contextmanager
    def window(self) -> Iterator[None]:
        """While it is open blocks are written down in the order of running: `path` has them."""
        self.anew()
        self._set("open", 1)
        try:
            yield
        finally:
            self._set("open", 0)

    def path(self) -> list[int]:
        """The slots of the last window, in order. Raises StationError if it was too short."""
        passed = self._head("passed")
        if passed > self._longest:
            raise StationError(
                f"{passed} blocks ran in the window, which holds {self._longest}: "
                "is something else at work on the gateway?"
            )
        return list(self._words[self._path : self._path + passed])

    def _head(self, name: str) -> int:
        return int(self._words[1 + HEAD.index(name)])

    def _set(self, name: str, value: int) -> None:
        struct.pack_into("Q", self._map, WORD * (1 + HEAD.index(name)), value)


def changed(before: "array[int]", after: "array[int]") -> dict[int, int]:
    """Slots that ran between two readings, and how often."""
    known = len(before)
    risen = {
        slot: now - was
        for slot, (was, now) in enumerate(zip(before, after, strict=False))
        if now != was
    }
    return risen | {slot: now for slot, now in enumerate(after[known:], known) if now}
