# SPDX-License-Identifier: Apache-2.0
"""An undo is a command: it runs at once, by itself, or out of the journal on the device."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gatemark.error import NodeError, UnavailableError
from gatemark.gateway import changes as changing
from gatemark.gateway import journal as journals
from gatemark.gateway.changes import Changes
from gatemark.gateway.journal import Journal
from gatemark.node.quoted import Script, literal, shell
from gatemark.node.shell import Local, Process

NODE = Local("gateway")


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Journal:
    """A journal whose device keeps its copy in a folder of the test's."""
    device = tmp_path / "device"
    device.mkdir()
    monkeypatch.setattr(journals, "DEVICE_FOLDER", str(device))
    return Journal("root@192.0.2.1:2222", tmp_path / "state")


def log(tmp_path: Path) -> list[str]:
    path = tmp_path / "log"
    return path.read_text().split() if path.exists() else []


def logged(tmp_path: Path, name: str) -> Script:
    """A change that writes its name into the log."""
    return shell("echo {name} >> {log}", name=name, log=str(tmp_path / "log"))


async def make_two(changes: Changes, tmp_path: Path) -> None:
    for name in ("first", "second"):
        await changes.make(logged(tmp_path, name), logged(tmp_path, f"un-{name}"))


def both(tmp_path: Path, then: Callable[[Changes], Awaitable[None]], kept: Journal | None) -> None:
    async def run() -> None:
        if kept:
            await kept.open(NODE)
        changes = Changes(NODE, kept)
        await make_two(changes, tmp_path)
        await then(changes)

    asyncio.run(run())


@pytest.mark.parametrize("with_journal", [True, False])
def test_changes_are_undone_in_reverse(tmp_path: Path, kept: Journal, with_journal: bool) -> None:
    both(tmp_path, lambda changes: changes.undo(), kept if with_journal else None)
    assert log(tmp_path) == ["first", "second", "un-second", "un-first"]


def test_what_was_there_before_can_stay(tmp_path: Path, kept: Journal) -> None:
    both(tmp_path, lambda changes: changes.undo(kept=1), kept)
    assert log(tmp_path)[2:] == ["un-second"]


def test_the_device_can_give_itself_back(tmp_path: Path, kept: Journal) -> None:
    async def by_hand(_: Changes) -> None:
        await NODE.run("sh", kept.on_device)

    both(tmp_path, by_hand, kept)
    assert log(tmp_path)[2:] == ["un-second", "un-first"]


def test_what_a_device_undid_itself_is_not_undone_again(tmp_path: Path, kept: Journal) -> None:
    async def by_its_lease(_: Changes) -> None:
        kept.close()
        Path(kept.on_device).write_text("exit 4\n")  # as lease.sh leaves it
        text = "root@192.0.2.1:2222: what a run that was cut off had left set was undone"
        assert await kept.open(NODE) == text
        kept.close()
        assert await kept.open(NODE) == ""

    both(tmp_path, by_its_lease, kept)
    assert log(tmp_path) == ["first", "second"]
    assert not Path(kept.on_device).exists()


def test_both_copies_know_of_a_change_before_it_is_made(tmp_path: Path, kept: Journal) -> None:
    async def fail() -> None:
        await kept.open(NODE)
        await Changes(NODE, kept).make(literal("exit 7"), logged(tmp_path, "un"))

    with pytest.raises(NodeError):
        asyncio.run(fail())
    assert "echo un" in Path(kept.on_device).read_text()
    assert b"echo un" in kept.path.read_bytes()


def test_nothing_is_left_when_all_is_undone(tmp_path: Path, kept: Journal) -> None:
    both(tmp_path, lambda changes: changes.undo(), kept)
    assert not Path(kept.on_device).exists()
    assert not kept.path.exists()


def test_each_undo_is_tried_though_one_fails(tmp_path: Path) -> None:
    async def run() -> None:
        changes = Changes(NODE)
        await changes.make(literal("true"), logged(tmp_path, "reached"))
        await changes.make(literal("true"), literal("false; echo unreached >&2"))
        with pytest.raises(NodeError):
            await changes.undo()
        assert len(changes) == 2

    asyncio.run(run())
    assert log(tmp_path) == ["reached"]


