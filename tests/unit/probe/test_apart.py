# SPDX-License-Identifier: Apache-2.0
"""What of a guest's instructions is none of a packet's."""

from pathlib import Path

import pytest
from counts import counts

from gatemark.probe.apart import Apart
from gatemark.probe.symbols import Symbols
from gatemark.station.counter import Counter

NARROW = Symbols(["80100000 T ip_rcv", "80e00000 T _einittext", "c0000000 t nft_do_chain [nft]"])
WIDE = Symbols(["ffffffff80100000 T ip_rcv", "ffffffff80e00000 T _einittext"])

RUN, MODULE = (0x80100000, 5, 3), (0xC0000000, 7, 2)
REFILL, GENERAL, INTERRUPT = (0x811D4000, 23, 4), (0x811D4180, 7, 9), (0x811D4200, 2, 1)
PROGRAM = (0x400000, 11, 1)


def apart(folder: Path, symbols: Symbols, *blocks: tuple[int, int, int], programs: bool) -> Apart:
    return Apart(Counter(counts(folder, blocks)), symbols, programs=programs)


def test_the_handler_at_the_beginning_of_the_vectors_is_apart(tmp_path: Path) -> None:
    found = apart(tmp_path, NARROW, RUN, MODULE, REFILL, GENERAL, INTERRUPT, programs=False)
    assert found.instructions == found.refills == 4 * 23
    assert [slot in found for slot in range(5)] == [False, False, True, False, False]


@pytest.mark.parametrize(("programs", "wanted"), [(False, 4 * 23), (True, 4 * 23 + 11)])
def test_a_program_is_apart_where_it_is_an_end(
    *, programs: bool, wanted: int, tmp_path: Path
) -> None:
    found = apart(tmp_path, NARROW, REFILL, GENERAL, PROGRAM, programs=programs)
    assert (found.instructions, found.refills) == (wanted, 4 * 23)


def test_code_without_a_name_elsewhere_is_the_packets(tmp_path: Path) -> None:
    assert apart(tmp_path, NARROW, REFILL, RUN, programs=False).instructions == 0


def test_another_processor_refills_without_instructions(tmp_path: Path) -> None:
    wide = [(0xFFFFFFFF00000000 | at, length, runs) for at, length, runs in (REFILL, GENERAL)]
    assert apart(tmp_path, WIDE, *wide, programs=True).instructions == 0
