# SPDX-License-Identifier: Apache-2.0
"""Carrying out a block. The ledger schedules; an executor is asked for an attempt at a time.

    begin   make the attempt's folder, start the block there; of a begun one: go on, or wait for it
    poll    which attempts have ended since
    fetch   have its run below `runs/`, with its hash
    stop    end it as Ctrl-C does; `kill`: at once

Nothing depends on what an executor remembers: each call may be repeated.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import msgspec

from gatemark.error import GatemarkError
from gatemark.fleet.ledger import Attempt


class Arm(msgspec.Struct, frozen=True, kw_only=True):
    """A build as the block has it."""

    name: str
    setup: str = ""  # "": the plan's first
    station: str = ""  # the station's name or file, where the build has one of its own
    switch: str = ""  # command that brings the gateway to it


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """All that a block needs to know, as it goes to whoever carries it out."""

    attempt: int
    name: str  # of the attempt's folder, that no other attempt has
    title: str
    base: str  # the folder that commands are run in
    place: str = ""  # the station's name in the ledger
    station: str  # a name or a file
    lock: str  # of the station, below every scheduler; "": virtual, each block has its own
    plan: str
    variant: str = ""
    settings: tuple[str, ...] = ()
    exact: bool = False
    console: str = ""  # command that prints what the serial console says, while the block lasts
    arms: tuple[Arm, ...] = ()
    seed: int = 0


@dataclass(frozen=True, slots=True)
class End:
    """The end of an attempt."""

    attempt: int
    code: int | None  # of its process; None: it was killed
    why: str = ""  # what it said last


class AwayError(GatemarkError):
    """Nobody answers on the way to a station: nothing of it, and of its block, is at fault."""


class Executor(Protocol):
    """Raises GatemarkError where a block cannot be had, DiskError where no room is here.

    Raises AwayError where nobody answers who could tell.
    """

    def begin(self, task: Task) -> None:
        """Its folder is there when this returns."""

    def poll(self, timeout_s: float) -> list[End]:
        """Return the ends of attempts, waited for at most `timeout_s`."""

    def fetch(self, attempt: Attempt, runs: Path) -> str:
        """Have its run in `runs`, whole and on the disk; its hash."""

    def stop(self, attempt: Attempt, *, kill: bool = False) -> None:
        """End it; `poll` tells when that is done."""
