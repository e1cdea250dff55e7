# SPDX-License-Identifier: Apache-2.0
"""The table's bounds are set on a kernel that is the gateway's own, and the way in is guarded."""

import asyncio
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gatemark.error import UnavailableError
from gatemark.gateway import guard, sysctl
from gatemark.gateway.changes import Changes
from gatemark.gateway.feature import FEATURES, Asked
from gatemark.node.shell import Local, Node
from gatemark.station.wiring import Gateway

SHELLS = [pytest.param((), id="sh")]
if shutil.which("busybox"):
    SHELLS.append(pytest.param(("busybox",), id="busybox"))


class Box:
    """Another machine, played by this one: files of connection tracking in a folder."""

    name = "gateway"

    def __init__(self, shell: tuple[str, ...] = ()) -> None:
        self.shell = shell

    async def run(self, *command: str, stdin: str = "") -> str:
        return await Local().run(*self.shell, *command, stdin=stdin)


def asked(node: Node, changes: Changes, *said: str) -> Asked:
    return Asked(Gateway(node, {}), changes, "nat", said)


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What /proc/sys has of a gateway's table."""
    monkeypatch.setattr(sysctl, "ROOT", str(tmp_path))
    names = ("max", "buckets", "udp_timeout", "udp_timeout_stream")
    for name, value in zip(names, (1024, 1024, 30, 120), strict=True):
        (tmp_path / f"nf_conntrack_{name}").write_text(f"{value}\n")
    return tmp_path


def values(table: Path) -> dict[str, str]:
    return {path.name: path.read_text().strip() for path in table.iterdir()}


def test_the_table_of_this_machine_is_never_set(table: Path) -> None:
    was, node = values(table), Local("gateway")
    with pytest.raises(UnavailableError, match="this machine's, for all its namespaces"):
        asyncio.run(FEATURES["conntrack-max"].apply(asked(node, Changes(node), "5000")))
    assert values(table) == was


async def _no_guard(changes: Changes) -> None:
    """The guard has tests of its own."""


def test_room_and_buckets_are_set_and_set_back(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "protect", _no_guard)
    was, box = values(table), Box()
    changes = Changes(box)  # type: ignore[arg-type]

    async def there_and_back() -> dict[str, str]:
        await FEATURES["conntrack-max"].apply(asked(box, changes, "5000"))  # type: ignore[arg-type]
        found = values(table)
        await changes.undo()
        return found

    found = asyncio.run(there_and_back())
    assert (found["nf_conntrack_max"], found["nf_conntrack_buckets"]) == ("5000", "5000")
    assert values(table) == was


def test_how_long_an_entry_lasts_is_set_and_set_back(table: Path) -> None:
    was, node = values(table), Local("gateway")
    changes = Changes(node)

    async def there_and_back() -> dict[str, str]:
        await FEATURES["conntrack-timeout"].apply(asked(node, changes, "600"))
        found = values(table)
        await changes.undo()
        return found

    found = asyncio.run(there_and_back())
    assert found["nf_conntrack_udp_timeout"] == found["nf_conntrack_udp_timeout_stream"] == "600"
    assert values(table) == was


@pytest.mark.parametrize("name", ["conntrack-max", "conntrack-timeout"])
def test_a_gateway_that_tracks_nothing_has_no_such_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(sysctl, "ROOT", str(tmp_path / "none"))
    box = Box()
    with pytest.raises(UnavailableError, match="feature conntrack before it"):
        asyncio.run(FEATURES[name].apply(asked(box, Changes(box), "5000")))  # type: ignore[arg-type]


def holding(ballast: int) -> list[int]:
    """Children of the ballast's shell that are to be killed first, and have its memory."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((path / "stat").read_text().rpartition(") ")[2].split()[1])
            adjusted = int((path / "oom_score_adj").read_text())
            pages = int((path / "statm").read_text().split()[1])
        except OSError:
            continue
        if (parent, adjusted) == (ballast, 1000) and pages * 4096 >= guard.BALLAST_BYTES:
            found.append(int(path.name))
    return found


def within(seconds: float, met: Callable[[], bool]) -> bool:
    """Whether it comes to be so."""
    until = time.monotonic() + seconds
    while not (there := met()) and time.monotonic() < until:
        time.sleep(0.05)
    return there


@pytest.mark.parametrize("shell", SHELLS)
def test_the_ballast_holds_memory_until_it_is_undone(
    shell: tuple[str, ...], tmp_path: Path
) -> None:
    pid = tmp_path / "ballast.pid"
    change, undo = (text.replace(guard.PID, str(pid)) for text in (guard.BALLAST, guard.NO_BALLAST))
    changes = Changes(Box(shell))  # type: ignore[arg-type]
    asyncio.run(changes.make(change, undo))
    ballast = int(pid.read_text())
    there = within(5, lambda: bool(holding(ballast)))
    held = holding(ballast)
    asyncio.run(changes.undo())
    assert there
    assert within(5, lambda: not any(Path(f"/proc/{one}").exists() for one in (ballast, *held)))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("shell", SHELLS)
def test_all_above_our_shell_are_spared_but_init_and_shells(shell: tuple[str, ...]) -> None:
    said = asyncio.run(Box(shell).run("sh", "-c", guard.ABOVE))
    rows = [line.split() for line in said.splitlines()]
    assert rows
    assert all(len(row) == 2 for row in rows)
    assert "1" not in [pid for pid, _ in rows]
