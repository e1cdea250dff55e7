# SPDX-License-Identifier: Apache-2.0
"""The board of a MIPS gateway: no interrupt of its cards is lost for good (image/arch.py)."""

import pytest

from vm.conftest import Booted

# A malta's interrupts that are told by level, of the controller's second half; and lines 10, 11.
LEVELS = "dd if=/dev/port bs=1 skip=1233 count=1 2> /dev/null | od -An -t u1"
SHARED = 1 << 10 - 8 | 1 << 11 - 8


def test_cards_that_share_an_interrupt_are_told_by_its_level(roomy: Booted) -> None:
    """By edges one of them is not told, too rarely to wait for."""
    assert int(roomy.said(LEVELS)) == SHARED


@pytest.mark.long
@pytest.mark.parametrize("stand", ["qemu-mips"], indirect=True)
def test_they_are_told_so_after_a_reset_as_well(booted: Booted) -> None:
    booted.run(booted.lab.restart())
    assert int(booted.said(LEVELS)) == SHARED


def test_an_interrupt_that_the_emulator_lost_is_told_again(roomy: Booted) -> None:
    """The loss itself is too rare to wait for: what ends it ticks."""
    ticks = "grep ' 0:' /proc/interrupts | tr -s ' ' | cut -d ' ' -f 3"
    before = int(roomy.said(ticks))
    roomy.said("sleep 2")
    assert int(roomy.said(ticks)) - before >= 30
