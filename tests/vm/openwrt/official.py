# SPDX-License-Identifier: Apache-2.0
"""A disk of our own build of OpenWrt, laid out as its builders lay out theirs for x86-64.

    sector 0         GRUB's first stage, and the partition table
    sector 1         GRUB, up to the first partition
    256 KiB          ext4, 32 MiB: /boot/vmlinuz, /boot/initrd and /boot/grub/grub.cfg
    32.25 MiB        the root file system: ext4, or squashfs with the space for changes behind it

Two things are not theirs. The distribution's kernel has drivers of disks as modules, so an initrd
loads them and mounts the root; it is also larger than theirs, whose first partition has 16 MiB.
And what our image adds for a virtual gateway is left out: this one knows nothing of the laboratory,
as theirs do not.
"""

import gzip
import os
import stat
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

from gatemark.station.image import build, cpio
from gatemark.station.image.arch import ARCHES
from gatemark.station.image.module import SUFFIXES, depends, indexes, ordered
from gatemark.station.image.openwrt.image import PACKAGES, image
from gatemark.station.image.package import files, packages

Kind = Literal["ext4", "squashfs"]
SECTOR: Final = 512
FIRST: Final = 512  # sectors
KERNEL_SECTORS: Final = 32 << 11
ROOT_SECTORS: Final = 104 << 11
ALIGNED: Final = 64 << 10  # where the space for changes begins behind a squashfs
SIGNATURE: Final = 0x6F77_7274
TABLE, ROW, SIGNED = 0x1BE, 16, 0x1FE  # of a boot sector, in bytes: its table, a row, its mark
TOOLS: Final = ("grub-common", "grub-pc-bin", "squashfs-tools")
MODULES: Final = ("virtio_pci", "virtio_blk", "ext4", "squashfs", "overlay", "loop")
GRUB_MODULES: Final = (
    *("biosdisk", "part_msdos", "ext2", "linux", "normal", "configfile", "boot", "serial"),
    *("terminal", "minicmd"),
)
OURS: Final = ("init", "etc/board.d/10_gatemark", "etc/uci-defaults/90_gatemark", "etc/rc.local")
GRUB_CFG: Final = """serial --unit=0 --speed=115200 --word=8 --parity=no --stop=1
terminal_input console serial; terminal_output console serial
set default="0"
set timeout="1"
set root='(hd0,msdos1)'
menuentry "OpenWrt" {{
	linux /boot/vmlinuz root=PARTUUID={signature:08x}-02 rootwait console=tty0 \\
		console=ttyS0,115200n8 quiet
	initrd /boot/initrd
}}
"""
INIT: Final = """#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t devtmpfs dev /dev; mount -t proc proc /proc; mount -t sysfs sys /sys
for module in {modules}; do modprobe $module; done
until [ -b /dev/vda2 ]; do sleep 1; done
mkdir -p /rom /overlay /new
if [ {behind} = 0 ]; then
  mount -t ext4 /dev/vda2 /new
else
  mount -t squashfs -o ro /dev/vda2 /rom
  losetup -o {behind} /dev/loop0 /dev/vda2
  mount -t ext4 /dev/loop0 /overlay
  mkdir -p /overlay/upper /overlay/work
  mount -t overlay -o lowerdir=/rom,upperdir=/overlay/upper,workdir=/overlay/work overlay /new
fi
chroot /new /bin/busybox --install -s
umount /dev /proc /sys
exec switch_root /new /etc/preinit
"""


def disk(folder: Path, kind: Kind) -> Path:
    """A compressed image of a disk, in `folder`."""
    arch = ARCHES["x86_64"]
    tools = _tools(folder)
    made = image(arch)
    tree = dict(_members(made.initramfs.read_bytes()))
    root = {path: entry for path, entry in tree.items() if path not in OURS}
    root["etc/rc.local"] = cpio.file(b"exit 0\n")
    _lay(folder / "root", root)
    place = folder / "rootfs"
    behind = _root(place, folder / "root", kind, tools)
    boot = folder / "boot"
    (boot / "boot/grub").mkdir(parents=True)
    (boot / "boot/vmlinuz").write_bytes(made.kernel.read_bytes())
    (boot / "boot/initrd").write_bytes(cpio.archive(_initrd(tree, behind)))
    (boot / "boot/grub/grub.cfg").write_text(GRUB_CFG.format(signature=SIGNATURE))
    _ext4(folder / "kernelfs", boot, KERNEL_SECTORS)
    whole = bytearray((FIRST + KERNEL_SECTORS + ROOT_SECTORS) * SECTOR)
    _start(whole, folder, tools)
    for at, part in ((FIRST, "kernelfs"), (FIRST + KERNEL_SECTORS, "rootfs")):
        data = (folder / part).read_bytes()
        whole[at * SECTOR : at * SECTOR + len(data)] = data
    compressed = folder / f"openwrt-x86-64-generic-{kind}-combined.img.gz"
    # Theirs have a signature behind the archive, which gzip calls trailing garbage.
    compressed.write_bytes(gzip.compress(bytes(whole), 1) + b"FWx0" * 4)
    return compressed


def _tools(folder: Path) -> Path:
    """GRUB's and squashfs's, unpacked and not installed."""
    arch, place = ARCHES["x86_64"], folder / "tools"
    for package in packages(arch.debian, arch.kernel, TOOLS, print).glob("*.deb"):
        if not package.name.startswith("linux-image"):
            subprocess.run(["dpkg-deb", "-x", str(package), str(place)], check=True)
    return place


