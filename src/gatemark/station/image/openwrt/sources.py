# SPDX-License-Identifier: Apache-2.0
"""OpenWrt's sources as a user has them: a folder of archives, NAME-REVISION.tar.gz each."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from gatemark.error import UsageError

SUFFIX: Final = ".tar.gz"
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

    Raises UsageError where one is missing or there twice.
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
        results[name] = path
    if missing := [name for name in WANTED if name not in results]:
        names = ", ".join(f"{name}-REVISION{SUFFIX}" for name in missing)
        raise UsageError(f"--sources {folder}: no {names}: {HINT}")
    return results


def unpack(archive: Path, place: Path) -> None:
    """Unpack an archive below `place`. Raises UsageError if it is none."""
    place.mkdir(parents=True, exist_ok=True)
    command = ["tar", "--extract", "--no-same-owner", "--file", str(archive.absolute())]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["no word"])[0]
        raise UsageError(f"{archive}: cannot be unpacked: {why}")


def revisions(parts: Mapping[str, Path]) -> str:
    """What was built, a part and its revision a line."""
    lines = (path.name.removesuffix(SUFFIX).rpartition("-") for path in parts.values())
    return "".join(sorted(f"{name} {revision}\n" for name, _, revision in lines))
