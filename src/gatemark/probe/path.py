# SPDX-License-Identifier: Apache-2.0
"""The functions that ran for one packet, made of the blocks that ran: sums, and in order."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from gatemark.station.counter import Counter
from gatemark.station.symbols import UNKNOWN, Symbols
from gatemark.store.record import Call

# Assembly of the kernel's entry and exit: interrupts, exceptions, system calls, and the way back.
# What ran before goes on afterwards, so it is not left; the labels in there are no functions, and
# what stands at them is often run from its midst. Assembly that copies falls from one into another.
ENTRY: Final = re.compile(
    r"asm_\w+|irq_entries_start|spurious_entries_start|entry_\w+|error_\w+|paranoid_\w+"
    r"|sync_regs|common_interrupt_return|swapgs_\w+|restore_\w+|native_i\w*ret\w*"
    r"|ret_from_\w+"  # x86 and MIPS
    r"|except_vec\w*|(rollback_)?handle_(int|sys|tlb\w|adel|ades|ri|cpu)|load_a\d|loads_done"
    r"|syscall_(common|exit\w*)|stack_done"
    r"|__raw_copy_\w+|__copy_user|memcpy|memmove|memset|__bzero|csum_partial\w*"  # run through
    r"|vectors|el[01][th]?_\w+|ret_to_\w+|call_on_irq_stack"  # aarch64
    f"|{UNKNOWN}"  # vectors that were copied out of the kernel's text, and made as it boots
)
# Jumps that a compiler or a patch put between a call and its function; they are its caller's.
JUMP: Final = re.compile(r"__x86_indirect_\w+|__x86_return_thunk|retbleed_\w+|srso_\w+|__SCT__\w+")

Functions = dict[str, tuple[int, int]]  # name -> instructions, calls


def by_function(counter: Counter, symbols: Symbols, risen: Mapping[int, int]) -> Functions:
    """Instructions and calls of each function, dearest first; `risen` are runs by slot."""
    tallies: dict[str, list[int]] = {}
    for slot, runs in risen.items():
        block = counter.block(slot)
        tally = tallies.setdefault(symbols.function(block.address).name, [0, 0])
        tally[0] += runs * block.length
        tally[1] += runs if symbols.enters(block.address) else 0
    dearest = sorted(tallies.items(), key=lambda item: (-item[1][0], item[0]))
    return {name: (insns, calls) for name, (insns, calls) in dearest}


def calls(counter: Counter, symbols: Symbols, slots: Iterable[int]) -> tuple[Call, ...]:
    """The functions that were entered, in order, each with its depth and its own instructions.

    A block that begins a function enters it, from whichever function ran before. A block in the
    midst of a function goes on in the innermost one of that name that has been entered, so those
    above it have returned; a tail call thus stands below the function that made it. In the midst of
    a function that was not entered it counts as entered there: at the outermost depth, since what
    an interrupt goes back to, or another task, returns to nobody whom we saw; but the kernel's code
    of entry and exit stands below what it interrupted, which goes on later.
    """
    walk = _Walk()
    known: dict[int, tuple[str, bool, int]] = {}
    for slot in slots:
        if slot not in known:
            block = counter.block(slot)
            name, begins = symbols.function(block.address).name, symbols.enters(block.address)
            known[slot] = name, begins, block.length
        name, begins, length = known[slot]
        walk.run(name, begins=begins)
        walk.count(length)
    return tuple(Call(*row) for row in zip(walk.names, walk.depths, walk.own, strict=True))


class _Walk:
    """A path as it is made: what was entered, and the stack of what has not been left."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.depths: list[int] = []
        self.own: list[int] = []  # instructions
        self._stack: list[int] = []  # places in these lists, outermost first

    def run(self, name: str, *, begins: bool) -> None:
        """A block of a function runs next; `begins`: from its first instruction."""
        if JUMP.fullmatch(name) and self._stack:
            return
        # From its own last block back to its first: a loop, as of a copy, and no call.
        if begins and not (self._stack and self.names[self._stack[-1]] == name):
            self._enter(name)
        elif not self._back(name):
            if not ENTRY.fullmatch(name):
                self._stack.clear()
            self._enter(name)

    def count(self, instructions: int) -> None:
        """The instructions of that block."""
        self.own[self._stack[-1]] += instructions

    def _back(self, name: str) -> bool:
        """Return to the innermost one of that name, if there is one."""
        for place in range(len(self._stack) - 1, -1, -1):
            if self.names[self._stack[place]] == name:
                del self._stack[place + 1 :]
                return True
        return False

    def _enter(self, name: str) -> None:
        self._stack.append(len(self.names))
        self.names.append(name)
        self.depths.append(len(self._stack) - 1)
        self.own.append(0)
