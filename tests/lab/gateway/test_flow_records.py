# SPDX-License-Identifier: Apache-2.0
"""Flow records of the agent, as collectors of others read them: totals as sent, to the packet."""

import csv
import io
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lab.gateway.engine import PATIENCE_S, addressed, engine, running, send
from lab.station.capturing import PORT, payload
from lab.station.played import Played

pytestmark = pytest.mark.long
COLLECTED = 4739  # IPFIX (RFC 7011)
COUNTS = (100, 250, 37)  # packets of each flow
Totals = list[tuple[int, int]]  # packets and bytes of IP, of each flow to our port


@pytest.fixture(scope="module")
def host() -> Iterator[Played]:
    """A host, and a gateway beside it."""
    with addressed() as host:
        yield host


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
    with running(host, *command):
        until = time.monotonic() + PATIENCE_S
        while f":{COLLECTED}" not in host.on("gw", "ss", "-lun"):
            assert time.monotonic() < until
            time.sleep(0.05)
        with engine(host, "flows", collector="127.0.0.1", port=COLLECTED, look_ms=50):
            for count in COUNTS:
                send(host, count)
        time.sleep(0.5)  # until the collector has read its socket
    wanted = [(n, sum(28 + len(payload(at)) for at in range(n))) for n in COUNTS]
    assert sorted(read(tmp_path)) == sorted(wanted)
