# SPDX-License-Identifier: Apache-2.0
"""Power lost at any write of a ledger: what a call had returned for is there, and it goes on."""

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import crash
import pytest

from gatemark.error import UsageError
from gatemark.fleet.ledger import Ledger

CAMPAIGN = """schema = "gatemark.campaign/1"
title = "Two setups"
repeats = 2
[[model]]
name = "lab"
stations = ["lab"]
[[build]]
name = "field"
setup = "route"
[[build]]
name = "next"
setup = "nat"
[[suite]]
plan = "cost/ab"
"""
# Of two blocks; the first one's first attempt fails. A mark is printed when a call has returned.
WRITER = """
import sys
from pathlib import Path
from gatemark.fleet.course import FOLDER
from gatemark.fleet.ledger import Ledger
from gatemark.commands.campaign import coordinate

def steps(file, folder):
    coordinate.begin(file, folder)
    made = Ledger.open(folder, lambda: 0.0)
    yield made
    for fails in (True, False, False):
        attempt = made.claim("lab", "lab", FOLDER, lambda _: 60.0).id
        yield made
        calls = [lambda: made.started(attempt)]
        if fails:
            calls += [lambda: made.drop(attempt, "failed", "it hung")]
        else:
            calls += [lambda: made.stored(attempt, "abc"), lambda: made.done(attempt, "abc")]
        for call in calls:
            call()
            yield made
    made.close()

if __name__ == "__main__":
    for _ in steps(*map(Path, sys.argv[1:])):
        print("returned", flush=True)
"""


def state(made: Ledger) -> list[object]:
    """All that a campaign goes on by."""
    return [made.blocks(), made.attempts(), made.places(), made.events()]


def states(file: Path, folder: Path) -> list[list[object]]:
    """After each call of the writer."""
    scope: dict[str, Any] = {"__name__": "writer"}
    exec(WRITER, scope)  # noqa: S102
    return [state(made) for made in scope["steps"](file, folder)]


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder in memory, where fsync takes no time."""
    memory = Path("/dev/shm")  # noqa: S108  a folder of its own is made there
    with TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as folder:
        yield Path(folder)


def after(folder: Path, returned: int) -> list[object]:
    """What a ledger holds that the power left; nothing where it was never made."""
    try:
        with closing(Ledger.open(folder, lambda: 0.0)) as made:
            assert made.faults() == []
            return state(made)
    except UsageError:
        assert not returned
        return []


def test_no_change_that_was_made_is_lost_with_the_power(place: Path) -> None:
    disk, file = place / "disk", place / "campaign.toml"
    disk.mkdir()
    file.write_text(CAMPAIGN)
    expected = [[], *states(file, place / "here")]
    count, wrong = 0, []
    for moment, seen in enumerate(crash.moments(disk, WRITER, str(file), f"{disk}/out")):
        returned = len(seen.marks)
        for folder in seen.outcomes(place / f"{moment}"):
            count += 1
            if after(folder / "out", returned) not in expected[returned : returned + 2]:
                wrong.append((moment, folder.name))
    assert wrong == []
    assert len(seen.marks) == len(expected) - 1
    assert count > 100
