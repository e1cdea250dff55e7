# SPDX-License-Identifier: Apache-2.0
"""The lease on a host, by this machine's shells: a lock, and what silence and death do to it."""

import asyncio
import os
import shutil
import signal
from collections.abc import Callable, Coroutine
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gatemark.error import NodeError, StationError
from gatemark.node.remote import lease
from gatemark.node.remote.lease import Holder, Lease, release
from gatemark.node.shell import Local, LocalProcess

BOOT = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
LONG_S, SHORT_S = 60, 1
PATIENCE_S = 120  # six shells at nice 10 on a busy machine


@dataclass(frozen=True)
class Tmp:
    """A host's /tmp, and what is in it."""

    path: Path

    @property
    def folder(self) -> Path:
        """The lease's own."""
        return self.path / f"gatemark-lease-{BOOT}"

    def journal(self) -> Path:
        """What a gateway's journal has in it: run, it leaves a trace."""
        path = self.path / f"gatemark-root@box-{BOOT}.sh"
        path.write_text(f"echo undone >> {self.path}/trace\n")
        path.chmod(0o600)  # as it was made
        return path

    def undone(self) -> int:
        """How often the journal was run."""
        trace = self.path / "trace"
        return len(trace.read_text().splitlines()) if trace.exists() else 0


SHELLS = [
    pytest.param('"busybox sh"', id="busybox"),
    pytest.param("sh ash bash", id="system", marks=pytest.mark.long),
]


@pytest.fixture(params=SHELLS)
def tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Tmp:
    """A /tmp of this test alone, and a shell."""
    text = lease.shell_script().replace("/tmp/", f"{tmp_path}/")  # noqa: S108
    monkeypatch.delenv("SSH_CONNECTION", raising=False)  # else it would end the tester's own
    monkeypatch.setattr(lease, "shell_script", lambda: text)
    choice = lease.WITH_TIMED_READ.replace('sh ash bash "busybox sh"', request.param)
    monkeypatch.setattr(lease, "WITH_TIMED_READ", choice)
    return Tmp(tmp_path)


