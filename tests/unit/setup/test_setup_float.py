# SPDX-License-Identifier: Apache-2.0
"""A MIPS box has no unit for floats: what is built for one computes them by itself.

zig 0.13 takes that of the processor's flags, 0.17 of the target's name, and each drops the other in
silence; the header's flags are the same either way.
"""

import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long
COMPILER = Path(__file__).resolve().parents[3] / "setup" / "compiler.mk"
SOFT = 3  # Val_GNU_MIPS_ABI_FP_SOFT
ABI_FLAGS = 0x7000002A  # SHT_MIPS_ABIFLAGS


def float_abi(elf: bytes) -> int:
    """The `fp_abi` of a 32-bit ELF file's .MIPS.abiflags."""
    order = "<" if elf[5] == 1 else ">"
    headers, entry, count = struct.unpack_from(f"{order}I", elf, 0x20) + struct.unpack_from(
        f"{order}HH", elf, 0x2E
    )
    for number in range(count):
        kind, _, _, offset = struct.unpack_from(f"{order}4I", elf, headers + number * entry + 4)
        if kind == ABI_FLAGS:
            return int(elf[offset + 7])
    raise AssertionError("no .MIPS.abiflags")


@pytest.mark.parametrize("arch", ["mips", "mipsel"])
def test_floats_are_soft_for_a_mips(arch: str, tmp_path: Path) -> None:
    target = re.search(rf"^target_{arch} := (\S+)$", COMPILER.read_text(), re.MULTILINE)
    assert target
    source, made = tmp_path / "half.c", tmp_path / "half.o"
    source.write_text("double half(double whole) { return whole / 2; }\n")
    words = ["cc", "-target", target[1], "-c", str(source), "-o", str(made)]
    subprocess.run([sys.executable, "-m", "ziglang", *words], check=True)
    assert float_abi(made.read_bytes()) == SOFT
