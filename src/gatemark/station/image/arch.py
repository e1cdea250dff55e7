# SPDX-License-Identifier: Apache-2.0
"""Processors of virtual gateways: the names that the distribution, QEMU and the guest have."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Arch:
    """One processor, on one board of QEMU's."""

    name: str  # as `uname -m` of its guest says
    debian: str  # as the distribution calls it
    kernel: str  # the package that a station has where its file names none
    emulator: str  # QEMU's program
    package: str  # what brings that program
    board: tuple[str, ...]  # QEMU's options
    console: str
    memory_mib: int  # enough for our image, and what boards of its time had
    nics: tuple[str, ...]  # kinds of network card that it can have; the first is the default
    host: str  # `uname -m` of machines where KVM may run it
    target: str  # as zig calls it, with the distribution's C library
    cpu: str = ""  # and the core, where it is not the least of its kind
    # Data caches that a counted program is given, L1:L2, each BYTES/WAYS/LINE (counter/region.h).
    data: str = ""
    append: str = ""  # words for any kernel
    settled: tuple[tuple[int, int], ...] = ()  # I/O ports and the bytes written there once it is up


# Two ways in which a malta of QEMU 7.2 loses an interrupt, and its cards stand still for good:
#
# - Cards that share a line of the interrupt controller hold it up in turn. On a board the firmware
#   has told the controller to look at levels; without it an edge is waited for that never comes.
#   So lines 10 and 11, those of PCI, become levels (ELCR).
# - The controller raises the processor's line just as that sets its timer: cpu_mips_store_compare()
#   of target/mips changes Cause without a lock. What waits then waits until the controller has
#   anything else to tell. So the board's timer, which nobody uses, ticks 18 times a second: channel
#   0, mode 2, every 65 536th of its 1 193 182 Hz.
MALTA: Final = ((0x4D1, 0x0C), (0x43, 0x34), (0x40, 0), (0x40, 0))

ARCHES: Final = {
    "x86_64": Arch(
        name="x86_64",
        debian="amd64",
        kernel="linux-image-cloud-amd64",
        emulator="qemu-system-x86_64",
        package="qemu-system-x86",
        board=("-machine", "q35"),
        console="ttyS0",
        memory_mib=192,
        nics=("virtio", "e1000"),
        host="x86_64",
        target="x86_64-linux-gnu",
        data="32768/8/64:1048576/16/64",
        # Where the machine below is busy the kernel finds two clocks apart, blames this one, and
        # goes on with one that an emulator is slow to read, by a path of other length.
        append="tsc=reliable",
    ),
    # The 24Kc is the core of the studies' boards: Atheros AR7161, AR9132, BCM5352's kin.
    "mipsel": Arch(
        name="mips",
        debian="mipsel",
        kernel="linux-image-4kc-malta",
        emulator="qemu-system-mipsel",
        package="qemu-system-mips",
        board=("-machine", "malta", "-cpu", "24Kc"),
        console="ttyS0",
        memory_mib=64,
        nics=("virtio", "pcnet", "e1000"),
        host="",
        target="mipsel-linux-gnueabihf",  # a 24Kc has no such unit: its kernel does the sums
        cpu="-mcpu=mips32r2",
        data="32768/4/32",  # an AR7161's: it has no second level
        # A 4kc-malta of 16 MiB moves itself up by as much as 32 MiB, one boot in thirty onto the
        # initramfs that QEMU put below the end of 64 MiB. Kernels of boards stay where they are.
        append="nokaslr",
        settled=MALTA,
    ),
    "aarch64": Arch(
        name="aarch64",
        debian="arm64",
        kernel="linux-image-cloud-arm64",
        emulator="qemu-system-aarch64",
        package="qemu-system-arm",
        board=("-machine", "virt", "-cpu", "cortex-a53"),
        console="ttyAMA0",
        memory_mib=128,
        nics=("virtio", "e1000"),
        host="aarch64",
        target="aarch64-linux-gnu",
        data="32768/4/64:524288/16/64",  # a Cortex-A53 as boards have it
    ),
}