@pytest.fixture
def stranger(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Be another laboratory, of another machine, from now on; each task by itself."""
    numbers, us = iter(range(100)), lease.own_process()
    name: ContextVar[str] = ContextVar("name")
    monkeypatch.setattr(lease, "own_process", lambda: name.get(us))

    def become() -> None:
        name.set(f"machine-{next(numbers)}/pid:[1]/1:1")

    return become


def run(do: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(asyncio.wait_for(do(), PATIENCE_S))


async def silent(held: Lease) -> None:
    """Renew it no more, and wait until its keeper has ended."""
    held._renewing.cancel()
    await held.process.wait()


def kill(held: Lease) -> None:
    assert isinstance(held.process, LocalProcess)
    os.kill(held.process.pid, signal.SIGKILL)


def test_it_is_taken_and_freed_and_nothing_is_left(tmp: Tmp) -> None:
    async def do() -> None:
        held = await Lease.take(Local(), LONG_S)
        assert tmp.folder.stat().st_mode & 0o777 == 0o700
        journal = tmp.journal()
        await held.free()
        assert held.process.ended
        assert (tmp.undone(), held.note) == (0, "")
        journal.unlink()

    run(do)
    assert list(tmp.path.iterdir()) == []


def test_another_laboratory_is_refused_in_a_line_that_names_the_first(
    tmp: Tmp, stranger: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUDO_USER", "anna")
    monkeypatch.setattr("socket.gethostname", lambda: "bench2")

    async def do() -> None:
        held = await Lease.take(Local(), LONG_S)
        stranger()
        refusal = (
            r"^this machine: in use by anna@bench2 since \d\d:\d\d \(renewed \d s ago\): "
            r"wait, or `gatemark station release FILE`$"
        )
        with pytest.raises(StationError, match=refusal):
            await Lease.take(Local(), LONG_S)
        await held.free()
        await (await Lease.take(Local(), LONG_S)).free()

    run(do)
    assert list(tmp.path.iterdir()) == []


def test_two_connections_of_one_laboratory_share_it(tmp: Tmp, stranger: Callable[[], None]) -> None:
    async def do() -> None:
        first = await Lease.take(Local(), LONG_S)
        second = await Lease.take(Local(), LONG_S)
        await second.free()
        stranger()
        with pytest.raises(StationError, match="in use by"):
            await Lease.take(Local(), LONG_S)
        await first.free()

    run(do)
    assert list(tmp.path.iterdir()) == []


def test_silence_gives_the_host_back(tmp: Tmp) -> None:
    async def do() -> None:
        held = await Lease.take(Local(), SHORT_S)
        journal = tmp.journal()
        await silent(held)
        assert "not renewed for its lease of 1 s, so it gave itself back" in held.over
        assert "nothing is left to undo" in journal.read_text()

    run(do)
    assert tmp.undone() == 1
    assert not tmp.folder.exists()


def test_a_lease_whose_folder_is_removed_is_over(tmp: Tmp, stranger: Callable[[], None]) -> None:
    """Others would find the host free: two laboratories would have it."""

    async def do() -> None:
        first = await Lease.take(Local(), 24 * SHORT_S)
        shutil.rmtree(tmp.folder)
        stranger()
        second = await Lease.take(Local(), LONG_S)
        journal = tmp.journal()
        await first.process.wait()
        assert "removed from /tmp, so it gave itself back" in first.over
        assert (second.over, second.ended, tmp.undone()) == ("", "", 0)  # what is its own stays
        await second.free()
        journal.unlink()

    run(do)
    assert list(tmp.path.iterdir()) == []


@pytest.mark.long
def test_the_end_of_the_input_gives_the_host_back_at_once(tmp: Tmp) -> None:
    async def do() -> None:
        held = await Lease.take(Local(), 10 * PATIENCE_S)
        tmp.journal()
        held.process.close_stdin()
        await held.process.wait()

    run(do)
    assert tmp.undone() == 1


def test_a_lease_whose_keeper_was_killed_is_taken_over_and_undone(
    tmp: Tmp, stranger: Callable[[], None]
) -> None:
    async def do() -> None:
        first = await Lease.take(Local(), LONG_S)
        tmp.journal()
        kill(first)
        await first.process.wait()
        assert first.ended == "what kept its lease was killed there"
        stranger()
        second = await Lease.take(Local(), LONG_S)
        assert second.note.startswith("this machine: taken over from ")
        assert tmp.undone() == 1
        kill(second)  # also one that had taken over
        await second.process.wait()
        third = await Lease.take(Local(), LONG_S)
        assert tmp.undone() == 1
        await third.free()

    run(do)
    assert not tmp.folder.exists()


def test_of_many_that_take_over_at_once_one_has_it(tmp: Tmp, stranger: Callable[[], None]) -> None:
    async def take() -> Lease | None:
        stranger()
        try:
            return await Lease.take(Local(), LONG_S)
        except StationError:
            return None

    async def do() -> None:
        first = await Lease.take(Local(), LONG_S)
        kill(first)
        await first.process.wait()
        tries = [asyncio.create_task(take()) for _ in range(6)]
        held = [lease for lease in await asyncio.gather(*tries) if lease]
        assert len(held) == 1
        await held[0].free()

    run(do)
    assert list(tmp.path.iterdir()) == []


@pytest.mark.long
def test_one_that_is_renewed_is_released_by_force_alone(
    tmp: Tmp, stranger: Callable[[], None]
) -> None:
    async def do() -> None:
        held = await Lease.take(Local(), LONG_S)
        tmp.journal()
        stranger()
        with pytest.raises(StationError, match=r"in use by .*: wait, or take it away by --force"):
            await release(Local())
        told = await release(Local(), force=True)
        assert told.startswith("this machine: given back; it was held by ")
        assert "`gatemark station release` gave it back" in held.over
        assert await release(Local()) == "this machine: nobody holds it"

    run(do)
    assert tmp.undone() == 1


def test_an_undo_that_fails_stays_for_the_next_contact(tmp: Tmp) -> None:
    journal = tmp.journal()
    journal.write_text("exit 1\n")

    async def do() -> None:
        held = await Lease.take(Local(), LONG_S)
        await held.free()
        assert await asyncio.wait_for(held._word, 0) == "freed"

    run(do)
    assert journal.read_text() == "exit 1\n"


def test_a_folder_that_is_not_ours_is_refused(tmp: Tmp) -> None:
    tmp.folder.symlink_to(tmp.path)

    async def do() -> None:
        with pytest.raises(StationError, match="is another user's: remove it"):
            await Lease.take(Local(), LONG_S)

    run(do)
    assert tmp.folder.is_symlink()


def test_a_laboratory_that_slept_knows_that_its_lease_is_over(
    tmp: Tmp, monkeypatch: pytest.MonkeyPatch
) -> None:
    del tmp

    async def do() -> None:
        held = await Lease.take(Local(), LONG_S)
        assert held.over == ""
        now_s = lease._now_s()
        monkeypatch.setattr(lease, "_now_s", lambda: now_s + LONG_S)
        assert "not renewed for its lease of 60 s" in held.over
        await held.free()

    run(do)


@pytest.mark.long
def test_a_dead_laboratory_of_this_machine_is_not_waited_for(
    tmp: Tmp, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = lease.own_process().rpartition("/")[0]

    async def do() -> None:
        monkeypatch.setattr(lease, "own_process", lambda: f"{machine}/4194305:1")
        first = await Lease.take(Local(), LONG_S)
        monkeypatch.setattr(lease, "own_process", lambda: f"{machine}/1:1")
        await (await Lease.take(Local(), LONG_S)).free()
        assert first.over

    run(do)
    assert list(tmp.path.iterdir()) == []


@pytest.mark.long
def test_a_keeper_that_got_no_cpu_reads_before_it_judges(tmp: Tmp) -> None:
    async def do() -> None:
        held = await Lease.take(Local(), 5)
        assert isinstance(held.process, LocalProcess)
        os.kill(held.process.pid, signal.SIGSTOP)
        await asyncio.sleep(7)
        os.kill(held.process.pid, signal.SIGCONT)
        await asyncio.sleep(1)
        assert (held.over, held.ended) == ("", "")
        await held.free()

    run(do)
    assert list(tmp.path.iterdir()) == []


def test_a_day_before_is_named() -> None:
    assert " since 1970-01-0" in Holder.parse("3 120 a/b/1:2 0 anna@bench2 run quick").text


def test_a_time_that_is_none_is_an_answer_that_cannot_be_read() -> None:
    def refusal(since: str) -> str:
        try:
            return Holder.parse(f"3 120 a/b/1:2 {since} anna@bench2 run quick").text
        except NodeError as error:
            return str(error)

    odd = ("1e300", "1e18", "1e17", "1e12", "-1e12", "nan", "inf", "-inf")
    assert [at for at in odd if "who holds its lease cannot be read" not in refusal(at)] == []
