# SPDX-License-Identifier: Apache-2.0
"""Without root: a whole run in namespaces of one's own, of which nothing is left but its folder."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from command import GATEMARK, environment, gatemark

from gatemark.station import lock
from gatemark.station.ability import MISSING
from lab.conftest import snapshot, warm
from lab.station import ordinary

SMALL = (
    "run",
    "quick/sweep",
    "--set=repeat.times=1",
    "--set=sweep.rate_pps=[20000]",
    "--set=workload.duration_s=0.2",
)
EVERY = """\
schema = "gatemark.plan/1"
title = "Every path and feature, TCP, and UDP as fast as it goes"
why = ""
reading = ""
arm = [
  { path = "direct" },
  { path = "endpoint" },
  { path = "switch" },
  { path = "route" },
  { path = "route", features = ["conntrack"] },
  { path = "route", features = ["filter:10"] },
  { path = "nat", features = ["conntrack", "filter:10"] },
]
[workload]
duration_s = 0.2
[sweep]
kind = ["udp", "tcp"]
direction = ["both"]
[repeat]
times = 1
"""
PATIENCE_S = 30.0
TRIES = 3  # without a real-time class, others may keep a run from its CPU
# Several whole runs, beside what else is measured on this machine.
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(autouse=True, scope="module")
def _root() -> None:
    """These tests need none; as root they lay it down."""


@dataclass(frozen=True)
class Measured:
    """A run, and the host before and after it."""

    code: int
    out: str
    err: str
    folder: Path
    before: dict[str, str]
    after: dict[str, str]

    @property
    def run(self) -> Any:
        return json.loads((self.folder / "run.json").read_text())

    @property
    def records(self) -> list[Any]:
        lines = (self.folder / "trials.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    ordinary.require()
    with ordinary.home() as path:
        yield path


@pytest.fixture(scope="module")
def measured(place: Path) -> Measured:
    """A small run of a slowed plan."""
    if os.geteuid() == 0:
        warm()
    return tried(place, "run", *SMALL)


def tried(place: Path, name: str, *words: str) -> Measured:
    """The first of a few runs whose trials are all sound, or that failed; else the last."""
    before = picture()
    for number in range(TRIES):
        folder = f"{name}{number}"
        process = ordinary.start(place, *words, f"--out={folder}")
        out, err = process.communicate()
        run = Measured(process.returncode, out, err, place / folder, before, picture())
        if run.code or not any(record["reason"] for record in run.records):
            break
    return run


def picture() -> dict[str, str]:
    """The host's, where we may look at all of it."""
    return snapshot() if os.geteuid() == 0 else {}


def test_a_run_ends_well_with_each_packet_accounted_for_and_nothing_left(
    measured: Measured,
) -> None:
    assert measured.code == 0, measured.err
    assert len(measured.records) == len(measured.run["trials"])
    for record in measured.records:
        assert record["status"] == "ok", f"{record['trial']}: {record['reason']}"
        account = record["accounting"]
        assert account["mismatch"] == {}
        assert account["tried"] == account["unique"] + account["lost"]
    assert measured.after == measured.before
    owners = {path.stat().st_uid for path in measured.folder.rglob("*")}
    assert owners == {ordinary.user()}


def test_what_is_missing_is_told_and_full_speed_is_measured(measured: Measured) -> None:
    text = " ".join(measured.out.split())  # its lines are as wide as a terminal
    lacks = [sentence for name, sentence in MISSING.items() if name != "cpu_time"]
    assert [sentence for sentence in lacks if f"missing: {sentence}" not in text] == []
    assert measured.run["station"]["missing"] == lacks
    note = "no slowdown here, as it needs root: the variant `full-speed` is measured"
    assert f"warning: {note}\n" in measured.err
    assert note in measured.run["notes"]  # one may have waited for other runs, too
    assert {record["definition"]["slow_to_pps"] for record in measured.records} == {0}
    assert "again: gatemark run quick/sweep --variant full-speed --set " in measured.out


