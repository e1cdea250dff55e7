# SPDX-License-Identifier: Apache-2.0
"""Locks between real processes: held by one, free when it ends, however it ends."""

import asyncio
import os
import secrets
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest
from pyroute2 import netns

from gatemark import flock
from gatemark.error import StationError
from gatemark.node import leftover
from gatemark.station import lock
from gatemark.station.recover import recover
from gatemark.station.ssh import loan

# The same lock in another process, on the folders of `places`.
OURS = """
import os, sys
from pathlib import Path
from gatemark.station import lock
place = Path(os.environ["GATEMARK_TEST_LOCKS"])
lock.folder = lambda: place / "own"
lock.MACHINE = (str(place),)
"""
HOLD = """
with {lock}:
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture(autouse=True)
def places(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Locks of our own: nothing is held from those who measure meanwhile, and no root is needed."""
    place = tmp_path_factory.mktemp("locks")
    (place / "own").mkdir()
    monkeypatch.setattr(lock, "folder", lambda: place / "own")
    monkeypatch.setattr(lock, "MACHINE", ("/nowhere", str(place)))
    monkeypatch.setattr(lock, "_passed_over", set())
    monkeypatch.setattr(lock, "THREADS", str(place))
    monkeypatch.setenv("GATEMARK_TEST_LOCKS", str(place))
    return place


@pytest.fixture
def lab() -> Iterator[str]:
    name = secrets.token_hex(3)
    yield name
    lock.forget(name)


def holding(what: str) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, "-S", "-c", OURS + HOLD.format(lock=what)],
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


def test_a_held_lab_says_who_holds_it_is_not_taken_and_leaves_nothing(lab: str) -> None:
    process = holding(f"lock.named('{lab}', 'kept')")
    try:
        assert lock.holder(lab) == lock.Holder(process.pid, "kept")
        with pytest.raises(StationError, match=f"lab {lab} is in use"), lock.named(lab, "run"):
            pass
    finally:
        ended(process, kill=False)
    assert (lock.holder(lab), lab in lock.names()) == (None, False)


def test_a_killed_holder_leaves_its_name_and_frees_its_lab_which_asking_does_not_take(
    lab: str,
) -> None:
    ended(holding(f"lock.named('{lab}', 'run')"), kill=True)
    assert (lock.holder(lab), lab in lock.names()) == (None, True)
    with lock.named(lab, "run"):
        assert lock.holder(lab) == lock.Holder(os.getpid(), "run")


def test_a_lab_that_never_was_has_no_holder() -> None:
    assert lock.holder("ffffff") is None


def test_other_files_are_no_labs(lab: str) -> None:
    with lock.machine(lambda _: None), lock.named(lab, "run"):
        assert {path.name for path in lock.folder().iterdir()} == {"machine.lock", f"{lab}.lock"}
        assert lock.names() == [lab]


def test_who_waits_for_the_machine_is_told_once_and_has_it_when_its_holder_ends() -> None:
    process, told = holding("lock.machine(print)"), list[str]()
    try:
        with (
            pytest.raises(StationError, match=r"another run has held this machine for 0\.2 s"),
            lock.machine(told.append, patience_s=0.2),
        ):
            pass
    finally:
        ended(process, kill=False)
    assert told == [
        f"another run is measuring on this machine (process {process.pid} (python)): waiting for it"
    ]
    with lock.machine(lambda _: pytest.fail("it waited")):
        pass


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
        async with lock.meanwhile(lambda _: None, patience_s=20):
            pass

    async def free_it() -> None:
        waiting = asyncio.create_task(wait())
        await asyncio.sleep(0.1)
        process.kill()  # never reached, were the loop held
        await waiting

    asyncio.run(free_it())
    ended(process, kill=True)


def test_what_is_shared_by_all_users_leaves_no_file(places: Path) -> None:
    with lock.machine(print):
        pass
    with lock.threads():
        assert list(places.iterdir()) == [lock.folder()]


@contextmanager
def locked_by_a_stranger(place: Path) -> Iterator[int]:
    """Another user, with a program of the system's own; yields its pid."""
    place.chmod(0o755)
    words = ("setpriv", "--reuid=65534", "--clear-groups", "flock", str(place), "cat")
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"held\n")
    process.stdin.flush()
    assert process.stdout.readline() == b"held\n"
    try:
        yield process.pid
    finally:
        process.communicate(timeout=20)


