# SPDX-License-Identifier: Apache-2.0
"""The parts of a virtual machine: the keys of a station file's [gateway], kind `qemu`.

A kernel is a package of the distribution, with an initramfs that we build, or a file of the user's.
An image of the user's own, `initramfs` or `disk`, says how one gets into it, as a box does; its
first network card is the control port.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final

from gatemark.error import UsageError
from gatemark.node import checked
from gatemark.node.remote.login import KEYS as LOGIN_KEYS
from gatemark.node.remote.login import Login, login
from gatemark.plan.toml import line_of, nearest, refuse_unknown_keys
from gatemark.station.image.arch import ARCHES, Arch
from gatemark.station.image.openwrt.official import is_disk
from gatemark.station.mode import Mode

TABLE: Final = "gateway"
IMAGE_KEYS: Final = ("image", "kernel", "release", "initramfs", "disk", "append")
SIZE_KEYS: Final = ("memory_mib", "nic", "cpus", "icount", "boot_s")
KEYS: Final = ("kind", "arch", *IMAGE_KEYS, *SIZE_KEYS, "set", *LOGIN_KEYS)

# What of a `Model` makes its guest another one.
IMAGE: Final = ("package", "release", "kernel", "initramfs", "disk", "append", "image", "official")
SIZE: Final = ("memory_mib", "nic", "cpus", "icount")

# An image by name, of a userland that `gatemark station image` builds; and what it needs.
OPENWRT: Final = "openwrt"
IMAGE_MIB: Final = {OPENWRT: 192}  # its initramfs copies itself while it boots
DISK_ARCH: Final = "x86_64"  # its board has firmware that starts what is on a disk
SETS: Final = (Mode.APPLY, Mode.OPENWRT)

# Debian's kernels for clouds have the driver of one of the cards that a machine can have.
CLOUD: Final = "-cloud-"
VIRTIO: Final = "virtio"
PACKAGE: Final = re.compile(r"[a-z0-9][a-z0-9+.-]+")  # Debian Policy, section 5.6.1
RELEASE: Final = re.compile(r"[a-z]{3,20}")
FULL_MIB: Final = 256  # another one is larger, and its modules are unpacked from memory into memory

# QEMU's `-icount shift=`, its largest; and what boards of its take.
BOUNDS: Final = {
    "memory_mib": (16, 1 << 20),
    "cpus": (1, 64),
    "icount": (0, 10),
    "boot_s": (1, 3600),
}


@dataclass(frozen=True, slots=True)
class Model:
    """One virtual machine."""

    arch: Arch
    package: str  # the kernel's, of which kernel and initramfs are made; "" where they are own
    kernel: Path | None
    initramfs: Path | None
    disk: Path | None  # never written to
    append: str  # more parameters for the kernel
    memory_mib: int
    nic: str
    cpus: int
    icount: int | None  # the guest's clock goes by instructions, of 2**icount ns each
    login: Login | None  # how to get into an image of the user's own
    image: str = ""  # OpenWrt's userland
    official: Path | None = None  # an image of it as its builders publish them; else ours
    boot_s: int | None = None  # longest from its start to SSH; None: as ours takes
    set: Mode = Mode.APPLY
    release: str = ""  # of the distribution, whose kernel it is; "": this machine's own

    @property
    def made_of(self) -> dict[str, str]:
        """Return the facts that make it this machine and no other."""
        values = {name: getattr(self, name) for name in (*IMAGE, *SIZE, "set")}
        made = {name: str(value) for name, value in values.items() if value not in (None, "")}
        return {"arch": self.arch.name} | made

    @property
    def boots_itself(self) -> bool:
        """Return whether a boot loader on its disk starts its kernel, without our words."""
        disk = self.disk or (self.official and is_disk(self.official))
        return bool(disk) and not self.kernel

    @property
    def in_memory(self) -> bool:
        """Return whether what is set at its console is in memory alone, which a reset empties."""
        return bool(self.official) and not self.boots_itself


def model(table: Mapping[str, Any], path: Path) -> Model:
    """From a station file's [gateway]. Raises UsageError with file, line and the fix."""
    refuse_unknown_keys(table, list(KEYS), path, TABLE)
    arch = ARCHES[_choice(table, path, "arch", list(ARCHES), "")]
    own = "initramfs" in table or "disk" in table
    image, official = _image(table, path)
    if image and (own or "kernel" in table):
        raise _wrong(path, "image", f"{image} has a kernel and a file system: leave those out")
    kernel = _text(table, path, "kernel")
    package = "" if own or official else kernel or arch.kernel
    if not own and "/" in kernel:
        raise _wrong(path, "kernel", "a kernel's file needs an `initramfs` or a `disk` beside it")
    if not own and kernel and not PACKAGE.fullmatch(kernel):
        raise _wrong(path, "kernel", f"{checked.shown(kernel)} is no package's name")
    given = sorted({*LOGIN_KEYS} & {*table})
    if given and not own:
        raise _wrong(
            path, given[0], "our own image lets us in: this is for a `disk` or `initramfs`"
        )
    nic = _choice(table, path, "nic", list(arch.nics), arch.nics[0])
    if CLOUD in package and nic != VIRTIO:
        full = f'kernel = "linux-image-{arch.debian}"'
        raise _wrong(path, "nic", f"{package} has no driver for {nic}: write {full} as well")
    return Model(
        arch=arch,
        package=package,
        kernel=_file(table, path, "kernel") if own else None,
        official=official,
        initramfs=_file(table, path, "initramfs"),
        disk=_file(table, path, "disk"),
        append=_text(table, path, "append"),
        memory_mib=_number(table, path, "memory_mib")
        or IMAGE_MIB.get(image, _memory_mib(arch, package)),
        nic=nic,
        cpus=_number(table, path, "cpus") or 1,
        icount=_number(table, path, "icount"),
        login=_login(table, path) if own else None,
        image=image,
        boot_s=_number(table, path, "boot_s"),
        set=_set(table, path),
        release=_release(table, path, package),
    )


