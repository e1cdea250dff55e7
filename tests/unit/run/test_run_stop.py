# SPDX-License-Identifier: Apache-2.0
"""Signals end work in order, however many come, and only the process that was meant."""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest

from gatemark.run import stop

BEGUN = 100  # processes that Ctrl-C meets; a few of them would die
# It forks a process for each line that it reads, prints its number, and its exit code at its end.
# Of such a process a line is: the work is up; and a line for all that it says.
NURSERY = """
import asyncio, os, signal, subprocess, sys, time, traceback
from gatemark.node.shield import whole
from gatemark.run import stop

def say(text):
    print(text, flush=True)

def are_sent():  # the test makes a file once it has sent all its signals
    return os.path.exists(sent) or time.monotonic() > began + 60

async def until_they_are_sent():
    while not are_sent():
        await asyncio.sleep(0.005)

async def give_back():
    say("giving back")
    await until_they_are_sent()
    say("given back")

async def waiting():
    say("up")
    try:
        await asyncio.sleep(60)
    finally:
        await whole(give_back())

async def forking():
    task = asyncio.current_task()
    child = os.fork()
    if child == 0:
        os.kill(os.getpid(), signal.SIGTERM)  # as a library of ours ends its child
        os._exit(task.cancelling())
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    say("up")
    await until_they_are_sent()
    await asyncio.sleep(0.01)
    return f"to its end, the child with {code}"

async def swallowing():
    say("up")
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        stop.heed()
    return "went on"

def blocked():
    say("up")
    while not are_sent():
        time.sleep(0.005)
    say("given back")

def beginning():
    say("up")
    ends = {subprocess.run(["true"], start_new_session=True).returncode for _ in range(BEGUN)}
    say(f"they ended with {ends}")

def live(name):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if name == "nohup":
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        if name in ("blocked", "beginning"):
            stop.later(globals()[name])
        else:
            work = {"nohup": forking}.get(name) or globals()[name]
            say(stop.run(work(), say))
    except stop.StoppedError as error:
        say(f"{error}, {error.exit_code}")
        while not are_sent():
            time.sleep(0.005)
        sys.exit(error.exit_code)

for line in iter(sys.stdin.readline, ""):
    name, sent, out = line.split()
    began = time.monotonic()
    if child := os.fork():
        say(f"process {child}")
        say(f"ended {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}")
        continue
    code = 1
    try:
        os.setsid()
        fd = os.open(out, os.O_WRONLY)
        os.dup2(fd, 1)
        os.dup2(fd, 2)
        live(name)
        code = 0
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)
"""


@pytest.fixture(scope="module")
def nursery() -> "Iterator[subprocess.Popen[str]]":
    """What all processes of these tests are forked from, so that Python is started once."""
    path = os.pathsep.join(filter(None, sys.path))
    with subprocess.Popen(
        [sys.executable, "-c", NURSERY.replace("BEGUN", str(BEGUN))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": path},
    ) as process:
        yield process


def number(lines: IO[str], name: str) -> int:
    """Of the next line, which must be of that name: no other process is to get a signal."""
    words = lines.readline().split()
    assert words[:1] == [name]
    return int(words[1])


@dataclass
class Work:
    """A process, what it says, where its exit code is printed, and the file that says: all sent."""

    pid: int
    said: IO[str]
    codes: IO[str]
    sent: Path

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def line(self) -> str:
        return self.said.readline().rstrip("\n")

    def has_ended(self) -> bool:
        return bool(select.select([self.codes], [], [], 0)[0])

    def rest(self) -> tuple[list[str], int]:
        """What it still says, and how it ends, now that all signals are sent."""
        self.sent.touch()
        with self.said:
            return self.said.read().splitlines(), number(self.codes, "ended")


class Start:
    """Begins a work in a process of its own."""

    def __init__(self, nursery: "subprocess.Popen[str]", folder: Path) -> None:
        self.nursery = nursery
        self.folder = folder

    def __call__(self, name: str) -> Work:
        out, sent = self.folder / "out", self.folder / "sent"
        os.mkfifo(out)
        assert self.nursery.stdin
        assert self.nursery.stdout
        self.nursery.stdin.write(f"{name} {sent} {out}\n")
        self.nursery.stdin.flush()
        work = Work(number(self.nursery.stdout, "process"), out.open(), self.nursery.stdout, sent)
        assert work.line() == "up"
        return work


@pytest.fixture
def start(nursery: "subprocess.Popen[str]", tmp_path: Path) -> Start:
    return Start(nursery, tmp_path)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_in_order(number: signal.Signals, start: Start) -> None:
    work = start("waiting")
    work.signal(number)
    code = 128 + number
    assert work.rest() == (["giving back", "given back", f"stopped, {code}"], code)


def test_more_signals_are_told_once_and_break_nothing(start: Start) -> None:
    work = start("waiting")
    work.signal(signal.SIGINT)
    assert work.line() == "giving back"
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        work.signal(number)
        time.sleep(0.02)
    assert f"`kill -9 {work.pid}` would leave that to the next start" in work.line()
    assert work.rest() == (["given back", "stopped, 130"], 130)


def test_a_signal_after_the_end_has_begun_is_not_heard(start: Start) -> None:
    work = start("swallowing")
    work.signal(signal.SIGINT)
    assert work.line() == "stopped, 130"
    work.signal(signal.SIGINT)
    assert work.rest() == ([], 130)


def test_a_childs_signal_is_not_ours(start: Start) -> None:
    assert start("forking").rest() == (["to its end, the child with 0"], 0)


def test_a_signal_that_is_ignored_stays_ignored(start: Start) -> None:
    work = start("nohup")
    work.signal(signal.SIGHUP)
    assert work.rest() == (["to its end, the child with 0"], 0)


def test_a_stop_that_was_swallowed_on_the_way_is_heeded(start: Start) -> None:
    work = start("swallowing")
    work.signal(signal.SIGINT)
    assert work.rest() == (["stopped, 130"], 130)


def test_work_that_cannot_be_cut_is_done_first(start: Start) -> None:
    work = start("blocked")
    for _ in range(3):
        work.signal(signal.SIGINT)
        time.sleep(0.02)
    assert work.rest() == (["given back", "stopped, 130"], 130)


def test_a_process_is_begun_by_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of vfork has the default handlers before it has a session of its own."""
    monkeypatch.setattr(subprocess, "_USE_VFORK", True)
    assert stop.later(lambda: subprocess._USE_VFORK) is False


@pytest.mark.long
def test_ctrl_c_ends_no_process_that_is_just_being_begun(start: Start) -> None:
    """It has the terminal's group until it has a session of its own."""
    work = start("beginning")
    work.sent.touch()  # signals come until it has ended
    while not work.has_ended():
        with suppress(ProcessLookupError):  # it ends just now
            os.killpg(work.pid, signal.SIGINT)
        time.sleep(0.0003)
    assert work.rest() == (["they ended with {0}", "stopped, 130"], 130)
