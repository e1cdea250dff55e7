# SPDX-License-Identifier: Apache-2.0
"""Guests as they were before their first trial, kept by what they were booted from.

    snapshot/ARCH-KEY/state        what QEMU wrote (migration.py): processor, memory, devices
                      secret       of the keys that the guest has (image/key.py)
                      settings     what we had set by then
                      SHA256SUMS   of these

The key is made of the image, the emulator, its command line and this machine's processor. The
folders are of who made them alone, since the guest's private key is in the state. Those not used
for longest go first where all take more than `MOST_BYTES`; removing any is safe.
"""

import hashlib
import os
import platform
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gatemark.station.image.arch import Arch
from gatemark.station.image.build import Image
from gatemark.station.image.cache import SUMS, seal, sound
from gatemark.station.image.key import seeds
from gatemark.store import xdg

SWITCH: Final = "GATEMARK_SNAPSHOT"  # in the environment: `no` boots each time
FORMAT: Final = "1"  # a new number where the same parts come up otherwise
FOLDER: Final = "snapshot"
STATE, SECRET, SETTINGS = "state", "secret", "settings"
MOST_BYTES: Final = 1 << 30
CPUINFO: Final = Path("/proc/cpuinfo")
# A guest on x86 takes its clock's rate from this machine's, by the kind of processor.
PROCESSOR: Final = ("vendor_id", "cpu family", "model", "model name", "stepping", "CPU part")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One guest's place; there is a state, or one can be put there."""

    place: Path
    secret: bytes  # the guest's keys are made of it
    damage: str = ""  # what was there and is not used

    @classmethod
    def of(cls, arch: Arch, image: Image, words: Sequence[str]) -> "Snapshot":
        """The snapshot of what QEMU boots by these `words`. One that is damaged is removed."""
        parts = (FORMAT, (image.kernel.parent / SUMS).read_text(), *words, *_emulator(arch))
        key = hashlib.sha256("\0".join((*parts, *_processor())).encode()).hexdigest()[:12]
        place = xdg.cache() / FOLDER / f"{arch.debian}-{key}"
        if not place.exists():
            return cls(place, seeds())
        if not _ours(place) or not sound(place):
            shutil.rmtree(place, ignore_errors=True)
            return cls(place, seeds(), f"{place} was changed, or is not whole")
        with suppress(OSError):
            os.utime(place)
        return cls(place, (place / SECRET).read_bytes())

    @property
    def name(self) -> str:
        """Its name in a record."""
        return self.place.name

    @property
    def state(self) -> Path:
        """The file that QEMU wrote."""
        return self.place / STATE

    def remove(self) -> None:
        """It is of no use."""
        shutil.rmtree(self.place, ignore_errors=True)

    @property
    def settings(self) -> str:
        """What was set by then. Raises OSError."""
        return (self.place / SETTINGS).read_text()

    def half(self, lab: str, settings: str) -> Path:
        """A folder of a lab's, to be filled and moved to its place. Raises GatemarkError."""
        folder = self.place.with_name(f"{self.name}.{lab}")
        xdg.make(folder.parent)
        folder.mkdir(mode=0o700)
        (folder / SECRET).write_bytes(self.secret)
        (folder / SETTINGS).write_text(settings)
        return folder

    def keep(self, half: Path) -> None:
        """Move a folder that was filled to its place; where somebody was first, theirs stays."""
        try:
            seal(half, self.place)
        except OSError:
            shutil.rmtree(half, ignore_errors=True)
        _prune(self.place)


def _ours(place: Path) -> bool:
    """Return whether a folder is this user's, and nobody else may write there or read the key."""
    status = place.stat()
    return status.st_uid == os.geteuid() and not stat.S_IMODE(status.st_mode) & 0o077


def _emulator(arch: Arch) -> Iterator[str]:
    """The program, as it lies here: a package's update is another one."""
    if program := shutil.which(arch.emulator):
        status = Path(program).stat()
        yield f"{status.st_size} {status.st_mtime_ns}"


def _processor() -> Iterator[str]:
    """This machine's."""
    yield platform.machine()
    lines = CPUINFO.read_text().partition("\n\n")[0].splitlines()
    yield from sorted(line for line in lines if line.partition("\t")[0].strip() in PROCESSOR)


def _prune(newest: Path) -> None:
    """Remove what was not used for longest, until the rest is small enough; never the newest."""
    places = [place for place in newest.parent.iterdir() if place != newest]
    room = MOST_BYTES - _bytes(newest)
    for place in sorted(places, key=_used, reverse=True):
        room -= _bytes(place)
        if room < 0:
            shutil.rmtree(place, ignore_errors=True)


def _used(place: Path) -> float:
    try:
        return place.stat().st_mtime
    except OSError:  # somebody else removed it
        return 0.0


def _bytes(place: Path) -> int:
    with suppress(OSError):
        return sum(file.stat().st_size for file in place.iterdir())
    return 0
