# SPDX-License-Identifier: Apache-2.0
"""Signals end work in order, however many come, and only the process that was meant."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

# What is asked for first, then a line: the work is up, and a line for all that it says.
WORK = """
import asyncio, os, signal, subprocess, sys, time
from gatemark.node.shield import whole
from gatemark.run import stop

def say(text):
    print(text, flush=True)

def are_sent():  # the test makes a file once it has sent all its signals
    return os.path.exists(sys.argv[2]) or time.monotonic() > began + 20

async def until_they_are_sent():
    while not are_sent():
        await asyncio.sleep(0.02)

async def give_back():
    say("giving back")
    await until_they_are_sent()
    say("given back")

async def waiting():
    say("up")
    try:
        await asyncio.sleep(20)
    finally:
        await whole(give_back())

async def forking():
    child = os.fork()
    if child == 0:
        os.kill(os.getpid(), signal.SIGTERM)  # as a library of ours ends its child
        os._exit(0)
    os.waitpid(child, 0)
    say("up")
    await until_they_are_sent()
    await asyncio.sleep(0.1)
    return "to its end"

async def swallowing():
    say("up")
    try:
        await asyncio.sleep(20)
    except asyncio.CancelledError:
        stop.heed()
    return "went on"

def blocked():
    say("up")
    while not are_sent():
        time.sleep(0.02)
    say("given back")

def beginning():
    say("up")
    ends = {subprocess.run(["true"], start_new_session=True).returncode for _ in range(100)}
    say(f"they ended with {ends}")

began = time.monotonic()
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
if sys.argv[1] == "nohup":
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
try:
    if sys.argv[1] in ("blocked", "beginning"):
        stop.later(globals()[sys.argv[1]])
    else:
        work = {"nohup": forking}.get(sys.argv[1]) or globals()[sys.argv[1]]
        say(stop.run(work(), say))
except stop.StoppedError as error:
    say(f"{error}, {error.exit_code}")
    while not are_sent():
        time.sleep(0.02)
    sys.exit(error.exit_code)
"""


@pytest.fixture
def sent(tmp_path: Path) -> Path:
    """Where a file is made once all signals are sent."""
    return tmp_path / "sent"


def started(work: str, sent: Path) -> "subprocess.Popen[str]":
    path = os.pathsep.join(filter(None, sys.path))
    process = subprocess.Popen(
        [sys.executable, "-c", WORK, work, str(sent)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"PYTHONPATH": path},
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"
    return process


def rest(process: "subprocess.Popen[str]", sent: Path) -> tuple[list[str], int]:
    """What it still says, and how it ends, now that all signals are sent."""
    sent.touch()
    assert process.stdout is not None
    with process:  # `communicate` would lose the lines that came with one that was read before
        return process.stdout.read().splitlines(), process.wait(60)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_in_order(number: signal.Signals, sent: Path) -> None:
    process = started("waiting", sent)
    process.send_signal(number)
    code = 128 + number
    assert rest(process, sent) == (["giving back", "given back", f"stopped, {code}"], code)


def test_more_signals_are_told_once_and_break_nothing(sent: Path) -> None:
    process = started("waiting", sent)
    assert process.stdout is not None
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "giving back\n"
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        process.send_signal(number)
        time.sleep(0.02)
    said = process.stdout.readline()
    assert f"`kill -9 {process.pid}` would leave that to the next start" in said
    assert rest(process, sent) == (["given back", "stopped, 130"], 130)


def test_a_signal_after_the_end_has_begun_is_not_heard(sent: Path) -> None:
    process = started("waiting", sent)
    assert process.stdout is not None
    process.send_signal(signal.SIGINT)
    while process.stdout.readline() != "stopped, 130\n":
        continue
    process.send_signal(signal.SIGINT)
    assert rest(process, sent) == ([], 130)


def test_a_childs_signal_is_not_ours(sent: Path) -> None:
    assert rest(started("forking", sent), sent) == (["to its end"], 0)


def test_a_signal_that_is_ignored_stays_ignored(sent: Path) -> None:
    process = started("nohup", sent)
    process.send_signal(signal.SIGHUP)
    assert rest(process, sent) == (["to its end"], 0)


def test_a_stop_that_was_swallowed_on_the_way_is_heeded(sent: Path) -> None:
    process = started("swallowing", sent)
    process.send_signal(signal.SIGINT)
    assert rest(process, sent) == (["stopped, 130"], 130)


def test_work_that_cannot_be_cut_is_done_first(sent: Path) -> None:
    process = started("blocked", sent)
    for _ in range(3):
        process.send_signal(signal.SIGINT)
        time.sleep(0.02)
    assert rest(process, sent) == (["given back", "stopped, 130"], 130)


def test_ctrl_c_ends_no_process_that_is_just_being_begun(sent: Path) -> None:
    """It has the terminal's group until it has a session of its own."""
    process = started("beginning", sent)
    sent.touch()  # signals come until it has ended
    while process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.0003)
    assert rest(process, sent) == (["they ended with {0}", "stopped, 130"], 130)
