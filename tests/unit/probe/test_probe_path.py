# SPDX-License-Identifier: Apache-2.0
"""From the blocks that ran to functions and their order: calls, tails, interrupts, loops."""

from collections.abc import Sequence
from typing import cast

import pytest

from gatemark.probe.path import by_function, calls
from gatemark.station.counter import Block, Counter
from gatemark.station.symbols import Symbols

KALLSYMS = """
ffffffff81000000 T outer
ffffffff81001000 T inner
ffffffff81002000 T leaf
ffffffff81003000 T asm_common_interrupt
ffffffff81004000 t irq_entries_start
ffffffff81005000 T idle
ffffffff81006000 T __x86_indirect_thunk_rax
ffffffff81007000 T other_task
"""
BASE = 0xFFFFFFFF81000000
PLACE = {line.split()[2]: int(line.split()[0], 16) for line in KALLSYMS.split("\n") if line}


class Blocks:
    """A counter whose slot n is the nth block of a walk."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.blocks = blocks

    def block(self, slot: int) -> Block:
        return self.blocks[slot]


def walked(*steps: str) -> list[tuple[str, int, int]]:
    """Calls of a walk; `name` is a function's first block, `name+` one in its midst, each of 10."""
    blocks = [Block(PLACE[s.rstrip("+")] + 0x40 * s.endswith("+"), 10) for s in steps]
    counter = cast(Counter, Blocks(blocks))
    path = calls(counter, Symbols(KALLSYMS.splitlines()), range(len(blocks)))
    return [(call.function, call.depth, call.instructions) for call in path]


def test_a_call_stands_below_its_caller_and_returns_to_it() -> None:
    assert walked("outer", "inner", "outer+", "leaf", "outer+") == [
        ("outer", 0, 30),
        ("inner", 1, 10),
        ("leaf", 1, 10),
    ]


def test_a_tail_call_stands_below_who_made_it_and_returns_past_it() -> None:
    assert walked("outer", "inner", "leaf", "outer+") == [
        ("outer", 0, 20),
        ("inner", 1, 10),
        ("leaf", 2, 10),
    ]


def test_what_an_interrupt_came_upon_goes_on_afterwards() -> None:
    steps = ("outer", "inner", "irq_entries_start+", "asm_common_interrupt", "leaf", "inner+")
    assert walked(*steps) == [
        ("outer", 0, 10),
        ("inner", 1, 20),
        ("irq_entries_start", 2, 10),
        ("asm_common_interrupt", 3, 10),
        ("leaf", 4, 10),
    ]


def test_another_task_goes_on_at_the_outermost_depth() -> None:
    assert walked("outer", "inner", "other_task+", "leaf", "other_task+") == [
        ("outer", 0, 10),
        ("inner", 1, 10),
        ("other_task", 0, 20),
        ("leaf", 1, 10),
    ]


def test_a_loop_to_its_first_block_is_no_call() -> None:
    assert walked("outer", "leaf", "leaf", "leaf", "outer+") == [("outer", 0, 20), ("leaf", 1, 30)]


def test_a_thunk_is_its_callers() -> None:
    assert walked("outer", "__x86_indirect_thunk_rax", "leaf", "outer+") == [
        ("outer", 0, 30),
        ("leaf", 1, 10),
    ]


@pytest.mark.parametrize("first", ["idle+", "irq_entries_start+", "leaf"])
def test_a_walk_may_begin_anywhere(first: str) -> None:
    assert walked(first)[0][1:] == (0, 10)


def test_a_path_has_all_the_instructions() -> None:
    steps = ("idle+", "irq_entries_start+", "asm_common_interrupt", "outer", "inner", "idle+")
    assert sum(size for _, _, size in walked(*steps)) == 10 * len(steps)


def test_functions_are_reported_dearest_first_with_their_calls() -> None:
    blocks = [Block(PLACE["outer"], 4), Block(PLACE["leaf"], 3), Block(PLACE["leaf"] + 64, 2)]
    counter = cast(Counter, Blocks(blocks))
    tallies = by_function(counter, Symbols(KALLSYMS.splitlines()), {0: 1, 1: 5, 2: 10})
    assert list(tallies.items()) == [("leaf", (35, 5)), ("outer", (4, 1))]
