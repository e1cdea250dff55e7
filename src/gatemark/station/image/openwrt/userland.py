# SPDX-License-Identifier: Apache-2.0
"""OpenWrt's programs and libraries, compiled for the processor of a virtual gateway.

cmake, in the order of `sources.BUILT`, each into one stage that the next is built against; no
source is changed. The compiler is zig's, which builds our agent: it has the headers of every
processor's kernel and C library with it. json-c comes out of the distribution's package, and the
C library's version too, as that is what the image has.
"""

import hashlib
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Final

from gatemark import scratch
from gatemark.error import UnavailableError
from gatemark.node.build import require_zig
from gatemark.node.isolated import INTERPRETER
from gatemark.station.image import sandbox
from gatemark.station.image.arch import Arch
from gatemark.station.image.cache import kept, sha256
from gatemark.station.image.openwrt import sources
from gatemark.station.image.package import files
from gatemark.store import xdg

Announce = Callable[[str], None]

# A host's tool -> the distribution's package that brings it. gcc is for a generator of jsonpath's,
# which runs here.
TOOLS: Final = {"cmake": "cmake", "make": "make", "gcc": "gcc", "pkg-config": "pkg-config"}
JSON_C: Final = ("libjson-c-dev", "libjson-c5")
LIBC: Final = re.compile(r"libc6_(\d+\.\d+)")
FORMAT: Final = "2"  # a new number where the same sources are built otherwise
BUILD_S: Final = 1800.0  # of one step on a machine that is busy
WORD_SHOWN: Final = 300  # characters of a compiler's complaint
TAR: Final = "userland.tar"
STAGE: Final = "stage/usr"
COMPILER: Final = "cc"  # one word, as scripts of netifd's and procd's call it
# -Wno-error stands last: the sources' -Werror is for the compiler that OpenWrt has.
COMPILE: Final = """#!/bin/sh
exec {python} -m ziglang cc -target {target}.{libc} {cpu} -s \
  -isystem {stage}/include -isystem {stage}/include/libnl-tiny -L{stage}/lib "$@" \
  -fno-sanitize=all -Wno-error -Wno-unused-command-line-argument
"""
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
# Nothing of this machine is found by chance.
CROSS: Final = (
    "-DCMAKE_SYSTEM_NAME=Linux",
    *(f"-DCMAKE_FIND_ROOT_PATH_MODE_{what}=ONLY" for what in ("LIBRARY", "INCLUDE")),
)
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
    require()
    key = _key(arch, parts, packages)

    def make(place: Path) -> None:
        with scratch.folder() as folder:
            _build(folder, arch, parts, packages, announce)
            _pack(folder / STAGE, place / TAR)

    return kept(xdg.cache() / "userland" / f"openwrt-{arch.debian}-{key}", make) / TAR


def _key(arch: Arch, parts: Mapping[str, Path], packages: Path) -> str:
    sums = (f"{name} {sha256(parts[name])}" for name in sources.BUILT)
    versions = version("ziglang"), _libc(packages)
    compiler = (COMPILE, arch.target, arch.cpu, *versions)
    recipe = "\0".join((FORMAT, *compiler, STRLCPY, str(COMMON), str(CROSS), str(OWN), *sums))
    return hashlib.sha256(recipe.encode()).hexdigest()[:12]


def require() -> None:
    """Raise UnavailableError if nothing can be built on this machine, with what is missing."""
    if missing := [package for tool, package in TOOLS.items() if not shutil.which(tool)]:
        raise UnavailableError(
            f"OpenWrt's userland is built here, by tools that are not: "
            f"apt-get install {' '.join(missing)}"
        )
    require_zig()


def _libc(packages: Path) -> str:
    """The version of the C library that the image has."""
    versions = (LIBC.match(path.name) for path in packages.glob("libc6_*.deb"))
    return next(match[1] for match in versions if match)


def _build(
    folder: Path, arch: Arch, parts: Mapping[str, Path], packages: Path, announce: Announce
) -> None:
    stage = folder / STAGE
    _prepare(stage, packages)
    _compiler(folder, arch, packages)
    for name in ("source", "build"):
        (folder / name).mkdir()
    sandbox.give(folder)
    for at, name in enumerate(sources.BUILT, start=1):
        announce(f"building OpenWrt's userland: {name} ({at} of {len(sources.BUILT)})")
        sources.unpack(parts[name], folder, "source")
        _part(name, folder, stage)


def _compiler(folder: Path, arch: Arch, packages: Path) -> None:
    """The compiler by one name; strlcpy beside it."""
    (folder / "strlcpy.h").write_text(STRLCPY)
    compiler = folder / COMPILER
    words = {"target": arch.target, "cpu": arch.cpu, "libc": _libc(packages)}
    inner = folder / sandbox.PYTHON if sandbox.is_nobody() else Path(sys.prefix)
    place = inner / Path(INTERPRETER[0]).relative_to(sys.prefix)
    python = shlex.join((str(place), *INTERPRETER[1:]))
    compiler.write_text(COMPILE.format(python=python, stage=folder / STAGE, **words))
    compiler.chmod(0o755)


def _prepare(stage: Path, packages: Path) -> None:
    """json-c in the stage."""
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


def _is_json_c(path: str) -> bool:
    return ("/json-c/" in path and path.endswith(".h")) or "/libjson-c.so" in path


def _part(name: str, folder: Path, stage: Path) -> None:
    source = folder / "source" / name
    build = source if name in IN_SOURCE else folder / "build" / name
    flags = f"-Os -include {folder}/strlcpy.h -ffile-prefix-map={folder}=."
    words = [f"-DCMAKE_PREFIX_PATH={stage}", f"-DCMAKE_FIND_ROOT_PATH={stage.parent}"]
    words += [f"-DCMAKE_C_COMPILER={folder / COMPILER}", f"-DCMAKE_C_FLAGS={flags}"]
    words += [*CROSS, *COMMON]
    words += OWN.get(name, ())
    for command in (
        ("cmake", "-S", str(source), "-B", str(build), *words),
        ("cmake", "--build", str(build), "--parallel", "1"),
        ("cmake", "--install", str(build)),
    ):
        _run(name, command, folder, stage)


def _run(name: str, command: Sequence[str], folder: Path, stage: Path) -> None:
    """One step. Raises UnavailableError with the first thing that the compiler complains of."""
    environment = {
        "DESTDIR": str(stage.parent),
        "PKG_CONFIG_LIBDIR": f"{stage}/lib/pkgconfig",
        "SOURCE_DATE_EPOCH": "0",
    }
    try:
        done = sandbox.run(folder, command, environment, timeout_s=BUILD_S)
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
