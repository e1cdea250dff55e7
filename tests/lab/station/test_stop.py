# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C, pressed again and again: everything is given back all the same, and in one line.

A terminal sends SIGINT to all processes of the command, so these tests do too.
"""

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from command import GATEMARK, environment

from gatemark.run import keep
from gatemark.station import lock
from lab.station.ordinary import HEEDING
from lab.station.played import CONTROL, Played
from lab.station.server import PORT, keys, listening

pytestmark = pytest.mark.alone
PATIENCE_S = 30.0
TIMES = 3
MOMENTS = 6
SMALL = ("--set=repeat.times=2", "--set=sweep.rate_pps=[2000]", "--set=workload.duration_s=0.2")

STATION = f"""
schema = "gatemark.station/1"
[gateway]
kind = "ssh"
address = "root@{CONTROL["gw"]}.2:{PORT}"
key = "key"
known_hosts = "known"
set = "apply"
lan = "eth0"
wan = "eth1"
[lan]
nic = "enp3s0"
[wan]
nic = "enp4s0"
"""
PLAN = """
schema = "gatemark.plan/1"
title = "two setups"
why = "Each changes the gateway."
reading = "Nothing."
[[arm]]
name = "nat"
path = "nat"
features = ["filter:20"]
[[arm]]
name = "route"
path = "route"
[workload]
kind = "udp"
frame_bytes = 128
duration_s = 0.1
rate_pps = 1000
[sweep]
direction = ["up", "down"]
[repeat]
times = 3
"""
GATEWAY = """
nft list ruleset; sysctl -n net.ipv4.ip_forward; tc filter show dev eth0
for nic in eth0 eth1; do ip -o addr show $nic; ip route show table all dev $nic; done
ip -o link | sed 's/qdisc [a-z]*//'; true
"""
NICS = """
for nic in enp3s0 enp4s0; do ip -o addr show $nic; ip route show table all dev $nic; done
ip -o link | sed 's/qdisc [a-z]*//'; ip netns
ls /run/gatemark | grep -vE '^(machine|threads)[.]lock$'; true
"""


@dataclass(frozen=True)
class Ended:
    """How a command ended that got the signals."""

    code: int
    err: str

    @property
    def in_order(self) -> bool:
        """By a line of its own and the code that goes with it: 1 where something is kept."""
        last = (self.err.splitlines() or [""])[-1]
        by_code = {1: "gatemark: stopped; what was measured is kept", 130: "gatemark: stopped"}
        return last.startswith(by_code.get(self.code, "?")) and "Traceback" not in self.err


def begun(*words: str | Path, state: Path | str = "") -> "subprocess.Popen[str]":
    """A command with a group of its own, as a shell gives one that it begins."""
    return subprocess.Popen(
        [*HEEDING, *map(str, words)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=environment({"XDG_STATE_HOME": str(state)}),
        start_new_session=True,
    )


def pressed(process: "subprocess.Popen[str]", gaps_s: Sequence[float]) -> Ended:
    """Ctrl-C, once after each of these waits."""
    for gap in gaps_s:
        time.sleep(gap)
        try:
            os.killpg(process.pid, signal.SIGINT)
        except ProcessLookupError:  # it ended in time
            break
    _, err = process.communicate(timeout=PATIENCE_S)
    # `python -m` ends itself by SIGINT where a Ctrl-C was caught that came while it executed a
    # string, as dataclasses do (_Py_UnhandledKeyboardInterrupt); a shell counts both as 130.
    code = process.returncode
    return Ended(130 if code == -signal.SIGINT else code, err)


def until(done: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not done():
        assert time.monotonic() < end
        time.sleep(0.002)


def labs_of(pid: int) -> list[str]:
    """Labs that this process holds; others' may stand beside them."""
    return [lab for lab in lock.names() if (by := lock.holder(lab)) and by.pid == pid]


def left_of(labs: Sequence[str]) -> list[str]:
    """Namespaces and locks that bear a lab's name."""
    spaces = subprocess.run(["ip", "netns"], capture_output=True, text=True, check=True).stdout
    names = [*spaces.split(), *lock.names()]
    return [name for name in names if any(lab in name for lab in labs)]


