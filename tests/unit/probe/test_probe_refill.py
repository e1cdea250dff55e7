# SPDX-License-Identifier: Apache-2.0
"""Which blocks of a walk are its packet's."""

from pathlib import Path

import pytest
from counts import counts

from gatemark.probe.refill import Sorter
from gatemark.station.counter import Counter
from gatemark.station.symbols import Symbols

NARROW = Symbols(["80100000 T ip_rcv", "80e00000 T _einittext", "c0000000 t nft_do_chain [nft]"])
WIDE = Symbols(["ffffffff80100000 T ip_rcv", "ffffffff80e00000 T _einittext"])

# Slots, in this order: what the packet runs, a block of a module and the rest of it, the vectors, a
# program, and a copy of the vectors that the boot loader had.
RUN, MODULE, REST, REFILL, GENERAL, INTERRUPT, PROGRAM, OTHER = range(8)
BLOCKS = (
    *((0x80100000, 5, 1), (0xC0000000, 7, 1), (0xC0000010, 3, 1)),
    *((0x811D4000, 23, 1), (0x811D4180, 7, 1), (0x811D4200, 2, 1)),
    *((0x400000, 11, 1), (0x810F0000, 4, 1)),
)


def sorter(folder: Path, symbols: Symbols = NARROW, *, programs: bool = False) -> Sorter:
    wide = 0xFFFFFFFF00000000 if symbols is WIDE else 0
    return Sorter(
        Counter(counts(folder, [(wide | at, length, runs) for at, length, runs in BLOCKS])),
        symbols,
        programs=programs,
    )


def test_the_handler_at_the_beginning_of_the_vectors_is_no_packets(tmp_path: Path) -> None:
    path = [INTERRUPT, RUN, REFILL, GENERAL, REFILL, OTHER]
    assert sorter(tmp_path).own(path) == ([INTERRUPT, RUN, GENERAL, OTHER], 2 * 23)


def test_the_rest_of_an_interrupted_block_counts_once(tmp_path: Path) -> None:
    assert sorter(tmp_path).own([RUN, MODULE, REFILL, REST, RUN]) == ([RUN, MODULE, RUN], 23)


def test_a_block_that_is_interrupted_twice_counts_once(tmp_path: Path) -> None:
    path = [MODULE, REFILL, MODULE, REFILL, REST]
    assert sorter(tmp_path).own(path) == ([MODULE], 2 * 23)


def test_what_is_jumped_into_without_a_refill_counts(tmp_path: Path) -> None:
    assert sorter(tmp_path).own([MODULE, REST]) == ([MODULE, REST], 0)


def test_another_block_after_a_refill_counts(tmp_path: Path) -> None:
    assert sorter(tmp_path).own([RUN, REFILL, MODULE]) == ([RUN, MODULE], 23)


@pytest.mark.parametrize(("programs", "wanted"), [(False, [RUN, PROGRAM]), (True, [RUN])])
def test_a_program_is_left_out_where_it_is_an_end(
    *, programs: bool, wanted: list[int], tmp_path: Path
) -> None:
    assert sorter(tmp_path, programs=programs).own([RUN, PROGRAM]) == (wanted, 0)


def test_another_processor_refills_without_instructions(tmp_path: Path) -> None:
    path = [RUN, REFILL, GENERAL]
    assert sorter(tmp_path, WIDE).own(path) == (path, 0)
