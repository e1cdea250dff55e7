# SPDX-License-Identifier: Apache-2.0
"""Locks between real processes: held by one, free when it ends, however it ends."""

import asyncio
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator

import pytest

from gatemark.error import StationError
from gatemark.station import lock

# The same lock in another process, on the folders of `places`.
OURS = """
import os, sys
from pathlib import Path
from gatemark.station import lock
place = os.environ["GATEMARK_TEST_LOCKS"]
lock.folder = lambda: Path(place)
lock.MACHINE = (place,)
"""
HOLD = """
with {lock}:
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture(autouse=True)
def places(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Locks of our own: nothing is held from those who measure meanwhile, and no root is needed."""
    place = tmp_path_factory.mktemp("locks")
    monkeypatch.setattr(lock, "folder", lambda: place)
    monkeypatch.setattr(lock, "MACHINE", ("/nowhere", str(place)))
    monkeypatch.setattr(lock, "THREADS", str(place))
    monkeypatch.setenv("GATEMARK_TEST_LOCKS", str(place))


@pytest.fixture
def lab() -> Iterator[str]:
    name = secrets.token_hex(3)
    yield name
    lock.forget(name)


def holding(what: str) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, "-c", OURS + HOLD.format(lock=what)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def ended(process: "subprocess.Popen[str]", *, kill: bool) -> None:
    if kill:
        process.kill()
    process.communicate(None if kill else "\n", timeout=20)


def test_a_lab_says_who_holds_it_and_why(lab: str) -> None:
    process = holding(f"lock.named('{lab}', 'kept')")
    try:
        assert lock.holder(lab) == lock.Holder(process.pid, "kept")
    finally:
        ended(process, kill=False)


def test_a_held_lab_is_not_taken(lab: str) -> None:
    process = holding(f"lock.named('{lab}', 'run')")
    try:
        with pytest.raises(StationError, match=f"lab {lab} is in use"), lock.named(lab, "run"):
            pass
    finally:
        ended(process, kill=False)


def test_a_lab_that_was_given_back_leaves_nothing(lab: str) -> None:
    ended(holding(f"lock.named('{lab}', 'run')"), kill=False)
    assert (lock.holder(lab), lab in lock.names()) == (None, False)


def test_a_killed_holder_frees_its_lab_and_leaves_its_name(lab: str) -> None:
    ended(holding(f"lock.named('{lab}', 'run')"), kill=True)
    assert (lock.holder(lab), lab in lock.names()) == (None, True)


def test_asking_who_holds_a_lab_does_not_take_it(lab: str) -> None:
    ended(holding(f"lock.named('{lab}', 'run')"), kill=True)
    lock.holder(lab)
    with lock.named(lab, "run"):
        assert lock.holder(lab) == lock.Holder(os.getpid(), "run")


def test_a_lab_that_never_was_has_no_holder() -> None:
    assert lock.holder("ffffff") is None


def test_other_files_are_no_labs(lab: str) -> None:
    with lock.machine(lambda _: None), lock.named(lab, "run"):
        assert all(len(name) == 6 for name in lock.names())


@pytest.mark.parametrize("kill", [True, False])
def test_the_machine_is_free_when_its_holder_ends(kill: bool) -> None:
    ended(holding("lock.machine(print)"), kill=kill)
    with lock.machine(lambda _: pytest.fail("it waited")):
        pass


def test_who_waits_for_the_machine_is_told_once() -> None:
    process, told = holding("lock.machine(print)"), list[str]()
    try:
        with (
            pytest.raises(StationError, match=r"another run has held this machine for 0\.2 s"),
            lock.machine(told.append, patience_s=0.2),
        ):
            pass
    finally:
        ended(process, kill=False)
    assert told == ["another run is measuring on this machine: waiting for it"]


def test_who_waits_for_the_machine_gets_it_in_the_end() -> None:
    process, told = holding("lock.machine(print)"), list[str]()

    def told_and_freed(text: str) -> None:
        told.append(text)
        process.kill()

    with lock.machine(told_and_freed, patience_s=20):
        assert told
    ended(process, kill=True)


def test_other_tasks_go_on_while_the_machine_is_waited_for() -> None:
    process = holding("lock.machine(print)")

    async def wait() -> None:
        async with lock.machine_in_turn(lambda _: None, patience_s=20):
            pass

    async def free_it() -> None:
        waiting = asyncio.create_task(wait())
        await asyncio.sleep(0.1)
        process.kill()  # never reached, were the loop held
        await waiting

    asyncio.run(free_it())
    ended(process, kill=True)


def test_what_is_shared_by_all_users_leaves_no_file() -> None:
    with lock.machine(print):
        pass
    with lock.threads():
        assert list(lock.folder().iterdir()) == []


def test_who_only_asks_does_not_keep_a_lab_from_starting(lab: str) -> None:
    """`recover` of one run asks about every lock, also that of a lab which is just being made."""
    script = f"{OURS}\nprint('asking', flush=True)\nwhile True: lock.holder('{lab}')"
    env = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, env=env)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        for _ in range(200):
            (lock.folder() / f"{lab}.lock").touch()
            with lock.named(lab, "run"):
                pass
    finally:
        process.kill()
        process.communicate()
