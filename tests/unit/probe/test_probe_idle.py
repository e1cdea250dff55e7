# SPDX-License-Identifier: Apache-2.0
"""Rounds of the idle loop between a packet's two interrupts."""

import pytest

from gatemark.probe.idle import without_rounds
from gatemark.station.symbols import UNKNOWN

# Of each processor: leaving the halt, an interrupt, the idle loop, going into the halt.
WAYS = {
    "aarch64": ("cpu_do_idle arch_cpu_idle", "vectors", "arch_cpu_idle do_idle", "cpu_do_idle"),
    "x86-64": ("", "irq_entries_start asm_common_interrupt", "native_safe_halt do_idle",
               "native_safe_halt"),
    "MIPS": ("", f"{UNKNOWN} rollback_handle_int", "__r4k_wait do_idle", "__r4k_wait"),
}  # fmt: skip


def kept(words: str) -> str:
    names = words.split()
    return " ".join(names[slot] for slot in without_rounds(range(len(names)), names.__getitem__))


@pytest.mark.parametrize("processor", WAYS)
def test_it_is_the_same_whether_the_processor_halted_between_the_interrupts(processor: str) -> None:
    woken, entry, loop, halt = WAYS[processor]
    first, second = f"{entry} ip_rcv ct_idle_exit", f"{entry} free_old_xmit_skbs"
    at_once = f"{woken} {first} {second} {loop} {halt}"
    halted = f"{woken} {first} {loop} ct_idle_enter {halt} {woken} {second} {loop} {halt}"
    assert kept(halted) == kept(at_once) == " ".join(at_once.split())


def test_a_task_that_the_loop_is_left_for_counts() -> None:
    path = "vectors ip_rcv do_idle schedule_idle __schedule run_ksoftirqd vectors do_idle"
    assert kept(path) == path


def test_the_loop_of_a_kernel_with_other_names_stays() -> None:
    path = "vectors ip_rcv new_idle vectors new_idle"
    assert kept(path) == path
