# SPDX-License-Identifier: Apache-2.0
"""The plugin in the real emulator, on a program so short that all its counts are made by hand.

It is a board's firmware: it jumps from the uncached segment, where a MIPS core begins, to the same
memory by its cached address, fills 64 lines of a cache that holds 32, and halts.
"""

import shutil
import struct
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gatemark.station.counter import Counter
from gatemark.station.plugin import plugin

EMULATOR = "qemu-system-mipsel"
USERS_EMULATOR = "qemu-x86_64"
is_there = pytest.mark.skipif(not shutil.which(EMULATOR), reason=f"no {EMULATOR}")

PROGRAM = (
    0x3C089FC0,  # bfc00000  lui   t0, 0x9fc0
    0x35080010,  #       04  ori   t0, t0, 0x10
    0x01000008,  #       08  jr    t0
    0x00000000,  #       0c  nop
    0x3C098000,  # 9fc00010  lui   t1, 0x8000
    0x35291000,  #       14  ori   t1, t1, 0x1000
    0x240A0040,  #       18  addiu t2, zero, 64
    0xAD200000,  #       1c  sw    zero, 0(t1)
    0x8D2B0000,  #       20  lw    t3, 0(t1)
    0x254AFFFF,  #       24  addiu t2, t2, -1
    0x1540FFFC,  #       28  bne   t2, zero, 1c
    0x25290020,  #       2c  addiu t1, t1, 32
    0x3C0CA000,  #       30  lui   t4, 0xa000
    0x8D8D1000,  #       34  lw    t5, 0x1000(t4)
    0x716B7002,  #       38  mul   t6, t3, t3
    0x0180001B,  #       3c  divu  t4, zero
    0x42000020,  #       40  wait
    0x1000FFFE,  #       44  b     40
    0x00000000,  #       48  nop
)
# The jump; the loop's first round with what stands before it, 63 more; the end.
INSTRUCTIONS = 4 + 8 + 63 * 5 + 5
CACHES = ("1024/2/32:1024/2/32", "1024/2/32:4096/4/32")
BOOT_S = 30.0


# The same by an address of user space, which is not mapped while a core resets (Status.ERL).
USERS = (0x3C081FC0, *PROGRAM[1:])  # bfc00000  lui   t0, 0x1fc0
EVENTS = {
    "blocks": 66,
    "multiplies": 1,
    "divides": 1,
    "loads": 64,
    "stores": 64,
    "uncached": 1,
}
# Three lines of code; each store fetches a line, and half of them have to go again.
MISSED = {"fetch_misses": 3, "load_misses": 0, "store_misses": 64, "write_backs": 32}


@contextmanager
def counted(tmp_path: Path, program: tuple[int, ...]) -> Iterator[Counter]:
    """A program, when it has halted."""
    firmware, file = tmp_path / "firmware", tmp_path / "counts"
    firmware.write_bytes(struct.pack(f">{len(program)}I", *program))  # QEMU swaps its words
    words = ["-M", "malta", "-cpu", "24Kc", "-bios", str(firmware), "-S", "-monitor", "stdio"]
    words += ["-nodefaults", "-display", "none"]
    caches = "".join(f",cache={pair}" for pair in CACHES)
    command = [EMULATOR, *words, "-plugin", f"{plugin(EMULATOR)},out={file},path=on{caches}"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            counter = _run(process, file)
        finally:
            process.kill()
    yield counter
    counter.close()


def _run(process: "subprocess.Popen[bytes]", file: Path) -> Counter:
    """From when the plugin has made its file until the program has halted."""
    until = time.monotonic() + BOOT_S
    while not file.exists() or not file.read_bytes()[:8].strip(b"\0"):
        assert time.monotonic() < until
        assert process.poll() is None
        time.sleep(0.02)
    counter = Counter(file)
    assert process.stdin
    with counter.model(), counter.window():
        process.stdin.write(b"cont\n")
        process.stdin.flush()
        while counter.total < INSTRUCTIONS and time.monotonic() < until:
            time.sleep(0.02)
        time.sleep(0.1)  # for what it should not run
    return counter


@is_there
def test_every_instruction_access_and_miss_is_counted_once(tmp_path: Path) -> None:
    with counted(tmp_path, PROGRAM) as counter:
        assert counter.total == INSTRUCTIONS
        assert counter.events == EVENTS
        assert counter.misses(0) == MISSED
        assert counter.misses(1) == MISSED | {"write_backs": 0}
        path = [counter.block(slot) for slot in counter.path()]
    assert [(block.address & 0xFFFFFFFF, block.length) for block in path[:3]] == [
        (0xBFC00000, 4),
        (0x9FC00010, 8),
        (0x9FC0001C, 5),
    ]
    assert len(path) == 66


@pytest.mark.long
@is_there
def test_blocks_that_share_a_slot_go_through_the_caches_by_their_own_address(
    tmp_path: Path,
) -> None:
    with counted(tmp_path, USERS) as counter:
        path = [counter.block(slot).address for slot in counter.path()]
        assert set(path[1:]) == {0}  # all that is of user space
        assert (counter.total, counter.events) == (INSTRUCTIONS, EVENTS)
        assert counter.misses(0) == MISSED


# A cell of each line of 128 KiB, twice, marked the second time; then twice a cell of 16 KiB.
WALK = """
#include <stdint.h>
#include <sys/mman.h>
static volatile uint8_t cells[1 << 17] __attribute__((aligned(4096)));
static inline void walk(unsigned bytes) { for (unsigned i = 0; i < bytes; i += 64) (void)cells[i]; }
int main(void)
{
	volatile uint32_t *marks = mmap((void *)0x5a000000, 4096, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	marks[0] = 1;
	marks[512] = 1;
	walk(LARGE); marks[0] = 1; walk(LARGE); marks[512] = 1;
	walk(SMALL); marks[0] = 1; walk(SMALL); marks[512] = 1;
	return 0;
}
"""
LARGE, SMALL, LINE = 1 << 17, 1 << 14, 64


@pytest.mark.long
@is_there
@pytest.mark.skipif(not shutil.which(USERS_EMULATOR), reason=f"no {USERS_EMULATOR}")
def test_a_programs_marked_region_misses_what_does_not_fit(tmp_path: Path) -> None:
    source, program, file = tmp_path / "walk.c", tmp_path / "walk", tmp_path / "counts"
    source.write_text(WALK)
    sizes = (f"-DLARGE={LARGE}", f"-DSMALL={SMALL}")
    subprocess.run(["cc", "-O2", "-static", *sizes, str(source), "-o", str(program)], check=True)
    words = f"{plugin(EMULATOR)},out={file},data=32768/8/64:1048576/16/64"
    subprocess.run([USERS_EMULATOR, "-plugin", words, str(program)], check=True)
    counter = Counter(file)
    region = counter.region()
    counter.close()
    assert region["open"] == 0
    assert region["accesses"] == (LARGE + SMALL) // LINE
    # All of what is larger than the first level goes before it is asked for again.
    assert (region["l1_misses"], region["l2_misses"]) == (LARGE // LINE, 0)
