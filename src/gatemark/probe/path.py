# SPDX-License-Identifier: Apache-2.0
"""What ran for one packet, from the blocks that ran: by function, and in their order."""

from collections.abc import Iterable, Mapping

from gatemark.probe.symbols import Symbols
from gatemark.station.counter import Counter
from gatemark.store.record import Call

Functions = dict[str, tuple[int, int]]  # name -> instructions, calls


def by_function(counter: Counter, symbols: Symbols, risen: Mapping[int, int]) -> Functions:
    """Instructions and calls of each function, dearest first; `risen` are runs by slot."""
    found: dict[str, list[int]] = {}
    for slot, runs in risen.items():
        block = counter.block(slot)
        tally = found.setdefault(symbols.function(block.address).name, [0, 0])
        tally[0] += runs * block.length
        tally[1] += runs if symbols.enters(block.address) else 0
    dearest = sorted(found.items(), key=lambda item: (-item[1][0], item[0]))
    return {name: (insns, calls) for name, (insns, calls) in dearest}


def calls(counter: Counter, symbols: Symbols, slots: Iterable[int]) -> tuple[Call, ...]:
    """The functions that were entered, in order, each with its depth and its own instructions.

    A block that begins a function enters it, from whichever function ran before. A block in the
    midst of a function goes on in the innermost one of that name that has been entered, so those
    above it have returned; a tail call thus stands below the function that made it. In the midst of
    a function that was not entered (what an interrupt goes back to) it counts as entered there.
    """
    found: list[Call] = []
    stack: list[int] = []  # of `found`, outermost first
    for slot in slots:
        block = counter.block(slot)
        name = symbols.function(block.address).name
        if symbols.enters(block.address):
            stack.append(_entered(found, name, len(stack)))
        else:
            while stack and found[stack[-1]].function != name:
                stack.pop()
            if not stack:
                stack.append(_entered(found, name, 0))
        at = stack[-1]
        was = found[at]
        found[at] = Call(was.function, was.depth, was.instructions + block.length)
    return tuple(found)


def _entered(found: list[Call], name: str, depth: int) -> int:
    found.append(Call(name, depth, 0))
    return len(found) - 1
