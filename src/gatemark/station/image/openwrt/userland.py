# SPDX-License-Identifier: Apache-2.0
"""OpenWrt's programs and libraries, compiled for this machine's own processor.

cmake, in the order of `sources.BUILT`, each into one stage that the next is built against; no
source is changed. What is not a host's matter is brought along: json-c's headers come out of the
distribution's package, the newest kernel headers out of zig's, which builds our agent.
"""

import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from gatemark.error import UnavailableError
from gatemark.station.image.arch import Arch
from gatemark.station.image.cache import kept, sha256
from gatemark.station.image.openwrt import sources
from gatemark.station.image.package import files
from gatemark.store import xdg

Announce = Callable[[str], None]

# A host's tool -> the distribution's package that brings it.
TOOLS: Final = {"cmake": "cmake", "make": "make", "gcc": "gcc", "pkg-config": "pkg-config"}
JSON_C: Final = ("libjson-c-dev", "libjson-c5")
HEADERS: Final = "lib/libc/include/any-linux-any"  # zig's, of the kernel
NEWER: Final = ("ethtool.h", "ethtool_netlink.h", "ethtool_netlink_generated.h", "typelimits.h")
FORMAT: Final = "1"  # a new number where the same sources are built otherwise
BUILD_S: Final = 1800.0  # of one step on a machine that is busy
WORD_SHOWN: Final = 300  # characters of a compiler's complaint
TAR: Final = "userland.tar"
STAGE: Final = "stage/usr"
COMMON: Final = (
    *("-DBUILD_LUA=OFF", "-DUNIT_TESTING=OFF", "-DBUILD_EXAMPLES=OFF"),
    # The folder that it is built in is in no file of it.
    *("-DCMAKE_INSTALL_PREFIX=/usr", "-DCMAKE_INSTALL_LIBDIR=lib", "-DCMAKE_SKIP_INSTALL_RPATH=ON"),
)
OWN: Final = {
    "ucode": (
        "-DLIB_SEARCH_PATH=/usr/lib/ucode/*.so:/usr/share/ucode/*.uc:./*.so:./*.uc",
        # Libraries that this machine may have by chance, and no image needs.
        *("-DZLIB_SUPPORT=OFF", "-DDIGEST_SUPPORT=OFF", "-DDIGEST_SUPPORT_EXTENDED=OFF"),
        "-DNL80211_SUPPORT=OFF",
    ),
    "netifd": ("-DLIBNL_LIBS=-lnl-tiny", "-DDEBUG=1"),
}
# These find their sources beside what is built only.
IN_SOURCE: Final = ("netifd", "procd", "ubox", "jsonpath")
# glibc has strlcpy(3) from 2.38 on, musl always. It is static, so a later declaration agrees.
STRLCPY: Final = """static inline __attribute__((unused)) unsigned long
strlcpy(char *to, const char *from, unsigned long size)
{
	unsigned long length = __builtin_strlen(from);
	unsigned long taken = size && length >= size ? size - 1 : length;
	if (size) {
		__builtin_memcpy(to, from, taken);
		to[taken] = 0;
	}
	return length;
}
"""
JSON_C_PC: Final = """prefix={stage}
Name: json-c
Description: JSON
Version: 0.16
Libs: -L${{prefix}}/lib -ljson-c
Cflags: -I${{prefix}}/include -I${{prefix}}/include/json-c
"""


def compiled(arch: Arch, parts: Mapping[str, Path], packages: Path, announce: Announce) -> Path:
    """The stage's programs and libraries as a tar file; built where it is not there.

    `packages` is a folder with the distribution's packages, json-c's among them. Raises
    UnavailableError if a tool is missing here or a part does not build.
    """
    require(arch)
    key = _key(parts)

    def make(place: Path) -> None:
        with tempfile.TemporaryDirectory(prefix="gatemark-openwrt-") as folder:
            _build(Path(folder), parts, packages, announce)
            _pack(Path(folder) / STAGE, place / TAR)

    return kept(xdg.cache() / "userland" / f"openwrt-{arch.debian}-{key}", make) / TAR


def _key(parts: Mapping[str, Path]) -> str:
    sums = (f"{name} {sha256(parts[name])}" for name in sources.BUILT)
    version = subprocess.run(["gcc", "-dumpfullversion"], capture_output=True, check=False).stdout
    recipe = "\0".join((FORMAT, version.decode(), STRLCPY, str(COMMON), str(OWN), *sums))
    return hashlib.sha256(recipe.encode()).hexdigest()[:12]


def require(arch: Arch) -> None:
    """Raise UnavailableError if it cannot be built on this machine, with what is missing."""
    if missing := [package for tool, package in TOOLS.items() if not shutil.which(tool)]:
        raise UnavailableError(
            f"OpenWrt's userland is built here, by tools that are not: "
            f"apt-get install {' '.join(missing)}"
        )
    if arch.host != platform.machine():
        raise UnavailableError(
            f"OpenWrt's userland is built for this machine's own processor alone, "
            f"{platform.machine()}, not yet for {arch.name}"
        )
    _headers()


