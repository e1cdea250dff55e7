# SPDX-License-Identifier: Apache-2.0
"""The firewall's settings in what OpenWrt keeps: a folder, a backup, the words of `uci export`.

Nothing is unpacked to disk, and no other settings are handed on: they have keys and passwords.
"""

import io
import re
import tarfile
import zlib
from pathlib import Path
from typing import Final

from gatemark.error import UsageError

MOST_UNPACKED: Final = 100_000_000  # bytes of a backup
FILE: Final = "etc/config/firewall"
NONE: Final = "settings of OpenWrt, and none of its firewall: /etc/config/firewall has them"
PACKAGE: Final = re.compile(r"^package[ \t]+['\"]?(\w+)['\"]?[ \t]*$", re.MULTILINE)
OF_FIREWALL: Final = re.compile(
    r"^[ \t]*config[ \t]+['\"]?(zone|defaults|forwarding)\b", re.MULTILINE
)
HEAD: Final = "package firewall\n"
GZIP: Final = b"\x1f\x8b"


def in_folder(path: Path) -> Path:
    """The file of the firewall's settings in /etc/config, or what holds it. Raises UsageError."""
    for name in ("firewall", "config/firewall", FILE):
        if (path / name).is_file():
            return path / name
    raise UsageError(f"{path}: a folder without the file firewall: is this an /etc/config?")


def in_backup(path: Path, data: bytes, most: int) -> bytes:
    """The same file in a backup.tar.gz; at most so many bytes. Raises UsageError."""
    unpacking = zlib.decompressobj(wbits=31)
    try:
        archive = unpacking.decompress(data, MOST_UNPACKED)
        if unpacking.unconsumed_tail:
            raise UsageError(f"{path}: unpacks to more than {MOST_UNPACKED} bytes: no backup")
        with tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as members:
            for member in members:
                if member.isfile() and member.name.lstrip("./") == FILE:
                    if member.size > most:
                        raise UsageError(f"{path}: {FILE} has {member.size} bytes: {most} at most")
                    opened = members.extractfile(member)
                    assert opened is not None
                    return opened.read()
    except (zlib.error, tarfile.TarError, EOFError, ValueError):
        raise UsageError(f"{path}: no backup of OpenWrt (tar.gz), or a part of one") from None
    raise UsageError(f"{path}: no {FILE} in it: is this a backup of OpenWrt?")


def in_export(path: Path, text: str) -> str:
    """The firewall's package in `uci export`, or in the file itself. Raises UsageError."""
    begins = [*PACKAGE.finditer(text)]
    if not begins:
        if not OF_FIREWALL.search(text):
            raise UsageError(f"{path}: {NONE}")
        return HEAD + text
    for at, match in enumerate(begins):
        if match[1] == "firewall":
            end = begins[at + 1].start() if at + 1 < len(begins) else len(text)
            return HEAD + text[match.end() : end]
    raise UsageError(f"{path}: {NONE}")
