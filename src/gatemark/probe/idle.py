# SPDX-License-Identifier: Apache-2.0
"""Which part of a walk is a round of the idle loop between two interrupts.

A packet brings two interrupts: it arrives, and later the card tells that it is sent. If the second
comes while the first is served, they follow one another; else the processor goes through its idle
loop in between, and halts. Which of the two happens is a race with the emulated card, so the loop
between them is not the packet's. The first half round, from the halt, and the last whole one, into
the halt, are in every walk and stay.

    halt |interrupt|‾‾‾‾ idle loop ‾‾‾‾ halt |interrupt|‾‾‾‾ idle loop ‾‾‾‾ halt
                    \\______ taken off _____/            \\_______ stays _______/

The loop is known by its functions (kernel/sched/idle.c and each architecture's halt), its end by
the entry of an interrupt. Where the scheduler leaves it for a task, what follows is counted.
"""

from collections.abc import Callable, Sequence
from typing import Final

from gatemark.station.symbols import UNKNOWN

HALTS: Final = ("cpu_do_idle", "native_safe_halt", "pv_native_safe_halt", "r4k_wait", "__r4k_wait")
LOOP: Final = frozenset(("do_idle", "default_idle_call", "default_idle", "arch_cpu_idle", *HALTS))
LEFT: Final = frozenset(("schedule_idle", "__schedule"))
# aarch64; x86; MIPS, whose vector has no name. The x86 stubs of other interrupts begin with asm_.
ENTRIES: Final = frozenset(
    ("vectors", "irq_entries_start", "handle_int", "rollback_handle_int", UNKNOWN)
)
STUB: Final = "asm_"


def without_rounds(path: Sequence[int], function: Callable[[int], str]) -> list[int]:
    """A walk's slots in their order, without rounds between interrupts; `function` of a slot."""
    kept: list[int] = []
    begun = -1  # where, in what is kept, a round begins; -1: in no round
    served = False  # an interrupt was: before, the processor leaves the halt of the last walk
    for slot in path:
        name = function(slot)
        if name in ENTRIES or name.startswith(STUB):
            if begun >= 0:
                del kept[begun:]
            begun, served = -1, True
        elif name in LOOP and served and begun < 0:
            begun = len(kept)
        elif name in LEFT:
            begun = -1
        kept.append(slot)
    return kept