@pytest.fixture
def open_place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that each user can open, as /run/lock is."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to be another user")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        monkeypatch.setattr(lock, "MACHINE", (name,))
        monkeypatch.setattr(lock, "THREADS", name)
        yield Path(name)


def test_no_user_holds_the_machine_for_ever(open_place: Path) -> None:
    told: list[str] = []
    with (
        locked_by_a_stranger(open_place) as pid,
        lock.machine(told.append, stranger_s=0.1) as note,
    ):
        holder = f"process {pid} (flock) has locked {open_place}"
    assert told == [f"{holder}: waiting for it, 0.1 s at most"]
    assert note.startswith(f"measured although {holder}")


def test_a_user_who_was_passed_over_is_not_waited_for_again(open_place: Path) -> None:
    with locked_by_a_stranger(open_place):
        with lock.machine(print, stranger_s=0):
            pass
        with lock.machine(lambda _: pytest.fail("it waited")) as note:
            assert note


def test_runs_of_root_wait_for_each_other_whoever_holds_what_all_share(open_place: Path) -> None:
    process = holding("lock.machine(print)")
    try:
        with (
            locked_by_a_stranger(open_place),
            pytest.raises(StationError, match=f"end process {process.pid} "),
            lock.machine(print, patience_s=0.1, stranger_s=0),
        ):
            pass
    finally:
        ended(process, kill=False)


def test_no_user_keeps_a_thread_from_being_made(
    open_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock, "THREADS_SHARED_S", 0.1)
    with locked_by_a_stranger(open_place), lock.threads():
        pass


def test_a_machine_that_was_held_alone_is_noted_nowhere() -> None:
    with lock.machine(print) as note:
        assert not note


def test_who_only_asks_does_not_keep_a_lab_from_starting(
    lab: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`recover` of one run asks about every lock, also that of a lab which is just being made."""
    asking = (lock.folder() / f"{lab}.lock").open("a+")
    assert flock.take(asking)
    take, tries = lock._taken, []

    def taken(file: IO[str], path: Path) -> bool:
        tries.append(take(file, path))
        asking.close()  # it has its answer
        return tries[-1]

    monkeypatch.setattr(lock, "_taken", taken)
    with lock.named(lab, "run"):
        assert tries == [False, True]


@pytest.mark.long
def test_many_that_only_ask_do_not_keep_a_lab_from_starting(lab: str) -> None:
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


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch, places: Path) -> None:
    """A clean-up sees nothing but these locks, and needs no root."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(netns, "listnetns", list)
    monkeypatch.setattr(leftover, "sweep", list)
    monkeypatch.setattr(leftover, "ATTACHED_PLACES", (places,))


@pytest.mark.usefixtures("alone")
def test_a_lab_that_is_being_made_waits_for_a_clean_up_of_its_name(
    lab: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_refused, is_made, is_over = threading.Event(), threading.Event(), threading.Event()
    take = lock._taken

    def taken(file: IO[str], path: Path) -> bool:
        is_taken = take(file, path)
        if not is_taken:
            is_refused.set()
        return is_taken

    def make() -> None:
        with lock.named(lab, "run"):
            is_made.set()
            is_over.wait(20)

    maker = threading.Thread(target=make)

    def give_back(_: str) -> list[str]:
        """The other run gets its turn just now."""
        maker.start()
        assert is_refused.wait(20)
        assert not is_made.is_set()
        return []

    monkeypatch.setattr(lock, "_taken", taken)
    monkeypatch.setattr(lock, "ASKING_S", 20.0)  # a clean-up takes longer on a busy machine
    monkeypatch.setattr(loan, "give_back", give_back)
    (lock.folder() / f"{lab}.lock").touch()
    try:
        assert recover() == [f"removed what a dead run left: lab {lab}, 0 namespaces"]
        assert is_made.wait(20)
        assert lock.holder(lab) == lock.Holder(os.getpid(), "run")
    finally:
        is_over.set()
        maker.join()


@pytest.mark.usefixtures("alone")
def test_a_lab_that_is_held_is_not_cleaned_up(lab: str) -> None:
    with lock.named(lab, "run"):
        assert recover() == []
        assert lock.holder(lab) == lock.Holder(os.getpid(), "run")


def test_what_a_lab_without_a_lock_left_is_held_as_well(lab: str) -> None:
    with lock.left(lab) as is_left:
        assert is_left
        with lock.left(lab) as is_left_again:
            assert not is_left_again
