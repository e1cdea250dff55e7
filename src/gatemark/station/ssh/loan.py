# SPDX-License-Identifier: Apache-2.0
"""NICs on loan: moved into namespaces of ours, and given back whatever happens to us.

    take: journal written -> guard started -> NICs moved            give back: NICs moved home,
                                                                    set as they were, journal gone

Three may give back: the laboratory when it is done; the guard, a process of its own that waits for
the laboratory's end (its standard input closes, however that ends); the next start, if both were
killed (station/recover.py). The journal says what to do and is the lock between them; each step
can be done twice.

A virtual NIC is destroyed with the namespace that it is in, so namespaces are removed after.
"""

import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import msgspec
from pyroute2 import netns

from gatemark.error import GatemarkError, StationError
from gatemark.node import isolated
from gatemark.node.quoted import literal, sh
from gatemark.station import lock
from gatemark.station.line.splice import beside
from gatemark.station.ssh import nic
from gatemark.station.ssh.nic import Nic

HOME = Path("/proc/self/ns/net")
DEAF = sh(literal('trap "" TERM INT HUP; exec "$0" "$@"'))
LATEST_S = 20.0  # a guard that is told to go is gone in milliseconds


class Loan(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a journal."""

    home: int  # inode of the network namespace that the NICs belong to
    nics: dict[str, Nic]  # by namespace; "" for one that stays at home and carries VLANs


class Taken:
    """NICs that are ours until `give_back`, which may be called twice."""

    def __init__(self, lab: str, guard: "subprocess.Popen[bytes]") -> None:
        self.lab = lab
        self._guard = guard

    @classmethod
    def take(cls, lab: str, names: Mapping[str, str]) -> Self:
        """Move NICs, namespace -> name, into namespaces that are there. Raises StationError."""
        for name in names.values():
            nic.require_movable(name)
        loan = Loan(
            home=HOME.stat().st_ino, nics={space: nic.read(name) for space, name in names.items()}
        )
        _write(journal(lab), loan)
        taken = cls(lab, _start_guard(lab))
        try:
            for space, this_nic in loan.nics.items():
                if space:
                    nic.move(this_nic.name, this_nic.index, None, space)
        except BaseException:
            taken.give_back()
            raise
        return taken

    def give_back(self) -> None:
        """Bring all of them home as they were. Raises StationError for one that is not."""
        try:
            give_back(self.lab)
        finally:
            assert self._guard.stdin is not None
            self._guard.stdin.close()
            self._guard.wait(LATEST_S)

    @property
    def guarded(self) -> bool:
        """Return whether the guard is alive."""
        return self._guard.poll() is None


def journal(lab: str) -> Path:
    """A lab's journal."""
    return lock.folder() / f"{lab}.nics.json"


def journals() -> list[str]:
    """Labs that have taken NICs and have not given them back."""
    return sorted(
        path.name.removesuffix(".nics.json") for path in lock.folder().glob("*.nics.json")
    )


def give_back(lab: str) -> list[str]:
    """Give back what a lab's journal names, if there is one; returns the NICs' names.

    Raises StationError: the first that could not be given back as it was; the others are, and the
    journal is kept only where a NIC is not even home again.
    """
    with _opened(journal(lab)) as loan:
        if loan is None:
            return []
        if loan.home != HOME.stat().st_ino:
            raise StationError(
                f"lab {lab}: its NICs ({_names(loan)}) belong to another network namespace: "
                "run gatemark there"
            )
        faults = [str(fault) for space, nic in loan.nics.items() for fault in _return(space, nic)]
        if all(nic.is_there(this_nic.name) for this_nic in loan.nics.values()):
            journal(lab).unlink()
    if faults:
        raise StationError(faults[0])
    return [nic.name for nic in loan.nics.values()]


def _return(space: str, item: Nic) -> Iterator[GatemarkError]:
    try:
        # A line before it has moved it on, and left another device of its name (station/line).
        there = netns.listnetns()  # asking in one that is not there would make it
        places = (place for place in (beside(space), space) if place in there)
        if place := next((place for place in places if nic.is_there(item.name, place)), ""):
            nic.clear(item.name, place)
            with HOME.open() as home:
                nic.move(item.name, item.index, place, home.fileno())
        nic.put_back(item)
    except GatemarkError as error:
        yield error


def _names(loan: Loan) -> str:
    return ", ".join(nic.name for nic in loan.nics.values())


def _write(path: Path, loan: Loan) -> None:
    """On the disk before anything is changed."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    new = path.with_suffix(".new")
    with new.open("wb") as file:
        file.write(msgspec.json.encode(loan))
        file.flush()
        os.fsync(file.fileno())
    new.rename(path)


@contextmanager
def _opened(path: Path) -> Iterator[Loan | None]:
    """A journal, held; None if there is none, also if somebody else was just done with it."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        yield None
        return
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield msgspec.json.decode(file.read(), type=Loan) if path.exists() else None


def _start_guard(lab: str) -> "subprocess.Popen[bytes]":
    """In a session of its own, and deaf from its first moment to whatever else would end it."""
    return subprocess.Popen(
        [*DEAF, *isolated.python("gatemark.station.ssh.loan", lab)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _guard(lab: str) -> None:
    """Wait for the laboratory's end, and give back what it did not."""
    sys.stdin.buffer.read()
    give_back(lab)


if __name__ == "__main__":
    try:
        _guard(sys.argv[1])
    except GatemarkError:
        sys.exit(1)
