# SPDX-License-Identifier: Apache-2.0
"""A root file system as the kernel unpacks it: a cpio archive of format `newc`.

Written by us and not by cpio(1), since it is then the same to the bit wherever it is made, and a
device node needs no root (Documentation/driver-api/early-userspace/buffer-format.rst).
"""

import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

MAGIC: Final = b"070701"
HEAD_BYTES: Final = 110
HEADER: Final = "070701" + "%08X" * 13
ALIGNED: Final = 4
LAST: Final = "TRAILER!!!"


@dataclass(frozen=True, slots=True)
class Entry:
    """A file, of root, of the beginning of time."""

    mode: int  # with its type, as st_mode
    data: bytes = b""  # of a symbolic link: where it points
    device: tuple[int, int] = (0, 0)  # of a device node: major, minor


Tree = Mapping[str, Entry]  # path without a leading slash -> what is there


def program(data: bytes) -> Entry:
    """A file that can be run."""
    return Entry(stat.S_IFREG | 0o755, data)


def file(data: bytes, mode: int = 0o644) -> Entry:
    """A plain file."""
    return Entry(stat.S_IFREG | mode, data)


def link(target: str) -> Entry:
    """A symbolic link."""
    return Entry(stat.S_IFLNK | 0o777, target.encode())


def folder(mode: int = 0o755) -> Entry:
    """An empty folder; those on the way to a file are made by `archive`."""
    return Entry(stat.S_IFDIR | mode)


def node(major: int, minor: int) -> Entry:
    """A character device."""
    return Entry(stat.S_IFCHR | 0o600, device=(major, minor))


def archive(tree: Tree) -> bytes:
    """The archive of a tree: the same bytes for the same tree."""
    whole = dict.fromkeys(_folders(tree), folder()) | dict(tree)
    parts = [_member(at, name, whole[name]) for at, name in enumerate(sorted(whole), start=1)]
    return b"".join((*parts, _member(0, LAST, Entry(0))))


def entries(data: bytes) -> Iterator[tuple[str, Entry]]:
    """Yield what an archive of ours has, by path. Raises ValueError where it is none."""
    at = 0
    while data[at : at + 6] == MAGIC:
        fields = [int(data[at + n : at + n + 8], 16) for n in range(6, HEAD_BYTES, 8)]
        begin = at + HEAD_BYTES
        name = data[begin : begin + fields[11] - 1].decode()
        if name == LAST:
            return
        begin += fields[11] + -(HEAD_BYTES + fields[11]) % ALIGNED
        end = begin + fields[6]
        yield name, Entry(fields[1], data[begin:end], (fields[9], fields[10]))
        at = end + -fields[6] % ALIGNED
    raise ValueError("no archive of format newc, or a part of one")


def _folders(names: Iterable[str]) -> set[str]:
    parents = {str(parent) for name in names for parent in PurePosixPath(name).parents}
    return parents - {"."}


def _member(number: int, name: str, entry: Entry) -> bytes:
    path = name.encode() + b"\0"
    links, owner, time, disk = 1, 0, 0, 0
    head = HEADER % (
        *(number, entry.mode, owner, owner, links, time, len(entry.data)),
        *(disk, disk, *entry.device, len(path), 0),
    )
    return _padded(head.encode() + path) + _padded(entry.data)


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % ALIGNED)