def _members(archive: bytes) -> Iterator[tuple[str, cpio.Entry]]:
    """What is in an archive of format newc."""
    at = 0
    while True:
        words = [int(archive[at + 6 + n * 8 : at + 14 + n * 8], 16) for n in range(13)]
        mode, size, device, length = words[1], words[6], (words[9], words[10]), words[11]
        name = archive[at + 110 : at + 110 + length - 1].decode()
        data = _padded(at + 110 + length)
        if name == cpio.LAST:
            return
        yield name, cpio.Entry(mode, archive[data : data + size], device)
        at = _padded(data + size)


def _padded(number: int) -> int:
    return number + -number % cpio.ALIGNED


def _lay(place: Path, tree: cpio.Tree) -> None:
    for path, entry in sorted(tree.items()):
        inner = place / path
        inner.parent.mkdir(parents=True, exist_ok=True)
        if stat.S_ISDIR(entry.mode):
            inner.mkdir(exist_ok=True)
        elif stat.S_ISLNK(entry.mode):
            inner.symlink_to(entry.data.decode())
        elif stat.S_ISCHR(entry.mode):
            os.mknod(inner, entry.mode, os.makedev(*entry.device))
        else:
            inner.write_bytes(entry.data)
        if not stat.S_ISLNK(entry.mode):
            inner.chmod(stat.S_IMODE(entry.mode))


def _root(place: Path, tree: Path, kind: Kind, tools: Path) -> int:
    """Make the root file system; where the space for changes begins, 0 if all of it is."""
    if kind == "ext4":
        _ext4(place, tree, ROOT_SECTORS)
        return 0
    libraries = tools / "usr/lib/x86_64-linux-gnu"
    subprocess.run(
        [tools / "usr/bin/mksquashfs", tree, place, "-comp", "xz", "-noappend", "-quiet"],
        check=True,
        env=os.environ | {"LD_LIBRARY_PATH": f"{libraries}:{tools}/lib/x86_64-linux-gnu"},
        stdout=subprocess.DEVNULL,
    )
    data = place.read_bytes()
    (used,) = struct.unpack_from("<Q", data, 40)
    behind: int = used + -used % ALIGNED
    empty = tree.parent / "empty"
    empty.mkdir()
    _ext4(tree.parent / "changes", empty, ROOT_SECTORS - behind // SECTOR)
    place.write_bytes(data[:used].ljust(behind, b"\0") + (tree.parent / "changes").read_bytes())
    return behind


def _ext4(place: Path, tree: Path, sectors: int) -> None:
    command = ["mkfs.ext4", "-q", "-F", "-d", str(tree), str(place), f"{sectors // 2}k"]
    subprocess.run(command, check=True)


def _initrd(tree: cpio.Tree, behind: int) -> cpio.Tree:
    """Busybox with its libraries, the modules of a disk, and what mounts the root."""
    arch = ARCHES["x86_64"]
    source = packages(arch.debian, arch.kernel, PACKAGES, print)
    parts = build.Parts()
    for path, data in files(next(source.glob("linux-image-*.deb")), _is_module):
        parts.take(path, data)
    there = {name: parts.modules[name] for name in ordered(depends(parts.modules), MODULES)}
    folder = next(iter(there.values())).path.partition("/kernel/")[0]
    texts = indexes(there, folder)
    init = INIT.format(modules=" ".join(MODULES), behind=behind)
    return {
        "init": cpio.program(init.encode()),
        "bin/busybox": tree["bin/busybox"],
        "bin/sh": cpio.link("busybox"),
        "dev/console": cpio.node(5, 1),
        **{name: cpio.folder() for name in ("dev", "proc", "sys")},
        **{path: its for path, its in tree.items() if path.startswith("lib") and ".so" in path},
        **{module.path: cpio.file(module.data) for module in there.values()},
        **{f"{folder}/{name}": cpio.file(text.encode()) for name, text in texts.items()},
    }


def _is_module(path: str) -> bool:
    return path.endswith(SUFFIXES)


def _start(whole: bytearray, folder: Path, tools: Path) -> None:
    """GRUB in front of the first partition, and the table of both."""
    grub, core = tools / "usr/lib/grub/i386-pc", folder / "core.img"
    command = [str(tools / "usr/bin/grub-mkimage"), "-d", str(grub), "-O", "i386-pc"]
    command += ["-o", str(core), "-p", "(hd0,msdos1)/boot/grub", *GRUB_MODULES]
    subprocess.run(command, check=True)
    first, rest = (grub / "boot.img").read_bytes(), core.read_bytes()
    assert len(rest) < (FIRST - 1) * SECTOR
    whole[: len(first)] = first
    whole[TABLE:SIGNED] = bytes(SIGNED - TABLE)  # GRUB's own has code there, for floppy disks
    whole[SECTOR : SECTOR + len(rest)] = rest
    struct.pack_into("<I", whole, 0x1B8, SIGNATURE)
    parts = ((FIRST, KERNEL_SECTORS, 0x80), (FIRST + KERNEL_SECTORS, ROOT_SECTORS, 0))
    for at, (start, sectors, flag) in enumerate(parts):
        row = struct.pack("<B3sB3sII", flag, b"\xfe\xff\xff", 0x83, b"\xfe\xff\xff", start, sectors)
        whole[TABLE + at * ROW : TABLE + (at + 1) * ROW] = row
    whole[SIGNED:SECTOR] = b"\x55\xaa"
