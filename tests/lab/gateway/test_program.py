# SPDX-License-Identifier: Apache-2.0
"""Programs on the gateway: real tools capture and count; they end with the trial, or with us."""

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from gatemark.node import leftover
from gatemark.plan.model import Arm, Command, Plan, Workload
from gatemark.station.recover import recover
from gatemark.store.record import Record
from lab.planted import measure_each, plan, wanted

LOAD = Workload(rate_pps=4_000, frame_bytes=512, flows=8, duration_s=0.5)
# In the middle of the traffic, however late that comes, it dies.
SHORT = """sent() { cat /sys/class/net/gw1/statistics/tx_packets; }
before=$(sent)
echo at work
until [ $(($(sent) - before)) -gt 200 ]; do sleep 0.02; done
kill -9 $$"""
COMMANDS = {
    "short": Command(run=SHORT, ready="at work"),
    "stubborn": Command(
        run="trap '' TERM; echo at work $PORT; while :; do sleep 1; done",
        ready="at work",
        counters="at work gw(?P<port>[0-9])",
    ),
    "absent": Command(run="exec nosuchtool"),
}
TOOLS = (
    *("capture:tcpdump:68", "capture:tcpdump:1500:disk", "flow-export:softflowd"),
    *("capture:gatemark:68", "capture:gatemark:1500:disk", "flow-export:gatemark"),
)
# Those that not every machine for tests has.
FURTHER = {
    "flow-export:nfpcapd": "nfpcapd",
    "flow-export:pmacctd": "pmacctd",
    "inspect:ndpiReader": "ndpiReader",
}
CLASSIFIERS = ("classify:jumping", "classify:sliding:flows=65536:new=1000")
FEW = ("capture:tcpdump:68", "capture:gatemark:68")
WORDS = (*TOOLS, *CLASSIFIERS, *(f"command:{name}" for name in COMMANDS))


def asked(word: str) -> Plan:
    arm = Arm(path="nat", name=word, features=(word,))
    return replace(plan(arm, LOAD), command=COMMANDS)


@pytest.fixture(scope="module")
def ran(request: pytest.FixtureRequest) -> dict[str, Record]:
    """One short trial beside each program that a test asks for, all on one lab."""
    words = wanted(request, "word", WORDS)
    return measure_each({word: asked(word) for word in words})


def circled(words: Iterable[str]) -> list[Any]:
    return [pytest.param(word, marks=() if word in FEW else pytest.mark.long) for word in words]


def crossed(record: Record) -> int:
    """Packets that crossed the program's port: the test's, but for what is lost on either side.

    All ports of this machine share each CPU's backlog, which other work may fill.
    """
    (program,) = record.evidence.programs
    assert record.accounting is not None
    assert program.crossed is not None
    assert 1_000 < record.accounting.unique <= program.crossed <= record.accounting.tried
    return program.crossed


@pytest.mark.parametrize("word", circled([*TOOLS, *CLASSIFIERS]))
def test_a_real_tool_has_seen_what_crossed_the_port_and_ends(
    word: str, ran: dict[str, Record]
) -> None:
    record = ran[word]
    assert (record.status, record.reason) == ("ok", "")
    (program,) = record.evidence.programs
    counted = "seen" if word in CLASSIFIERS else "captured"
    assert program.counters[counted] == crossed(record), program.last_words
    assert word in CLASSIFIERS or record.values["captured_share"] == 1.0
    assert (program.ended, program.left) == ("term", 0)


@pytest.mark.long
@pytest.mark.parametrize("word", FURTHER)
def test_further_tools_see_what_crossed_the_port_and_end(word: str) -> None:
    if not shutil.which(FURTHER[word]):
        pytest.skip(f"no {FURTHER[word]} here")
    record = measure_each({word: asked(word)})[word]
    assert (record.status, record.reason) == ("ok", "")
    (program,) = record.evidence.programs
    assert program.counters.get("captured") == program.crossed, program.last_words
    assert (program.ended, program.left) == ("term", 0), program


@pytest.mark.parametrize("word", ["capture:tcpdump:68"])
def test_what_a_tool_used_is_told_and_is_in_that_of_the_gateway(
    word: str, ran: dict[str, Record]
) -> None:
    record = ran[word]
    (program,) = record.evidence.programs
    assert 0 < program.cpu < 0.5
    assert 1 << 20 < program.memory_bytes < 1 << 28
    threads = {reading.thread: reading.busy for reading in record.evidence.cpu}
    assert threads[word] == record.values["program_cpu"]
    assert record.values["cpu_busy"] == pytest.approx(sum(threads.values()))
    assert "nice -20" in record.placement["gateway"]


@pytest.mark.parametrize("word", ["command:short"])
def test_a_program_that_is_killed_is_told(word: str, ran: dict[str, Record]) -> None:
    record = ran[word]
    assert record.status == "invalid"
    reason = f"gateway: {word} ended before the trial did (exit code 137): at work"
    assert reason in record.reason


@pytest.mark.long
@pytest.mark.parametrize("word", ["command:stubborn"])
def test_one_that_does_not_want_to_end_is_killed_and_told(
    word: str, ran: dict[str, Record]
) -> None:
    record = ran[word]
    (program,) = record.evidence.programs
    assert (record.status, program.ended, program.left) == ("ok", "kill", 0)
    assert f"{word} did not end by SIGTERM: SIGKILL ended it" in record.notes
    assert program.counters == {"port": 1}


@pytest.mark.long
@pytest.mark.parametrize("word", ["command:absent"])
def test_a_program_that_is_not_there_skips_its_arm(word: str, ran: dict[str, Record]) -> None:
    record = ran[word]
    assert record.status == "skipped"
    assert record.reason.startswith(f"not available here: gateway: {word}: ")


FILE = """schema = "gatemark.plan/1"
title = "t"
why = "w"
reading = "r"
[setup]
path = "nat"
features = ["capture:tcpdump:77:disk"]
[workload]
rate_pps = 1000
duration_s = 30
[repeat]
times = 1
"""


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.timeout(900)  # others may measure first
def test_a_killed_run_leaves_no_program(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(FILE)
    others = set(leftover.folders())
    words = ("run", str(tmp_path / "p.toml"), "--out", str(tmp_path / "run"))
    run = subprocess.Popen([sys.executable, "-m", "gatemark", *words], stderr=subprocess.DEVNULL)
    try:
        assert until(lambda: captures() != [] or run.poll() is not None, within_s=700.0)
        assert run.poll() is None
        folders = set(leftover.folders()) - others
        assert folders
        run.send_signal(signal.SIGKILL)
        assert until(lambda: captures() == [])
        # Unit tests make such folders too.
        assert until(lambda: not any(folder.exists() for folder in folders))
    finally:
        run.kill()
        run.wait()
        recover()


def until(true: Callable[[], bool], within_s: float = 60.0) -> bool:
    end = time.monotonic() + within_s
    while not true() and time.monotonic() < end:
        time.sleep(0.05)
    return true()


def captures() -> list[str]:
    """The captures of the test's own snaplen."""
    pids = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (path / "cmdline").read_bytes().split(b"\0")
            pids += [path.name] if words[:1] == [b"tcpdump"] and b"77" in words else []
    return pids
