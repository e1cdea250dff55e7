# SPDX-License-Identifier: Apache-2.0
"""Files of a folder that may be a stranger's: a link in it is never followed.

An unpacked archive may hold links to files of ours, pipes that nobody writes to, and devices. So
the folder is opened first, and each file relative to it (openat(2)) with O_NOFOLLOW; what is no
regular file is refused before it is opened. Where the folder itself lies is its user's affair: it
and its parents may be links.

What is written is on the disk when a call returns: fsync of the file, then of its folder.
"""

import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from io import BufferedReader, FileIO
from pathlib import Path
from typing import Final

from gatemark.error import GatemarkError

FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
FILE: Final = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe is not waited for
# Hidden, and without the suffix that others look for while it is not whole.
DRAFT: Final = ".{name}.{chance}"
DRAFTS: Final = re.compile(r"\..+\.[0-9a-f]{8}")
MOST_BYTES: Final = 1 << 30  # of a file that is read at once: records of some 150 000 trials
KINDS: Final = {
    stat.S_IFLNK: "a link",
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFREG: "a file",
}


class ForeignError(GatemarkError):
    """Raised where a folder holds what we would not have put there."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder, or the folder `inner` in it, which may be no link. All methods raise OSError.

    They raise ForeignError where a name is no regular file, or is not of this folder.
    """

    root: Path
    inner: str = ""

    @property
    def path(self) -> Path:
        """For messages."""
        return self.root / self.inner

    def make(self) -> None:
        """Make the inner folder where it is missing."""
        with _opened(self.root) as root:
            try:
                os.mkdir(self.inner, dir_fd=root)
            except FileExistsError:
                self._require(root, self.inner, stat.S_IFDIR)
            else:
                os.fsync(root)

    def status(self, name: str) -> os.stat_result | None:
        """Return the status of a regular file; None: there is none of this name."""
        try:
            with self._handle() as folder:
                return self._require(folder, name)
        except FileNotFoundError:
            return None

    def names(self) -> frozenset[str]:
        """Its regular files. None where the folder is missing."""
        return frozenset(entry.name for entry in self._files())

    def statuses(self) -> dict[str, os.stat_result]:
        """Return the status of each regular file, by name."""
        return {entry.name: entry.stat(follow_symlinks=False) for entry in self._files()}

    def read(self, name: str) -> bytes:
        """All of a file. Raises ForeignError where it is longer than any of ours."""
        with self.reading(name) as file:
            self._require_bounded(file, name)
            return file.read()

    def lines(self, name: str) -> Iterator[bytes]:
        """Yield the lines of a file with their ends; raises as `read`, which holds all of it."""
        with self.reading(name) as file:
            self._require_bounded(file, name)
            yield from BufferedReader(file)

    @contextmanager
    def reading(self, name: str) -> Iterator[FileIO]:
        """A file that is open to be read."""
        with self._handle() as folder, self._file(folder, name, os.O_RDONLY) as file:
            yield file

    def write(self, name: str, data: bytes, changed_ns: int | None = None) -> None:
        """Write or replace a file, whole or not at all: who has the old one open keeps it.

        It gets `changed_ns` as the time of its last change, in ns since 1970.
        """
        with self._handle() as folder:
            with suppress(FileNotFoundError):
                self._require(folder, name)
            draft = DRAFT.format(name=name, chance=secrets.token_hex(4))
            try:
                with self._file(folder, draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as file:
                    _write(file, data)
                    if changed_ns is not None:
                        os.utime(file.fileno(), ns=(changed_ns, changed_ns))
                os.rename(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                with suppress(OSError):
                    os.unlink(draft, dir_fd=folder)
                raise
            os.fsync(folder)

    @contextmanager
    def appending(self, name: str) -> Iterator[FileIO]:
        """A file that is open to be added to, made where it is missing."""
        is_new = not self.status(name)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        with self._handle() as folder, self._file(folder, name, flags) as file:
            if is_new:
                os.fsync(folder)
            yield file

    def append(self, name: str, data: bytes) -> None:
        """Add to a file, all of `data` or nothing."""
        with self.appending(name) as file:
            end = os.fstat(file.fileno()).st_size
            try:
                _write(file, data)
            except BaseException:
                with suppress(OSError):
                    file.truncate(end)
                raise

    def cut(self, name: str, end: int) -> None:
        """Cut a file off at `end`, in bytes."""
        with self._handle() as folder, self._file(folder, name, os.O_WRONLY) as file:
            file.truncate(end)
            os.fsync(file.fileno())

    def sweep(self) -> None:
        """Remove what a crash left half written. Nobody else may write here meanwhile."""
        drafts = [name for name in self.names() if DRAFTS.fullmatch(name)]
        with self._handle() as folder:
            for name in drafts:
                os.unlink(name, dir_fd=folder)

    def _files(self) -> Iterator[os.DirEntry[str]]:
        with suppress(FileNotFoundError), self._handle() as handle, os.scandir(handle) as entries:
            yield from (entry for entry in entries if entry.is_file(follow_symlinks=False))

    @contextmanager
    def _handle(self) -> Iterator[int]:
        with _opened(self.root) as root, ExitStack() as stack:
            folder = root
            if self.inner:
                self._require(root, self.inner, stat.S_IFDIR)
                folder = stack.enter_context(_opened(self.inner, os.O_NOFOLLOW, root))
            try:
                yield folder
            except OSError as error:  # told with its whole path, as that of any other file
                if isinstance(error.filename, str):
                    error.filename = str(self.path / error.filename)
                raise

    @contextmanager
    def _file(self, folder: int, name: str, flags: int) -> Iterator[FileIO]:
        with suppress(FileNotFoundError):
            self._require(folder, name)
        handle = os.open(name, flags | FILE, 0o666, dir_fd=folder)
        with FileIO(handle, "w" if flags & os.O_WRONLY else "r") as file:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):  # put there since
                raise self._foreign(name, status, stat.S_IFREG)
            if flags & os.O_WRONLY and status.st_nlink > 1:
                raise ForeignError(
                    f"{self.path / name} has a second name (a hard link), and both would change: "
                    "put a copy in its place"
                )
            yield file

    def _require(self, folder: int, name: str, kind: int = stat.S_IFREG) -> os.stat_result:
        if "/" in name or name in ("", ".", ".."):
            raise ForeignError(f"{name!r:.80} is no name of a file in {self.path}")
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_IFMT(status.st_mode) != kind:
            raise self._foreign(name, status, kind)
        return status

    def _require_bounded(self, file: FileIO, name: str) -> None:
        if os.fstat(file.fileno()).st_size > MOST_BYTES:
            most = f"more than the {MOST_BYTES >> 30} GiB of a run's file"
            raise ForeignError(f"{self.path / name} has {most}: get it from a copy")

    def _foreign(self, name: str, status: os.stat_result, wanted: int) -> ForeignError:
        path = self.root / name if name == self.inner else self.path / name
        kind = KINDS.get(stat.S_IFMT(status.st_mode), "unknown")
        noun = KINDS[wanted]
        fix = f"put {noun} in its place, or remove it"
        return ForeignError(f"{path} is {kind} where a run has {noun}: {fix}")


def inside(folder: Path, *names: str) -> Path:
    """The path of a folder in a folder, with or without a folder there; no name of it is a link.

    Raises ForeignError, OSError.
    """
    place = folder
    for name in names:
        if "/" in name or name in ("", ".", ".."):
            raise ForeignError(f"{name!r:.80} is no name of a folder in {place}")
        place /= name
        with suppress(FileNotFoundError):
            mode = os.lstat(place).st_mode
            if not stat.S_ISDIR(mode):
                kind = KINDS.get(stat.S_IFMT(mode), "unknown")
                raise ForeignError(f"{place} is {kind} and no folder: remove it")
    return place


def require_own(path: Path) -> None:
    """Raise ForeignError where another user can change what lies there; OSError."""
    status = os.lstat(path)
    if status.st_uid not in (os.geteuid(), 0):
        raise ForeignError(
            f"{path} belongs to another user ({status.st_uid}), who can change it meanwhile: "
            "make a copy of your own with cp -r, and name that"
        )
    if status.st_mode & stat.S_IWOTH:
        raise ForeignError(f"{path} can be changed by every user: chmod -R o-w it")


def _write(file: FileIO, data: bytes) -> None:
    """All of it, and onto the disk."""
    left = memoryview(data)
    while left:
        left = left[file.write(left) :]
    if data:
        os.fsync(file.fileno())


@contextmanager
def _opened(path: Path | str, flags: int = 0, folder: int | None = None) -> Iterator[int]:
    handle = os.open(path, FOLDER | flags, dir_fd=folder)
    try:
        yield handle
    finally:
        os.close(handle)


def sync(path: Path) -> None:
    """Make the names in a folder lasting (fsync(2), notes)."""
    with _opened(path) as folder:
        os.fsync(folder)
