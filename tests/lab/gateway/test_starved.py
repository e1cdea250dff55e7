# SPDX-License-Identifier: Apache-2.0
"""A real-time program takes the gateway's CPU: it ends with its trial, and the next is clean."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import pytest

from gatemark.node import leftover
from gatemark.station.cpu import place
from gatemark.store.directory import RunDirectory
from gatemark.store.record import Record
from lab.gateway.test_program import until

pytestmark = [pytest.mark.alone, pytest.mark.long]

STALLS = """import time
print('at work', flush=True)
while True:
    end = time.monotonic() + {busy}
    while time.monotonic() < end: pass
    time.sleep({rest})
"""
# Its own helpers take what it leaves, so that the gateway's own shell would get next to nothing.
PROGRAM = """for i in 1 2 3 4; do nice -n -20 sh -c "while :; do :; done" & done
exec chrt -f 60 python3 -c "{stalls}\""""
PLAN = """schema = "gatemark.plan/1"
title = "t"
why = "w"
reading = "r"
[[arm]]
name = "clean"
path = "route"
[[arm]]
name = "stalls"
path = "route"
features = ["command:stalls"]
[command.stalls]
ready = "at work"
run = '''{program}'''
[workload]
rate_pps = 4000
frame_bytes = 64
duration_s = {seconds}
[repeat]
times = {repeats}
"""
CLEAN, STALLED = PLAN.index('[[arm]]\nname = "clean"'), PLAN.index('[[arm]]\nname = "stalls"')
ALONE = PLAN[:STALLED] + PLAN[PLAN.index("[workload]") :]


def written(folder: Path, text: str, *, repeats: int = 2, seconds: float = 0.5) -> list[str]:
    """A plan's file in a folder, and the command that runs it."""
    stalls = STALLS.format(busy=0.15, rest=0.35)
    program = PROGRAM.format(stalls=stalls)
    (folder / "p.toml").write_text(text.format(program=program, repeats=repeats, seconds=seconds))
    command = ("run", str(folder / "p.toml"), "--out", str(folder / "run"))
    return [sys.executable, "-m", "gatemark", *command]


def ran(folder: Path, command: list[str]) -> tuple[str, list[Record]]:
    """The command to its end: its last words, and the records of its run."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr, list(RunDirectory(folder / "run").records())


@contextmanager
def hog(busy: float, rest: float) -> Iterator[int]:
    """A real-time program of somebody else on the gateway's CPU; its pid."""
    code = STALLS.format(busy=busy, rest=rest)
    words = ["taskset", "-c", str(place().gateway), "chrt", "-f", "60", sys.executable, "-c", code]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as process:
        try:
            yield process.pid
        finally:
            process.kill()


def test_what_stalls_the_gateway_spoils_its_own_arm_alone(tmp_path: Path) -> None:
    others = set(leftover.folders())
    # Twice the stalls' period: one stall at least is whole, and loses more than the queues hold.
    said, records = ran(tmp_path, written(tmp_path, PLAN, repeats=1, seconds=1.0))
    assert "no answer" not in said
    assert [(record.status, record.reason) for record in records] == [("ok", "")] * 2
    for record in records:
        received = record.values["received_pps"]
        assert received > 3_800 if record.arm == "clean" else received < 3_800
    for starved in (record.evidence.starved for record in records if record.arm == "stalls"):
        assert starved is not None
        assert starved.own
        assert not starved.foreign
        assert starved.longest_ms > 100
        assert "FIFO 60" in starved.who
    # Unit tests make such folders too.
    assert until(lambda: set(leftover.folders()) <= others, within_s=60.0)


def test_another_program_that_has_the_cpu_makes_a_trial_invalid_twice(tmp_path: Path) -> None:
    command = written(tmp_path, ALONE)
    with hog(0.15, 0.1) as pid:
        said, records = ran(tmp_path, command)
    assert [record.status for record in records] == ["invalid", "invalid"]
    assert records[0].trial == f"{records[1].trial}/first"
    assert all(f"(pid {pid}, FIFO 60) had it" in record.reason for record in records)
    assert records[1].notes[-1].startswith("tried again: napi/gw0 was ready and got no CPU")
    assert f"(pid {pid}, FIFO 60) had it, twice: end that program" in said


def test_the_clean_arm_beside_it_receives_what_it_receives_alone(tmp_path: Path) -> None:
    rates = {}
    for name, text in (("alone", ALONE), ("beside", PLAN)):
        (tmp_path / name).mkdir()
        _, records = ran(tmp_path / name, written(tmp_path / name, text, repeats=3))
        rates[name] = median(
            record.values["received_pps"] for record in records if record.arm == "clean"
        )
    assert rates["beside"] == pytest.approx(rates["alone"], rel=0.02)


def test_the_next_start_ends_what_a_killed_run_left(tmp_path: Path) -> None:
    others = set(leftover.folders())
    stalled = PLAN[:CLEAN] + PLAN[STALLED:]
    run = subprocess.Popen(written(tmp_path, stalled, seconds=20.0), stderr=subprocess.DEVNULL)
    try:
        assert until(lambda: bool(set(leftover.folders()) - others), within_s=120.0)
        time.sleep(1.0)
        folders = set(leftover.folders()) - others
        supervisors = {leftover.supervisor_of(path) for path in folders}
        pids = [pid for parent in supervisors for pid in leftover.processes(parent)]
        assert pids
        for supervisor in supervisors:  # nor do they end it
            os.kill(supervisor, signal.SIGKILL)
        run.send_signal(signal.SIGKILL)
    finally:
        run.kill()
        run.wait()
    (tmp_path / "next").mkdir()
    _, records = ran(tmp_path / "next", written(tmp_path / "next", ALONE, repeats=1))
    assert [record.status for record in records] == ["ok"]
    assert not folders & set(leftover.folders())
    assert not [pid for pid in pids if leftover.lives(pid)]
