# SPDX-License-Identifier: Apache-2.0
"""What a guest runs beside a packet and for none: refills of the TLB, and an end's own program.

A MIPS core finds modules, which lie in mapped memory, by 16 entries, and a miss replaces a random
one (tlbwr). So a walk through modules meets some refills more or fewer, 23 instructions each, and
hardly two would run alike. The handler is written as the kernel boots (arch/mips/mm/tlbex.c), to
where the exception vectors begin; the general one stands 0x180 bytes behind it (MIPS32 Privileged
Resource Architecture, "Exception Vector Locations").
"""

from typing import Final

from gatemark.probe.symbols import UNKNOWN, Symbols
from gatemark.station.counter import Counter

PAGE: Final = 0x1000
GENERAL: Final = 0x180  # of the vectors' page
DIRECT: Final = range(0x80000000, 0xA0000000)  # KSEG0: memory that needs no TLB


class Apart:
    """What of a guest's instructions does not count; `programs`: those of user space neither."""

    def __init__(self, counter: Counter, symbols: Symbols, *, programs: bool) -> None:
        self._counter = counter
        self._symbols = symbols
        self._programs = programs
        self._sought = 0  # slots that were looked at
        self._refills: set[int] = set()  # slots
        self._others: set[int] = set()
        vectors = (self._vector(slot) for slot in range(counter.used))
        self._pages = {at - GENERAL for at in vectors if at is not None and at % PAGE == GENERAL}

    def __contains__(self, slot: int) -> bool:
        self._look()
        return slot in self._refills or slot in self._others

    @property
    def instructions(self) -> int:
        """All of them, since the guest was started."""
        self._look()
        return self._counter.instructions(self._others) + self.refills

    @property
    def refills(self) -> int:
        """Those of TLB refills, since the guest was started."""
        self._look()
        return self._counter.instructions(self._refills)

    def _look(self) -> None:
        """Sort the blocks that are new."""
        end = self._counter.used
        for slot in range(self._sought, end):
            at = self._vector(slot)
            if at is not None and at % PAGE < GENERAL and at - at % PAGE in self._pages:
                self._refills.add(slot)
            elif self._programs and self._counter.is_user(slot):
                self._others.add(slot)
        self._sought = end

    def _vector(self, slot: int) -> int | None:
        """Where a block lies, if it may be one of MIPS' exception vectors: code without a name."""
        if not self._symbols.narrow:
            return None
        at = self._counter.block(slot).address & self._symbols.mask
        unnamed = at in DIRECT and self._symbols.function(at).name == UNKNOWN
        return at if unnamed else None