def _image(table: Mapping[str, Any], path: Path) -> tuple[str, Path | None]:
    """OpenWrt's userland, if it is asked for, and the image that somebody else built."""
    text = _text(table, path, "image")
    if not text or "." not in text:
        return (_choice(table, path, "image", [OPENWRT], "") if "image" in table else ""), None
    official = _file(table, path, "image")
    if official and is_disk(official) and table.get("arch") != DISK_ARCH:
        raise _wrong(path, "image", f'images of a disk are booted with arch = "{DISK_ARCH}"')
    return OPENWRT, official


def _release(table: Mapping[str, Any], path: Path, package: str) -> str:
    """Return the release whose kernel is booted."""
    release = _text(table, path, "release")
    if release and not package:
        raise _wrong(path, "release", "it is of the distribution's kernel: leave out your own")
    if release and not RELEASE.fullmatch(release):
        raise _wrong(path, "release", f"{checked.shown(release)} is no release: trixie")
    return release


def _set(table: Mapping[str, Any], path: Path) -> Mode:
    """Return who sets it; a virtual gateway has nothing of a user's to be taken as it is."""
    word = table.get("set", Mode.APPLY)
    if word == Mode.OBSERVE:
        raise _wrong(path, "set", "a virtual gateway is set by us: apply, or openwrt")
    return Mode(_choice(table, path, "set", list(SETS), Mode.APPLY))


def _memory_mib(arch: Arch, package: str) -> int:
    """Return the memory of a machine whose file does not say, MiB."""
    full = package and CLOUD in arch.kernel and CLOUD not in package
    return FULL_MIB if full else arch.memory_mib


def _login(table: Mapping[str, Any], path: Path) -> Login:
    if "address" not in table:
        raise _wrong(path, "disk", 'say how to get into it, as address = "root@192.168.1.1"')
    kept_login = login(table, path, TABLE)
    try:
        ip_address(kept_login.address.host)
    except ValueError:
        raise _wrong(path, "address", "a virtual gateway's is a number: root@192.168.1.1") from None
    return kept_login


def _text(table: Mapping[str, Any], path: Path, key: str) -> str:
    value = table.get(key, "")
    if not isinstance(value, str):
        raise _wrong(path, key, f"{key} is a text in quotes")
    return value


def _choice(table: Mapping[str, Any], path: Path, key: str, known: list[str], default: str) -> str:
    value = _text(table, path, key) or default
    if value not in known:
        raise _wrong(path, key, f"no {key} '{value}'{nearest(value, known)}")
    return value


def _file(table: Mapping[str, Any], path: Path, key: str) -> Path | None:
    """A file, sought from the station file's folder."""
    text = _text(table, path, key)
    if not text:
        return None
    file = path.parent / Path(text).expanduser()
    if not file.is_file():
        raise _wrong(path, key, f"{key}: no file {file}")
    return file


def _number(table: Mapping[str, Any], path: Path, key: str) -> int | None:
    if key not in table:
        return None
    value, (least, most) = table[key], BOUNDS[key]
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise _wrong(path, key, f"{key} is a number from {least} to {most}")
    return value


def _wrong(path: Path, key: str, why: str) -> UsageError:
    return UsageError(f"{path}:{line_of(path, key, TABLE, table=TABLE)}: {why}")