def test_the_gateways_time_is_read_and_no_cpu_is_claimed_for_it(measured: Measured) -> None:
    for record in measured.records:
        assert record["placement"]["gateway"] == "any cpu, napi threads"
    # One trial may have no reading, where others kept its watcher from its CPU.
    readings = [each for record in measured.records for each in record["evidence"]["cpu"]]
    assert {reading["cpu"] for reading in readings} == {None}
    busy = [r["values"]["cpu_busy"] for r in measured.records if "cpu_busy" in r["values"]]
    assert any(busy)  # a thread that others kept from its CPU may have used none in a trial
    assert [share for share in busy if not 0 <= share <= 1] == []


@pytest.mark.long
def test_other_loads_paths_and_features_are_measured_too(place: Path) -> None:
    (place / "every.toml").write_text(EVERY)
    run = tried(place, "every", "run", "every.toml")
    assert run.code == 0, run.err
    assert [record["reason"] for record in run.records] == [""] * 14


# --- stopped and killed


@dataclass(frozen=True)
class Stopped:
    """A run that got a signal in its midst."""

    code: int
    err: str
    left: list[str]  # processes in its namespaces
    again: int  # how `--resume` ended
    kept: list[str]
    planned: list[str]


def stopped(place: Path, number: signal.Signals) -> Stopped:
    folder = place / number.name
    process = ordinary.start(place, *SMALL, f"--out={folder.name}")
    trials = folder / "trials.jsonl"  # made as the run begins
    wait(lambda: (trials.exists() and trials.stat().st_size > 0) or process.poll() is not None)
    space = Path(f"/proc/{process.pid}/ns/user").readlink()
    process.send_signal(number)
    _, err = process.communicate()
    wait(lambda: not ordinary.processes(space))
    left = [*ordinary.processes(space)]
    again = ordinary.start(place, "run", "--resume", folder.name)
    again.communicate()
    lines = (folder / "trials.jsonl").read_text().splitlines()
    planned = json.loads((folder / "run.json").read_text())["trials"]
    return Stopped(
        process.returncode,
        err,
        left,
        again.returncode,
        sorted(json.loads(line)["trial"] for line in lines),
        sorted(spec["trial"] for spec in planned),
    )


def wait(done: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_S
    while not done() and time.monotonic() < until:
        time.sleep(0.02)


@pytest.mark.long
@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 1)],
)
def test_of_a_run_that_was_ended_nothing_is_left_and_it_goes_on(
    number: signal.Signals, code: int, place: Path
) -> None:
    ended = stopped(place, number)
    assert (ended.code, ended.left, ended.again) == (code, [], 0)
    assert ended.kept == ended.planned


# --- beside root


@pytest.mark.long
def test_root_does_not_go_on_with_it(place: Path) -> None:
    """Trials of a gateway with a CPU of its own are not put beside others."""
    if os.geteuid():
        pytest.skip("needs root: two users")
    cut = place / "cut"
    ordinary.start(place, *SMALL, f"--out={cut.name}").communicate()
    (cut / "trials.jsonl").write_text("")
    done = gatemark("run", "--resume", cut)
    assert done.code == 1
    assert f"{cut}: begun where the station lacked other things" in done.err


@pytest.mark.long
def test_one_trial_at_a_time_holds_across_users(place: Path) -> None:
    if os.geteuid():
        pytest.skip("needs root: two users")
    ask = (
        "from gatemark.station import lock\nwith lock.machine(print, 0.1, 0.1) as note: print(note)"
    )
    with lock.machine(print):
        done = subprocess.run(
            ordinary.words(GATEMARK[0], "-c", ask),
            capture_output=True,
            text=True,
            env=environment(),
            cwd=place,
            check=False,
        )
    waits, note = done.stdout.splitlines()
    assert waits.startswith(("another run is measuring on this machine", f"process {os.getpid()} "))
    assert f"although process {os.getpid()} " in note
