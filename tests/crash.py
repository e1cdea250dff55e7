# SPDX-License-Identifier: Apache-2.0
"""What a file system may hold after a crash: a program's writes, cut after each of them.

The writes are those that strace(1) saw. A power cut loses what no fsync(2) made lasting, all of it
or a part, and the names in a folder apart from what is in the files (fsync(2), notes). So every
moment has several outcomes: names kept or lost, times data kept, lost, half written, or zeros where
the blocks were never written.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

import pytest

CALLS: Final = (
    "open,openat,mkdir,mkdirat,write,pwrite64,fsync,fdatasync,ftruncate,"
    "rename,renameat,renameat2,unlink,unlinkat,rmdir,close"
)
LINE: Final = re.compile(r"(\w+)\((.*)\)\s+= (\d+)\n")
TEXT: Final = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
HERE: Final = "AT_FDCWD"  # a path counts from the working directory
DATA: Final = ("kept", "lost", "half", "zeros")


@dataclass
class File:
    """What programs see of a file, and what is on the disk."""

    data: bytes = b""
    lasting: bytes = b""

    def outcome(self, what: str) -> bytes:
        """Its bytes after a crash."""
        missing = len(self.data) - len(self.lasting)
        match what:
            case "kept":
                return self.data
            case "half" if missing > 0:
                return self.data[: len(self.lasting) + missing // 2]
            case "zeros" if missing > 0:
                return self.lasting + bytes(missing)
        return self.lasting


@dataclass
class Folder:
    """The same of a folder: its names."""

    entries: "dict[str, File | Folder]" = field(default_factory=dict)
    lasting: "dict[str, File | Folder]" = field(default_factory=dict)


@dataclass
class Disk:
    """The folder at `root`, as a program's system calls change it."""

    root: Path
    top: Folder = field(default_factory=Folder)
    open: "dict[str, File | Folder]" = field(default_factory=dict)
    marks: list[str] = field(default_factory=list)  # words that it wrote to stdout so far

    def apply(self, call: str, words: Sequence[str], result: str) -> bool:
        """One call; returns whether it changed what is here. Others than these change nothing."""
        match call, *words:
            case "write", "1", text, _:
                self.marks += decoded(text).decode().split()
            case "write", handle, text, _:
                return self._written(handle, decoded(text)[: int(result)])
            case "pwrite64", handle, text, _, offset:
                return self._written(handle, decoded(text)[: int(result)], int(offset))
            case "ftruncate", handle, size:
                return self._cut(handle, int(size))
            case (("fsync" | "fdatasync"), handle):
                return self._synced(handle)
            case "close", handle:
                self.open.pop(handle, None)
            case _:
                return self._named(call, words, result)
        return False

    def _named(self, call: str, words: Sequence[str], result: str) -> bool:
        """A call that opens, makes, moves or removes a name."""
        match call, *words:
            case (("open" | "openat"), *_):
                return self._opened(words, result)
            case (("mkdir" | "mkdirat"), *_):
                return self._put(words, Folder())
            case "rename", old, new:
                return self._renamed((HERE, old), (HERE, new))
            case (("renameat" | "renameat2"), at, old, to, new, *_):
                return self._renamed((at, old), (to, new))
            case (("unlink" | "unlinkat" | "rmdir"), *_):
                return self._removed(words)
        return False

    def outcomes(self, place: Path) -> Iterator[Path]:
        """Each folder that a crash at this moment may leave, made below `place`."""
        seen = []
        for names in ("kept", "lost"):
            for data in DATA:
                files = dict(_files(self.top, names, data))
                if files in seen:
                    continue
                seen.append(files)
                folder = place / f"names-{names}-data-{data}"
                for name, content in files.items():
                    path = folder / name
                    (path if content is None else path.parent).mkdir(parents=True, exist_ok=True)
                    if content is not None:
                        path.write_bytes(content)
                yield folder

    def _opened(self, words: Sequence[str], handle: str) -> bool:
        self.open.pop(handle, None)
        folder, name = self._place(words)
        if folder is None:
            return False
        node = folder.entries.get(name) if name else folder
        is_new = node is None
        if node is None:
            node = folder.entries[name] = File()
        elif isinstance(node, File) and "O_TRUNC" in " ".join(words):
            node.data = b""
        self.open[handle] = node
        return is_new

    def _written(self, handle: str, data: bytes, at: int | None = None) -> bool:
        """At its end, where no place is given: nothing here seeks."""
        node = self.open.get(handle)
        if isinstance(node, File):
            start = len(node.data) if at is None else at
            before = node.data[:start].ljust(start, b"\0")
            node.data = before + data + node.data[start + len(data) :]
        return isinstance(node, File)

    def _synced(self, handle: str) -> bool:
        match self.open.get(handle):
            case File() as file:
                file.lasting = file.data
            case Folder() as folder:
                folder.lasting = dict(folder.entries)
            case None:
                return False
        return True

    def _cut(self, handle: str, size: int) -> bool:
        node = self.open.get(handle)
        if isinstance(node, File):
            node.data = node.data[:size]
        return isinstance(node, File)

    def _put(self, words: Sequence[str], node: "File | Folder") -> bool:
        folder, name = self._place(words)
        if folder is not None:
            folder.entries[name] = node
        return folder is not None

    def _renamed(self, old: Sequence[str], new: Sequence[str]) -> bool:
        folder, name = self._place(old)
        if folder is None:
            return False
        return self._put(new, folder.entries.pop(name))

    def _removed(self, words: Sequence[str]) -> bool:
        folder, name = self._place(words)
        if folder is not None:
            del folder.entries[name]
        return folder is not None

    def _place(self, words: Sequence[str]) -> tuple[Folder | None, str]:
        """The folder that a call is about, and the name in it; None: it is not below `root`."""
        at, text, *_ = words if not words[0].startswith('"') else (HERE, *words)
        name = decoded(text).decode()
        node = self.open.get(at)
        if at != HERE and not name.startswith("/"):
            return (node, name) if isinstance(node, Folder) else (None, name)
        path = Path(name)
        if path == self.root:
            return self.top, ""
        if not path.is_relative_to(self.root):
            return None, name
        folder = self.top
        for part in path.relative_to(self.root).parts[:-1]:
            inner = folder.entries[part]
            assert isinstance(inner, Folder)
            folder = inner
        return folder, path.name


