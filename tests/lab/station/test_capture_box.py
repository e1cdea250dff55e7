# SPDX-License-Identifier: Apache-2.0
"""`gatemark capture` on a box over SSH: each packet comes, and nothing stays there."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

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
