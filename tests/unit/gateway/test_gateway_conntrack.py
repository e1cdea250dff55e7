# SPDX-License-Identifier: Apache-2.0
"""The table's bounds are set on a kernel that is the gateway's own, and the way in is guarded."""

import asyncio
import os
import shutil
import signal
from pathlib import Path

import pytest

from gatemark.error import NodeError, UnavailableError
from gatemark.gateway import guard
from gatemark.gateway.changes import Changes
from gatemark.gateway.feature import Asked, conntrack_max, conntrack_timeout, feature_of
from gatemark.node.shell import Local, Node, Process
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

    async def start(self, *command: str) -> Process:
        return await Local().start(*self.shell, *command)


def asked(node: Node, changes: Changes, *said: str) -> Asked:
    return Asked(Gateway(node, {}), changes, "nat", said)


def below(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the features find connection tracking's settings in a folder."""
    for module, name in ((conntrack_max, "BOUNDS"), (conntrack_timeout, "TIMEOUTS")):
        files = [str(folder / Path(one).name) for one in getattr(module, name)]
        monkeypatch.setattr(module, name, tuple(files))


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What /proc/sys has of a gateway's table."""
    below(tmp_path, monkeypatch)
    names = ("max", "buckets", "udp_timeout", "udp_timeout_stream")
    for name, value in zip(names, (1024, 1024, 30, 120), strict=True):
        (tmp_path / f"nf_conntrack_{name}").write_text(f"{value}\n")
    return tmp_path


def values(table: Path) -> dict[str, str]:
    return {path.name: path.read_text().strip() for path in table.iterdir()}


def test_the_table_of_this_machine_is_never_set(table: Path) -> None:
    was, node = values(table), Local("gateway")
    with pytest.raises(UnavailableError, match="this machine's, for all its namespaces"):
        asyncio.run(conntrack_max.apply(asked(node, Changes(node), "5000")))
    assert values(table) == was


async def _no_guard(gateway: Gateway, changes: Changes) -> None:
    """The guard has tests of its own."""
    del gateway, changes


def test_room_and_buckets_are_set_and_set_back(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "protect", _no_guard)
    was, box = values(table), Box()
    changes = Changes(box)  # type: ignore[arg-type]

    async def there_and_back() -> dict[str, str]:
        await conntrack_max.apply(asked(box, changes, "5000"))  # type: ignore[arg-type]
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
        await conntrack_timeout.apply(asked(node, changes, "600"))
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
    below(tmp_path / "none", monkeypatch)
    box = Box()
    with pytest.raises(UnavailableError, match="feature conntrack before it"):
        asyncio.run(feature_of(name).apply(asked(box, Changes(box), "5000")))  # type: ignore[arg-type]


@pytest.mark.parametrize("shell", SHELLS)
def test_the_ballast_holds_memory_to_be_killed_first_until_it_is_let_go(
    shell: tuple[str, ...],
) -> None:
    async def hold() -> tuple[list[int], bool]:
        ballast = await guard.Ballast.hold(Box(shell))  # type: ignore[arg-type]
        held = holding()
        ballast.release()
        await ballast._process.wait()
        killed = ballast.killed
        await ballast.end()
        return held, killed

    held, killed = asyncio.run(hold())
    assert (len(held), killed) == (2, False)
    assert not any(Path(f"/proc/{pid}").exists() for pid in held)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_ballast_that_is_killed_is_told_while_its_session_goes_on(
    shell: tuple[str, ...],
) -> None:
    async def kill() -> tuple[bool, bool, bool]:
        ballast = await guard.Ballast.hold(Box(shell))  # type: ignore[arg-type]
        before = ballast.killed
        os.kill(holding(1000)[0], signal.SIGKILL)
        await asyncio.wait_for(ballast._said, 10)
        ended = ballast._process.ended
        await ballast.end()
        await ballast._process.wait()
        return before, ended, ballast.killed

    assert asyncio.run(kill()) == (False, False, True)


def test_where_no_memory_can_be_held_the_reason_is_told(tmp_path: Path) -> None:
    (tmp_path / "sh").symlink_to("/bin/sh")
    bare = Box(("env", f"PATH={tmp_path}"))
    with pytest.raises(NodeError, match=r"no memory could be held there: .*awk.*not found"):
        asyncio.run(guard.Ballast.hold(bare))  # type: ignore[arg-type]


def holding(least: int = 999) -> list[int]:
    """Our descendants that are to be killed so early, and hold half of the ballast's memory."""
    mine, found = {os.getpid()}, []
    for path in sorted(Path("/proc").glob("[0-9]*"), key=lambda path: int(path.name)):
        try:
            parent = int((path / "stat").read_text().rpartition(") ")[2].split()[1])
            adjusted = int((path / "oom_score_adj").read_text())
            pages = int((path / "statm").read_text().split()[1])
        except OSError:
            continue
        if parent in mine:
            mine.add(int(path.name))
            if adjusted >= least and pages * 4096 >= guard.HALF_BYTES:
                found.append(int(path.name))
    return found


@pytest.mark.parametrize("shell", SHELLS)
def test_all_above_our_shell_are_spared_but_init_and_shells(shell: tuple[str, ...]) -> None:
    said = asyncio.run(Box(shell).run("sh", "-c", guard.ABOVE))
    rows = [line.split() for line in said.splitlines()]
    assert rows
    assert all(len(row) == 2 for row in rows)
    assert "1" not in [pid for pid, _ in rows]
