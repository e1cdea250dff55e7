# SPDX-License-Identifier: Apache-2.0
"""`gatemark capture` on a box over SSH: each packet comes, and nothing stays there."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from command import environment

from lab.station.capturing import PORT, SEND, capturing, command, last, payload, read
from lab.station.played import CONTROL, Played
from lab.station.server import PORT as SSH_PORT
from lab.station.server import keys, listening

STATION = f"""
schema = "gatemark.station/1"
[gateway]
kind = "ssh"
address = "root@{CONTROL["gw"]}.2:{SSH_PORT}"
key = "key"
known_hosts = "known"
lan = "eth0"
lease_s = 6
[lan]
nic = "enp3s0"
"""
pytestmark = pytest.mark.long
OURS = ("--on", "lan", "--filter", f"udp dst port {PORT}")
PATIENCE_S = 60.0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keys and a station file."""
    path = tmp_path_factory.mktemp("station")
    keys(path)
    (path / "bench.toml").write_text(STATION)
    return path


@pytest.fixture(scope="module")
def host(folder: Path) -> Iterator[Played]:
    """A host with a box that listens."""
    with listening(folder) as host:
        host.on("gw", "ip", "addr", "add", "192.168.1.1/24", "dev", "eth0")
        host.run("ip", "addr", "add", "192.168.1.10/24", "dev", "enp3s0")
        yield host


def words(host: Played, folder: Path, *more: str) -> list[str]:
    """The command line, for that host."""
    return host.words(*command("--station", str(folder / "bench.toml"), *more))


def left(host: Played) -> str:
    """What is at the box's port, who runs on it, and the files that we put there."""
    running = ["ip", "netns", "pids", host.gateway]
    pids = subprocess.run(running, capture_output=True, text=True, check=True).stdout.split()
    agents = [pid for pid in pids if "gm-agent" in command_line(pid)]
    files = {str(file) for pid in pids for file in Path("/proc", pid, "root/tmp").glob("gm-*")}
    hooks = host.on("gw", "tc", "filter", "show", "dev", "eth0", "ingress")
    return f"{hooks}{agents}{files}"


def command_line(pid: str) -> str:
    """A process' words; "" of one that has ended since it was listed."""
    with suppress(OSError):
        return Path("/proc", pid, "cmdline").read_text()
    return ""


def wait_until_nothing_is_left(host: Played) -> None:
    """What is ended needs a moment to be gone."""
    until = time.monotonic() + PATIENCE_S
    while (still := left(host)) != "[]set()":
        assert time.monotonic() < until, still
        time.sleep(0.1)


def test_each_packet_of_a_box_comes_in_order(host: Played, folder: Path, tmp_path: Path) -> None:
    argv = words(host, folder, *OURS, "--out", str(tmp_path / "file"))
    with capturing(argv) as process:
        host.run(sys.executable, "-c", SEND, "192.168.1.1", "500")
        time.sleep(0.2)  # until the engine has looked
        process.send_signal(signal.SIGINT)
        counted = last(process)
    assert read(tmp_path / "file") == [payload(number) for number in range(500)]
    assert (counted["packets"], sum(counted["drops"].values())) == (500, 0)
    wait_until_nothing_is_left(host)


def test_a_port_that_leads_here_is_captured_with_a_filter_alone(host: Played, folder: Path) -> None:
    argv = words(host, folder, "--on", "ctl0", "--packets", "1")
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert (done.returncode, "--filter 'not port 22'" in done.stderr) == (2, True), done.stderr


def test_a_capture_that_is_killed_leaves_nothing_on_a_box(
    host: Played, folder: Path, tmp_path: Path
) -> None:
    argv = words(host, folder, *OURS, "--out", str(tmp_path / "file"))
    with capturing(argv) as process:
        host.run(sys.executable, "-c", SEND, "192.168.1.1", "100")
        time.sleep(0.5)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        wait_until_nothing_is_left(host)
    assert read(tmp_path / "file") == [payload(number) for number in range(100)]


def others(host: Played, folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """A further process of the laboratory, which is another holder."""
    argv = host.words(sys.executable, "-m", "gatemark", *words, str(folder / "bench.toml"))
    return subprocess.run(
        argv, capture_output=True, text=True, check=False, env=environment(), timeout=PATIENCE_S
    )


def box_pids(host: Played, word: str) -> list[int]:
    """The processes on the box whose command line has a word."""
    running = ["ip", "netns", "pids", host.gateway]
    pids = subprocess.run(running, capture_output=True, text=True, check=True).stdout.split()
    return [int(pid) for pid in pids if word in command_line(pid)]


def sleep_over(host: Played, folder: Path, process: "subprocess.Popen[bytes]") -> None:
    """The laboratory stands still for longer than its lease; then another one captures."""
    process.send_signal(signal.SIGSTOP)
    wait_until_nothing_is_left(host)
    argv = words(host, folder, *OURS, "--seconds", "1", "--out", "/dev/null")
    with capturing(argv) as other:
        process.send_signal(signal.SIGCONT)
        last(other)


def release(host: Played, folder: Path, process: "subprocess.Popen[bytes]") -> None:
    """Another one takes it away."""
    del process
    assert others(host, folder, "station", "release", "--force").returncode == 0


def kill_keeper(host: Played, folder: Path, process: "subprocess.Popen[bytes]") -> None:
    """What keeps the lease on the box is killed."""
    del folder, process
    (keeper,) = box_pids(host, "\0lease\0hold\0")
    os.kill(keeper, signal.SIGKILL)


def remove_folder(host: Played, folder: Path, process: "subprocess.Popen[bytes]") -> None:
    """Who cleans the box's /tmp removes what says who has the box."""
    del folder, process
    (keeper,) = box_pids(host, "\0lease\0hold\0")
    (place,) = Path("/proc", str(keeper), "root/tmp").glob("gatemark-lease-*")
    shutil.rmtree(place)


def cut_cable(host: Played, folder: Path, process: "subprocess.Popen[bytes]") -> None:
    """Nothing is heard of the box, and nothing there of us."""
    del folder
    rules = "table inet deaf { chain in { type filter hook prerouting priority 0; drop; }; }"
    host.on("gw", "nft", rules)
    try:
        process.wait(PATIENCE_S)
    finally:
        host.on("gw", "nft", "delete table inet deaf")


STRIKES = {
    "the laboratory slept": (sleep_over, "it was not renewed for its lease of 6 s"),
    "released by another": (release, "`gatemark station release` gave it back"),
    "its keeper killed": (kill_keeper, "what kept its lease was killed there"),
    "its folder removed": (remove_folder, "what says on it that it is ours was removed"),
    "the cable cut": (cut_cable, "gateway: "),
}


@pytest.mark.parametrize("strike", STRIKES)
def test_a_capture_ends_with_its_lease(
    host: Played, folder: Path, tmp_path: Path, strike: str
) -> None:
    do, why = STRIKES[strike]
    with capturing(words(host, folder, *OURS, "--out", str(tmp_path / "file"))) as process:
        host.run(sys.executable, "-c", SEND, "192.168.1.1", "100")
        time.sleep(0.5)  # until the engine has looked
        do(host, folder, process)
        errors = process.communicate(timeout=PATIENCE_S)[1].decode().splitlines()
    assert (process.returncode, why in errors[-1]) == (1, True), errors[-1]
    assert read(tmp_path / "file") == [payload(number) for number in range(100)]
    wait_until_nothing_is_left(host)
