# SPDX-License-Identifier: Apache-2.0
"""A host's processor, from the first bytes of any program that it runs (elf(5))."""

from typing import Final, Literal

from gatemark.error import UnavailableError

HEADER_BYTES = 64  # of the 64-bit kind; the 32-bit one is shorter

Order = Literal["little", "big"]
ORDERS: Final[dict[int, Order]] = {1: "little", 2: "big"}  # EI_DATA
BITS: Final = {1: 32, 2: 64}  # EI_CLASS

# (e_machine, word length, byte order) -> the agent's name for it
ARCHS: Final[dict[tuple[int, int, Order], str]] = {
    (62, 64, "little"): "x86_64",
    (183, 64, "little"): "aarch64",
    (40, 32, "little"): "armv7",
    (8, 32, "big"): "mips",
    (8, 32, "little"): "mipsel",
}
TARGETS: Final = tuple(ARCHS.values())

# What else one may meet, by name: the message is then of use.
OTHERS: Final = {3: "x86", 8: "MIPS", 20: "PowerPC", 40: "ARM", 243: "RISC-V", 258: "LoongArch"}


def arch(header: bytes) -> str:
    """The agent that runs where a program of this header runs. Raises UnavailableError.

    A header does not tell an ARMv7 from an older ARM, nor a MIPS from its older kinds: whether the
    agent runs there is known when it has been started once.
    """
    if len(header) < 20 or header[:4] != b"\x7fELF":
        raise UnavailableError(f"its programs are no ELF files: {_supported()}")
    bits, order = BITS.get(header[4], 0), ORDERS.get(header[5], "little")
    machine = int.from_bytes(header[18:20], order)
    if arch := ARCHS.get((machine, bits, order)):
        return arch
    name = OTHERS.get(machine, f"ELF machine {machine}")
    raise UnavailableError(f"its processor is {name}, {bits} bit, {order} endian: {_supported()}")


def _supported() -> str:
    return f"gm-agent is built for {', '.join(TARGETS)}"
