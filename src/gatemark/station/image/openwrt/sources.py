# SPDX-License-Identifier: Apache-2.0
"""OpenWrt's sources as a user has them: a folder of archives, NAME-REVISION.tar.gz each."""

import shutil
from collections.abc import Collection, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

from gatemark.error import UsageError
from gatemark.station.image import sandbox
from gatemark.station.image.cache import SUMS, sha256

SUFFIX: Final = ".tar.gz"
MOST_BYTES: Final = 1 << 30  # of an archive; those of the table have less than 1 MiB
FOLDERS: Final = "openwrt-folders"  # parts of OpenWrt's own tree: base-files, targets, packages
# In the order in which they are built: each needs some of those before it.
BUILT: Final = (
    *("libubox", "libnl-tiny", "uci", "ubus", "ucode", "udebug"),
    *("netifd", "procd", "ubox", "jsonpath"),
)
SCRIPTS: Final = "firewall4"  # needs no compiler
WANTED: Final = (*BUILT, SCRIPTS, FOLDERS)
SQM: Final = "sqm-scripts"  # shapers; an image is whole without them
HINT: Final = (
    "each is the archive of one repository of git.openwrt.org, as docs/openwrt.md names them"
)


def archives(folder: Path) -> dict[str, Path]:
    """The archive of each part, and of SQM where it is there.

    Raises UsageError where one is missing, there twice, no file or too long to be one of them.
    """
    if not folder.is_dir():
        raise UsageError(f"--sources {folder}: no such folder: give one with OpenWrt's sources")
    results: dict[str, Path] = {}
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        name, dash, _ = path.name.removesuffix(SUFFIX).rpartition("-")
        if not dash or name not in (*WANTED, SQM):
            continue
        if name in results:
            raise UsageError(f"{path}: a second archive of {name}: keep one of them")
        if not path.is_file():  # a pipe would be waited for, and a device never ends
            raise UsageError(f"{path}: is no file: put the archive of {name} in its place")
        if path.stat().st_size > MOST_BYTES:
            raise UsageError(f"{path}: more than {MOST_BYTES >> 30} GiB: get it anew")
        results[name] = path
    if missing := [name for name in WANTED if name not in results]:
        names = ", ".join(f"{name}-REVISION{SUFFIX}" for name in missing)
        raise UsageError(f"--sources {folder}: no {names}: {HINT}")
    return results


def taken(folder: Path, into: Path, agreed: Collection[str]) -> dict[str, Path]:
    """Our own copy of each archive, whose SHA-256 is known or agreed to. Raises UsageError.

    They are programs of others that are compiled and run here: a changed byte may be another's.
    """
    results = {}
    for name, path in archives(folder).items():
        results[name] = Path(shutil.copyfile(path, into / path.name))
        digest, known = sha256(results[name]), sums().get(path.name, "")
        if digest not in (known, *agreed):
            raise UsageError(
                f"{path}: its SHA-256 {digest} is "
                + (f"not {known}: get it anew" if known else "none that Gatemark knows")
                + f", or look into it and add --sha256 {digest}"
            )
    return results


@cache
def sums() -> dict[str, str]:
    """The SHA-256 of each archive that Gatemark was tried with, by its file's name."""
    text = (resources.files("gatemark.station.image.openwrt") / SUMS).read_text()
    pairs = (line.split() for line in text.splitlines())
    return {name: digest for digest, name in pairs}


def unpack(archive: Path, folder: Path, place: str = ".") -> None:
    """Unpack an archive in a folder that was given, in its `place`. Raises UsageError."""
    command = ("tar", "--extract", "--gzip", "--no-same-owner", "--directory", place)
    with archive.open("rb") as data:
        done = sandbox.run(folder, command, {}, data)
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["no word"])[0]
        raise UsageError(f"{archive}: cannot be unpacked: {why}")


def inside(root: Path, path: Path) -> Path:
    """The same path. Raises UsageError where a link leads out of what was unpacked."""
    if not path.resolve().is_relative_to(root.resolve()):
        raise UsageError(f"{path.relative_to(root)}: leads out of its archive: get it anew")
    return path


def revisions(parts: Mapping[str, Path]) -> str:
    """Return the parts that were built, a part and its revision a line."""
    lines = (path.name.removesuffix(SUFFIX).rpartition("-") for path in parts.values())
    return "".join(sorted(f"{name} {revision}\n" for name, _, revision in lines))
