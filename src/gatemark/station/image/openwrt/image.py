# SPDX-License-Identifier: Apache-2.0
"""The image of OpenWrt's own userland on the distribution's kernel: made once, found by stations.

The kernel, its modules, busybox, dropbear, nft and ip are the distribution's, as in our own image
(`build.py`). OpenWrt's are procd as PID 1, ubus, uci, netifd, ucode, firewall4, all init scripts.
"""

import hashlib
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Final

from gatemark import scratch
from gatemark.error import UnavailableError
from gatemark.station.image import build, cpio, elf, sandbox
from gatemark.station.image.arch import ARCHES, Arch
from gatemark.station.image.build import Image, Parts
from gatemark.station.image.cache import SUMS, kept, sha256, sound
from gatemark.station.image.openwrt import files, sources, userland
from gatemark.station.image.package import packages
from gatemark.store import xdg

NAME: Final = "openwrt"
# util-linux has flock(1), without which `fw4 reload` does nothing and says nothing.
PACKAGES: Final = (*build.PACKAGES, "libjson-c-dev", "util-linux")
FLOCK: Final = "usr/bin/flock"
# Of our own image, and not of OpenWrt's: it starts otherwise.
LEFT_OUT: Final = ("init", "etc/rc", "etc/inittab", "etc/passwd", "root")
HOST_KEY: Final = "etc/dropbear/dropbear_ed25519_host_key"  # where its dropbear looks for one
FORMAT: Final = "3"  # a new number where the same parts are put together otherwise
REVISIONS: Final = "revisions"


def make(
    arch: Arch, folder: Path, announce: Callable[[str], None], agreed: Collection[str] = ()
) -> Path:
    """Build the image from the sources in `folder`, where it is not there; the place it is kept at.

    `agreed`: the SHA-256 of archives that Gatemark does not know. Raises UsageError if sources are
    missing or not known, UnavailableError if tools or packages are.
    """
    with scratch.folder() as own:
        return _made(arch, sources.taken(folder, own, agreed), announce)


def _made(arch: Arch, parts: Mapping[str, Path], announce: Callable[[str], None]) -> Path:
    source = packages(arch.debian, arch.kernel, PACKAGES, announce)
    compiled = userland.compiled(arch, parts, source, announce)
    sums = [f"{path.name} {sha256(path)}" for path in parts.values()]
    recipe = "\0".join((_recipe(), (source / SUMS).read_text(), sha256(compiled), *sums))
    key = hashlib.sha256(recipe.encode()).hexdigest()[:12]

    def fill(place: Path) -> None:
        announce(f"building the image of OpenWrt for {arch.debian}'s virtual gateway")
        with scratch.folder() as unpacked:
            sandbox.give(unpacked)
            for name in parts.keys() & {sources.FOLDERS, sources.SCRIPTS, "netifd", sources.SQM}:
                sources.unpack(parts[name], unpacked)
            copied = files.copied(unpacked, arch, parts)
        from_packages = build.parts_of(source, _wanted)
        (place / "kernel").write_bytes(from_packages.kernel)
        tree = _tree(from_packages, compiled, copied)
        (place / "initramfs").write_bytes(cpio.archive(tree))
        (place / REVISIONS).write_text(sources.revisions(parts))

    place = kept(xdg.cache() / "image" / f"{NAME}-{arch.debian}-{key}", fill)
    _newest(arch).write_text(f"{place.name} {_recipe()}\n")
    return place


def _recipe() -> str:
    """The sum of what is ours in an image; with it a station knows one of another version."""
    shims = (files.shim(name) for name in files.SHIMS)
    parts = "\0".join((FORMAT, build.FORMAT, *build.MODULES, *shims))
    return hashlib.sha256(parts.encode()).hexdigest()[:12]


def command(arch: Arch) -> str:
    """Return the command that makes an image for a processor."""
    name = next(name for name, known in ARCHES.items() if known is arch)
    return f"gatemark station image {NAME} --arch {name} --sources DIR"


def image(arch: Arch) -> Image:
    """The image that was made last. Raises UnavailableError with the command that makes one."""
    fix = f"{command(arch)} builds it"
    try:
        made, _, recipe = _newest(arch).read_text().strip().partition(" ")
    except OSError:
        raise UnavailableError(f"no image of OpenWrt for {arch.debian} here: {fix}") from None
    place = _newest(arch).parent / made
    if recipe != _recipe():
        raise UnavailableError(f"{place}: built by another version of Gatemark: {fix} again")
    if not sound(place):
        raise UnavailableError(f"{place}: this image was changed or is not whole: {fix} again")
    return Image(place / "kernel", place / "initramfs")


def _newest(arch: Arch) -> Path:
    return xdg.cache() / "image" / f"{NAME}-{arch.debian}"


def _wanted(path: str) -> bool:
    return build.ordinary(path) or path == FLOCK


def _tree(parts: Parts, compiled: Path, copied: dict[str, cpio.Entry]) -> dict[str, cpio.Entry]:
    """The root file system; what OpenWrt has itself wins over the distribution's."""
    tree = {path: entry for path, entry in build.tree(parts).items() if path not in LEFT_OUT}
    own: dict[str, cpio.Entry] = {}
    for path, data in files.compiled(compiled):
        parts.take(path, data)
        own[path] = cpio.link(data) if isinstance(data, str) else cpio.program(data)
    programs = [entry.data for entry in own.values() if entry.data.startswith(elf.MAGIC)]
    programs.append(parts.files[FLOCK])
    linked = build.libraries(parts, programs)
    return tree | linked | own | {FLOCK: cpio.program(parts.files[FLOCK])} | copied
