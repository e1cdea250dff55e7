# SPDX-License-Identifier: Apache-2.0
"""Which blocks of a walk are its packet's: not those of TLB refills, nor of an end's own program.

A MIPS core finds modules, which lie in mapped memory, by 16 entries, and a miss replaces a random
one (tlbwr). So a walk through modules meets some refills more or fewer, 23 instructions each, and
hardly any two would run the same. The handler is written as the kernel boots
(arch/mips/mm/tlbex.c), to where the exception vectors begin. The general vector stands 0x180 bytes
behind it (MIPS32 Privileged Resource Architecture, "Exception Vector Locations").

    counted as it begins   |----- block -----|
    a load misses                  ^ refill
    and the rest is run            |---------|  a block as well: it would count twice
"""

from collections.abc import Iterable
from typing import Final

from gatemark.station.counter import Counter
from gatemark.station.symbols import UNKNOWN, Symbols

PAGE: Final = 0x1000
GENERAL: Final = 0x180  # of the vectors' page
DIRECT: Final = range(0x80000000, 0xA0000000)  # KSEG0: memory that needs no TLB
OWN, REFILL, PROGRAM = "own", "refill", "program"


class Sorter:
    """Sorts blocks; `programs`: those of user space are not the packet's."""

    def __init__(self, counter: Counter, symbols: Symbols, *, programs: bool) -> None:
        self._counter = counter
        self._symbols = symbols
        self._programs = programs
        self._kinds: dict[int, str] = {}  # of slots that were asked for
        vectors = (self._vector(slot) for slot in range(counter.used))
        self._pages = {at - GENERAL for at in vectors if at is not None and at % PAGE == GENERAL}

    def own(self, path: Iterable[int]) -> tuple[list[int], int]:
        """The packet's own slots, in their order, and how many instructions refills took."""
        kept: list[int] = []
        refills, before, interrupted = 0, -1, False
        for slot in path:
            kind = self._kinds.get(slot) or self._kind(slot)
            if kind == REFILL:
                refills += self._counter.block(slot).length
                interrupted = True
                continue
            if kind == OWN and not (interrupted and self._rest(before, slot)):
                kept.append(slot)
            before, interrupted = slot, False
        return kept, refills

    def _kind(self, slot: int) -> str:
        at, kind = self._vector(slot), OWN
        if at is not None and at % PAGE < GENERAL and at - at % PAGE in self._pages:
            kind = REFILL
        elif self._programs and self._counter.is_user(slot):
            kind = PROGRAM
        self._kinds[slot] = kind
        return kind

    def _rest(self, whole: int, slot: int) -> bool:
        """Return whether a block is what is left of the one before, which counted as it began."""
        if whole < 0:
            return False
        block, rest = self._counter.block(whole), self._counter.block(slot)
        return block.address <= rest.address and block.end == rest.end

    def _vector(self, slot: int) -> int | None:
        """Where a block lies, if it may be one of MIPS' exception vectors: code without a name."""
        if not self._symbols.narrow:
            return None
        at = self._counter.block(slot).address & self._symbols.mask
        unnamed = at in DIRECT and self._symbols.function(at).name == UNKNOWN
        return at if unnamed else None