def test_three_times_ctrl_c_takes_the_lab_down(tmp_path: Path) -> None:
    process = begun(*GATEMARK, "run", "quick/sweep", *SMALL, "--out", tmp_path / "run")
    until(lambda: labs_of(process.pid))
    labs = labs_of(process.pid)
    ended = pressed(process, [0.3, 0.002, 0.002])
    assert (ended.code, left_of(labs)) == (1, [])
    assert ended.in_order, ended


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A station's file with its keys, and a plan."""
    path = tmp_path_factory.mktemp("station")
    keys(path)
    (path / "bench.toml").write_text(STATION)
    (path / "plan.toml").write_text(PLAN)
    return path


@pytest.fixture(scope="module")
def host(folder: Path) -> Iterator[Played]:
    """A host with two NICs, and a gateway that listens."""
    with listening(folder) as host:
        yield host


def picture(host: Played) -> set[str]:
    """The gateway and the host, as far as a run changes them."""
    texts = host.on("gw", "sh", "-c", GATEWAY), host.run("sh", "-c", NICS)
    return {line for text in texts for line in text.splitlines()}


def gaps(chance: random.Random, most_s: float) -> list[float]:
    return [chance.uniform(0, most_s), *(chance.uniform(0, 0.15) for _ in range(TIMES - 1))]


@pytest.mark.long
@pytest.mark.parametrize("moment", range(MOMENTS))
def test_three_times_ctrl_c_gives_a_device_back(
    host: Played, folder: Path, moment: int, tmp_path: Path
) -> None:
    before = picture(host)
    out = tmp_path / "run"
    words = ("run", folder / "plan.toml", "--station", folder / "bench.toml", "--out", out)
    process = begun(*host.words(*GATEMARK, *words), state=tmp_path)
    until((out / "run.json").exists)
    ended = pressed(process, gaps(random.Random(moment), 4.0))
    assert picture(host) ^ before == set()
    assert ended.in_order, ended
    assert not [*tmp_path.rglob("undo/*.json")], ended.err


@pytest.mark.long
@pytest.mark.parametrize("moment", range(3))
def test_three_times_ctrl_c_ends_a_station_check(host: Played, folder: Path, moment: int) -> None:
    before = picture(host)
    process = begun(*host.words(*GATEMARK, "station", "check", folder / "bench.toml"))
    until(lambda: "enp3s0" not in host.run("ip", "link") or process.poll() is not None)
    ended = pressed(process, gaps(random.Random(moment), 1.0))
    assert picture(host) ^ before == set()
    assert (ended.code, ended.in_order) == (130, True), ended


# The command tells that it runs, and that it was asked to end: once, or it would be a second line.
SWITCH = "trap 'echo asked >> LOG; exit 1' TERM INT; echo {arm} >> LOG; sleep 20 & wait"


@pytest.mark.long
def test_three_times_ctrl_c_asks_the_switch_command_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    switch = SWITCH.replace("LOG", str(log))
    words = ("ab", "route", "route", "--boots=1", "--switch", switch, "--out", tmp_path / "run")
    process = begun(*GATEMARK, *words)
    until(lambda: log.exists() or process.poll() is not None)
    ended = pressed(process, [0.1, 0.02, 0.02])
    assert (log.read_text().split()[1:], ended.code) == (["asked"], 1), ended
    assert ended.in_order, ended


@pytest.mark.long
@pytest.mark.parametrize("after_s", [0.0, 0.15, 0.4])
def test_a_lab_that_is_not_up_yet_is_taken_down(after_s: float) -> None:
    before = set(lock.names())
    process = begun(*GATEMARK, "lab", "up")
    until(lambda: set(lock.names()) - before)
    labs = sorted(set(lock.names()) - before)
    ended = pressed(process, [after_s, 0.02, 0.02])
    if ended.code == 0:  # it was up already
        assert keep.down() in labs
    else:
        assert (ended.code, left_of(labs)) == (130, [])
        assert ended.in_order, ended
