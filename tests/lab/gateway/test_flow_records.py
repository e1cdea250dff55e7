# SPDX-License-Identifier: Apache-2.0
"""Flow records of the agent, as collectors of others read them: totals as sent, to the packet."""

import csv
import io
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gatemark.node.binary import agent_path
from lab.station import played
from lab.station.capturing import PORT, SEND, payload
from lab.station.played import Played

pytestmark = pytest.mark.long
COLLECTED = 4739  # IPFIX (RFC 7011)
COUNTS = (100, 250, 37)  # packets of each flow
PATIENCE_S = 30.0
Totals = list[tuple[int, int]]  # packets and bytes of IP, of each flow to our port


@pytest.fixture(scope="module")
def host() -> Iterator[Played]:
    """A host, and a gateway beside it."""
    with played.host() as host:
        host.on("gw", "ip", "addr", "add", "192.168.1.1/24", "dev", "eth0")
        host.on("gw", "ip", "link", "set", "lo", "up")
        host.run("ip", "addr", "add", "192.168.1.10/24", "dev", "enp3s0")
        yield host


@contextmanager
def running(host: Played, *command: str) -> Iterator["subprocess.Popen[str]"]:
    """A program on the gateway, ended by SIGINT, at which nfacctd writes what it has."""
    argv = ["ip", "netns", "exec", host.gateway, *command]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=PATIENCE_S)
        finally:
            process.kill()


def nfcapd(folder: Path) -> list[str]:
    """The command of nfdump's collector."""
    return ["nfcapd", "-b", "127.0.0.1", "-p", str(COLLECTED), "-w", str(folder)]


def nfdump(folder: Path) -> Totals:
    """What it kept."""
    wanted = f"proto udp and dst port {PORT}"
    argv = ["nfdump", "-N", "-q", "-R", str(folder), "-o", "fmt:%pkt,%byt", wanted]
    text = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    return [(int(packets), int(size)) for packets, size in csv.reader(io.StringIO(text))]


NFACCTD = """
nfacctd_ip: 127.0.0.1
nfacctd_port: {port}
plugins: print[all]
aggregate[all]: src_port, dst_port, proto
print_output[all]: csv
print_output_file[all]: {folder}/totals
print_refresh_time[all]: 600
"""


def nfacctd(folder: Path) -> list[str]:
    """The command of pmacct's collector."""
    (folder / "conf").write_text(NFACCTD.format(port=COLLECTED, folder=folder))
    return ["nfacctd", "-f", str(folder / "conf")]


def printed(folder: Path) -> Totals:
    """What it printed at its end."""
    file = folder / "totals"
    until = time.monotonic() + PATIENCE_S
    while not (file.exists() and file.read_text().count("\n") > len(COUNTS)):
        assert time.monotonic() < until
        time.sleep(0.1)
    rows = csv.DictReader(io.StringIO(file.read_text()))
    ours = [row for row in rows if row["DST_PORT"] == str(PORT) and row["PROTOCOL"] == "udp"]
    return [(int(row["PACKETS"]), int(row["BYTES"])) for row in ours]


@pytest.mark.parametrize(("collector", "read"), [(nfcapd, nfdump), (nfacctd, printed)])
def test_totals_are_what_was_sent(
    collector: Callable[[Path], list[str]],
    read: Callable[[Path], Totals],
    host: Played,
    tmp_path: Path,
) -> None:
    command = collector(tmp_path)
    if not shutil.which(command[0]):
        pytest.skip(f"no {command[0]} here")
    request = f'{{"devices":["eth0"],"collector":"127.0.0.1","port":{COLLECTED},"look_ms":50}}'
    with running(host, *command):
        until = time.monotonic() + PATIENCE_S
        while f":{COLLECTED}" not in host.on("gw", "ss", "-lun"):
            assert time.monotonic() < until
            time.sleep(0.05)
        with running(host, str(agent_path()), "flows", request) as agent:
            assert agent.stdout is not None
            while '"start"' not in (line := agent.stdout.readline()):
                assert line
            for count in COUNTS:
                host.run(sys.executable, "-c", SEND, "192.168.1.1", str(count))
        time.sleep(0.5)  # until the collector has read its socket
    wanted = [(n, sum(28 + len(payload(at)) for at in range(n))) for n in COUNTS]
    assert sorted(read(tmp_path)) == sorted(wanted)