def _headers() -> Path:
    """Where zig keeps the kernel's headers. Raises UnavailableError."""
    spec = importlib.util.find_spec("ziglang")
    places = (spec.submodule_search_locations or []) if spec else []
    for place in places:
        if (Path(place) / HEADERS / "linux" / NEWER[0]).is_file():
            return Path(place) / HEADERS
    raise UnavailableError(
        "netifd is built with newer kernel headers than the distribution's, those of zig: "
        "setup/install test, or pip install ziglang"
    )


def _build(folder: Path, parts: Mapping[str, Path], packages: Path, announce: Announce) -> None:
    stage = folder / STAGE
    _prepare(folder, stage, packages)
    for at, name in enumerate(sources.BUILT, start=1):
        announce(f"building OpenWrt's userland: {name} ({at} of {len(sources.BUILT)})")
        sources.unpack(parts[name], folder / "source")
        _part(name, folder, stage)


def _prepare(folder: Path, stage: Path, packages: Path) -> None:
    """json-c in the stage; newer headers and strlcpy beside it."""
    for name in ("include/json-c", "lib/pkgconfig"):
        (stage / name).mkdir(parents=True)
    for package in (path for name in JSON_C for path in packages.glob(f"{name}_*.deb")):
        for path, data in files(package, _is_json_c):
            inner = Path(path).name
            place = stage / ("include/json-c" if inner.endswith(".h") else "lib") / inner
            if isinstance(data, str):
                place.symlink_to(Path(data).name)
            else:
                place.write_bytes(data)
    (stage / "lib/pkgconfig/json-c.pc").write_text(JSON_C_PC.format(stage=stage))
    (folder / "strlcpy.h").write_text(STRLCPY)
    newer = folder / "newer/linux"
    newer.mkdir(parents=True)
    for name in NEWER:
        if (header := _headers() / "linux" / name).is_file():
            shutil.copy(header, newer)


def _is_json_c(path: str) -> bool:
    return ("/json-c/" in path and path.endswith(".h")) or "/libjson-c.so" in path


def _part(name: str, folder: Path, stage: Path) -> None:
    source = folder / "source" / name
    build = source if name in IN_SOURCE else folder / "build" / name
    flags = f"-Os -isystem {folder}/newer -include {folder}/strlcpy.h -Wno-format-overflow"
    flags += f" -ffile-prefix-map={folder}=."
    words = [f"-DCMAKE_PREFIX_PATH={stage}", f"-DCMAKE_C_FLAGS={flags}", *COMMON]
    words += OWN.get(name, ())
    for command in (
        ("cmake", "-S", str(source), "-B", str(build), *words),
        ("cmake", "--build", str(build), "--parallel", "1"),
        ("cmake", "--install", str(build), "--strip"),
    ):
        _run(name, command, folder, stage)


def _run(name: str, command: Sequence[str], folder: Path, stage: Path) -> None:
    """One step. Raises UnavailableError with the first thing that the compiler complains of."""
    environment = os.environ | {
        "LC_ALL": "C",
        "DESTDIR": str(stage.parent),
        "C_INCLUDE_PATH": f"{stage}/include:{stage}/include/libnl-tiny",
        "LIBRARY_PATH": f"{stage}/lib",
        "LD_LIBRARY_PATH": f"{stage}/lib",
        "PKG_CONFIG_LIBDIR": f"{stage}/lib/pkgconfig",
        "SOURCE_DATE_EPOCH": "0",
    }
    environment.pop("MAKEFLAGS", None)
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=BUILD_S,
        )
    except subprocess.TimeoutExpired:
        raise UnavailableError(f"{name}: {' '.join(command[:2])}: over {BUILD_S:g} s") from None
    if done.returncode:
        lines = (done.stderr + done.stdout).splitlines()
        bad = [line for line in lines if "error" in line.lower()] or lines or ["no word"]
        raise UnavailableError(
            f"OpenWrt's {name} does not build here: {bad[0].strip()[:WORD_SHOWN]}"
        )


def _pack(stage: Path, target: Path) -> None:
    """Programs and libraries, without what only a compiler reads; in order, of no time."""

    def plain(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
        if member.name.endswith((".a", ".h", ".pc", ".cmake")) or "libjson-c" in member.name:
            return None
        member.uid = member.gid = member.mtime = 0
        member.uname = member.gname = ""
        return member

    with tarfile.open(target, "w") as archive:
        for path in sorted(stage.rglob("*")):
            if not path.is_dir() or path.is_symlink():
                archive.add(path, str(path.relative_to(stage)), recursive=False, filter=plain)