@cache
def can_trace() -> bool:
    """Whether strace is here and may trace."""
    return not (
        shutil.which("strace") is None
        or subprocess.run(["strace", "-o", "/dev/null", "true"], check=False).returncode
    )


def refused(
    calls: str, which: int, program: str, *words: str
) -> "subprocess.CompletedProcess[str]":
    """A Python program for which the `which`-th of these system calls finds the disk full.

    Where strace may not trace, this skips the test.
    """
    _need_strace()
    inject = f"inject={calls}:error=ENOSPC:when={which}"
    trace = ["strace", "-o", "/dev/null", "-e", f"trace={calls}", "-e", inject]
    command = [*trace, sys.executable, "-B", "-c", program, *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def moments(root: Path, program: str, *words: str) -> Iterator[Disk]:
    """The disk after each write that a Python program makes below `root`.

    It starts with that folder empty. Each word that it prints is a mark. Where strace may not
    trace, this skips the test.
    """
    _need_strace()
    log = root.with_name("strace")
    trace = ["strace", "-o", str(log), "-xx", "-s", "10000000", "-e", f"trace={CALLS}"]
    subprocess.run([*trace, sys.executable, "-c", program, *words], check=True, timeout=60)
    disk = Disk(root)
    with log.open() as lines:
        for line in lines:
            match = LINE.fullmatch(line)
            if match and disk.apply(match[1], match[2].split(", "), match[3]):
                yield disk


def _need_strace() -> None:
    if not can_trace():
        pytest.skip("strace is not here, or may not trace")


def decoded(text: str) -> bytes:
    """A string of `strace -xx`."""
    match = TEXT.fullmatch(text)
    assert match, text
    return bytes.fromhex(match[1].replace("\\x", ""))


def _files(
    folder: Folder, names: str, data: str, at: str = ""
) -> Iterator[tuple[str, bytes | None]]:
    """Path and bytes of everything in it; None: a folder."""
    yield at or ".", None
    kept = folder.entries if names == "kept" else folder.lasting
    for name, node in kept.items():
        if isinstance(node, Folder):
            yield from _files(node, names, data, f"{at}{name}/")
        else:
            yield f"{at}{name}", node.outcome(data)
