# SPDX-License-Identifier: Apache-2.0
"""An image as OpenWrt's builders publish it, made ready for QEMU.

openwrt-x86-64-generic-{squashfs,ext4}-combined.img.gz   a disk: partitions, GRUB, kernel, root
openwrt-malta-le-vmlinux-initramfs.elf                   a kernel with its root file system in it
"""

import zlib
from pathlib import Path
from typing import Final

from gatemark.error import UsageError
from gatemark.station.image.cache import kept, sha256
from gatemark.store import xdg

DISKS: Final = (".img", ".img.gz")
COMPRESSED: Final = ".gz"
GZIP: Final = zlib.MAX_WBITS | 16  # a gzip member: what sysupgrade appends behind it is left
PIECE_BYTES: Final = 1 << 20
DISK: Final = "disk"


def is_disk(path: Path) -> bool:
    """Return whether it is of a disk; else it is a kernel's."""
    return path.name.endswith(DISKS)


def unpacked(path: Path) -> Path:
    """The disk itself, kept by what is in it. Raises UsageError where it is no whole archive."""
    if not path.name.endswith(COMPRESSED):
        return path

    def fill(place: Path) -> None:
        unpack = zlib.decompressobj(GZIP)
        try:
            with path.open("rb") as archive, (place / DISK).open("wb") as disk:
                while not unpack.eof and (piece := archive.read(PIECE_BYTES)):
                    disk.write(unpack.decompress(piece))
        except zlib.error as error:
            raise UsageError(f"{path}: cannot be unpacked: {error}") from None
        if not unpack.eof:
            raise UsageError(f"{path}: ends too early: download it again")

    return kept(xdg.cache() / "image" / f"openwrt-disk-{sha256(path)[:12]}", fill) / DISK