def test_a_change_on_a_device_that_restarted_is_refused(tmp_path: Path, kept: Journal) -> None:
    async def restart(changes: Changes) -> None:
        kept.boot = "another-boot"
        with pytest.raises(NodeError, match="the device restarted"):
            await changes.make(logged(tmp_path, "third"), literal("true"))
        await changes.undo()

    both(tmp_path, restart, kept)
    assert log(tmp_path) == ["first", "second"]


@pytest.mark.parametrize("how", [Changes.make, Changes.attempt])
def test_no_undo_overtakes_a_change_that_is_cancelled(
    tmp_path: Path, how: Callable[[Changes, Script, Script], Awaitable[None]]
) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    slow = shell("read -r _ < {gate}; {then}", gate=str(gate), then=logged(tmp_path, "made"))

    async def run() -> None:
        changes = Changes(NODE)
        making = asyncio.ensure_future(how(changes, slow, logged(tmp_path, "undone")))
        # Opening it waits for the change to read it.
        with await asyncio.to_thread(gate.open, "w") as writer:
            making.cancel()
            await asyncio.wait([making], timeout=0.05)
            assert not making.done()
            writer.write("on\n")
        with pytest.raises(asyncio.CancelledError):
            await making
        await changes.undo()

    asyncio.run(run())
    assert log(tmp_path) == ["made", "undone"]


def test_a_change_that_does_not_end_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changing, "LONGEST_S", 0.05)
    gate = tmp_path / "gate"
    os.mkfifo(gate)

    async def run() -> None:
        changes = Changes(NODE)
        with pytest.raises(NodeError, match=r"^gateway: a change did not end in 0\.05 s$"):
            await changes.make(shell("read -r _ < {gate}", gate=str(gate)), logged(tmp_path, "un"))
        await changes.undo()

    asyncio.run(run())
    assert log(tmp_path) == ["un"]


@dataclass(frozen=True, slots=True)
class Impatient(Local):
    """A gateway that gives up a change as soon as that reads `gate`, as a host over SSH does late.

    What is given up there goes on.
    """

    gate: Path = Path()
    begun: list[Process] = field(default_factory=list)

    async def run(self, *command: str, stdin: str = "") -> str:
        if self.begun:
            return await Local.run(self, *command, stdin=stdin)
        process = await self.start(*command)
        self.begun.append(process)
        process.write(stdin.encode())
        process.close_stdin()
        await asyncio.to_thread(self.gate.read_text)
        raise NodeError("gateway: 'sh' did not end in 120 s")


def test_a_change_that_is_given_up_is_ended_before_its_undo(tmp_path: Path) -> None:
    gate, never = tmp_path / "gate", tmp_path / "never"
    for fifo in (gate, never):
        os.mkfifo(fifo)
    node = Impatient("gateway", gate)
    waits = shell("echo > {gate}; read -r _ < {never}", gate=str(gate), never=str(never))
    slow = shell("{waits}; {late}", waits=waits, late=logged(tmp_path, "late"))

    async def run() -> int:
        changes = Changes(node)
        with pytest.raises(NodeError, match="did not end in 120 s"):
            await changes.make(slow, logged(tmp_path, "undone"))
        await changes.undo()
        try:
            async with asyncio.timeout(9):
                return await node.begun[0].wait()
        finally:
            node.begun[0].kill()

    assert asyncio.run(run()) == -9
    assert log(tmp_path) == ["undone"]


def test_what_the_gateway_refuses_it_lacks_and_the_undo_is_kept(tmp_path: Path) -> None:
    async def run() -> None:
        changes = Changes(NODE)
        refused = literal("echo 'Error: No such qdisc.' >&2; echo '  ^^^' >&2; exit 2")
        with pytest.raises(UnavailableError, match=r"^No such qdisc\.$"):
            await changes.attempt(refused, undo=logged(tmp_path, "undone"))
        await changes.undo()

    asyncio.run(run())
    assert log(tmp_path) == ["undone"]
