# SPDX-License-Identifier: Apache-2.0
"""A guest's state into a file and out of it: what the monitor is asked, in order."""

import asyncio
import os
import socket
from pathlib import Path
from typing import Any, cast

import pytest

from gatemark.error import StationError
from gatemark.station.qemu import migration
from gatemark.station.qemu.migration import resume, save
from gatemark.station.qemu.qmp import Monitor

FILE = 7


class Played:
    """A monitor whose migration goes through these states."""

    def __init__(self, *states: dict[str, str]) -> None:
        self.states = list(states)
        self.events: list[str] = []

    async def ask(self, command: str, **arguments: Any) -> Any:
        self.events.append(" ".join((command, *map(str, arguments.values()))))
        return self.states.pop(0) if command == "query-migrate" else {}

    async def hand(self, name: str, file: int) -> None:
        self.events.append(f"{name} is {file}")


def monitor(*states: dict[str, str]) -> tuple[Monitor, list[str]]:
    played = Played(*states)
    return cast(Monitor, played), played.events


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migration, "LOOK_S", 0.0)


def test_a_guest_stands_still_while_it_is_saved_and_goes_on() -> None:
    asked, events = monitor({"status": "active"}, {"status": "completed"})
    asyncio.run(save(asked, FILE))
    assert [event.partition(" ")[0] for event in events] == [
        *("migrate-set-parameters", "state", "stop", "migrate"),
        *("query-migrate", "query-migrate", "cont"),
    ]


def test_a_guest_goes_on_where_the_disk_is_full() -> None:
    asked, events = monitor({"status": "failed", "error-desc": "No space left on device"})
    with pytest.raises(StationError, match="No space left"):
        asyncio.run(save(asked, FILE))
    assert events[-1] == "cont"


def test_a_saving_that_does_not_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migration, "LONGEST_S", 0.0)
    asked, events = monitor({"status": "active"}, {"status": "active"})
    with pytest.raises(StationError, match="no snapshot in 0 s"):
        asyncio.run(save(asked, FILE))
    assert events[-1] == "cont"


def test_a_guest_that_goes_on_sends_nothing_of_itself() -> None:
    asked, events = monitor({}, {"status": "completed"})
    asyncio.run(resume(asked, FILE))
    assert events[0] == "migrate-set-parameters 0"
    assert events[-1] == "cont"


def test_qemu_gets_a_file_open_by_its_name(tmp_path: Path) -> None:
    async def run() -> bytes:
        ours, theirs = socket.socketpair()
        with theirs, (tmp_path / "state").open("wb") as state:
            theirs.sendall(b'{"QMP": {}}\n{"return": {}}\n{"return": {}}\n')
            asked = await Monitor.open(ours)
            theirs.recv(1 << 16)  # what it was greeted with
            await asked.hand("state", state.fileno())
            line, (file,), _, _ = socket.recv_fds(theirs, 1 << 16, 1)
            asked.close()
        os.write(file, b"a guest")
        os.close(file)
        return line

    assert b'"fdname": "state"' in asyncio.run(run())
    assert (tmp_path / "state").read_bytes() == b"a guest"
