# SPDX-License-Identifier: Apache-2.0
"""The runs that this user began here, as far as going on with them executes their words.

A run's directory may come from anyone, and its `run.json` holds shell commands: that of `--switch`
runs on this machine, `[command.NAME]` on the gateway, and a station file says whose gateway that
is. So a run with any of these leaves a mark in the user's own state as it is begun, and one without
a mark is another's. The mark is of these commands in this run: neither can be exchanged. So it is
with a campaign's folder.
"""

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from gatemark.error import UnavailableError
from gatemark.store import file, xdg
from gatemark.store.run import Run

FOLDER: Final = "begun"


@dataclass(frozen=True, slots=True)
class Begun:
    """A run or a campaign, and what going on with it executes."""

    name: str
    identity: tuple[Any, ...]  # what none other has, with all that it executes
    executed: tuple[str, ...]  # as it is written: two commands may look alike in a line

    @property
    def lines(self) -> tuple[str, ...]:
        """Return the commands that it executes, a line each, without what steers a terminal."""
        return tuple(map(_plain, self.executed))

    def mark(self) -> None:
        """Keep that this user began it, or agreed to it; else it is asked for."""
        with suppress(OSError, UnavailableError):
            if self.executed:
                path = self._place()
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                text = "".join(f"{line}\n" for line in (_plain(self.name), *self.lines))
                file.write(path, text.encode())

    def is_own(self) -> bool:
        """Return whether this user began it here, or it executes nothing."""
        if not self.executed:
            return True
        with suppress(OSError, UnavailableError):
            return self._place().is_file()
        return False

    def _place(self) -> Path:
        """Raises UnavailableError where the user has no place for it."""
        what = (*self.identity, self.executed)
        return xdg.state() / FOLDER / hashlib.sha256(msgspec.json.encode(what)).hexdigest()


def of(run: Run) -> Begun:
    """A run."""
    return Begun(run.run, (run.run, run.started, run.seed), _executed(run))


def _executed(run: Run) -> tuple[str, ...]:
    switch = [f"--switch, on this machine: {run.ab.switch}"] if run.ab and run.ab.switch else []
    switch += [f"switch to {n}: {s.switch}" for n, s in run.sides.items() if s.switch]
    commands = [plan.command for plan in run.plans] + [spec.commands for spec in run.trials]
    programs = [
        f"command:{name}, on the gateway: {command.run}"
        for known in commands
        for name, command in known.items()
    ]
    sides = (run.ab.old, run.ab.new) if run.ab else tuple(run.sides.values())
    files = [run.station_file, *(side.station_file for side in sides)]
    stations = [f"the station of {name}" for name in files if name.endswith(".toml")]
    return tuple(dict.fromkeys((*switch, *sorted(programs), *stations)))


def _plain(text: str) -> str:
    """Return a text whose invisible parts are written as in Python: `\\x1b`."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
