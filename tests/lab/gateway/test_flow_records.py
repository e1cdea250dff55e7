# SPDX-License-Identifier: Apache-2.0
"""Flow records of the agent, as collectors of others read them: totals as sent, to the packet."""

import csv
import io
import json
import shutil
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lab.gateway.engine import ADDRESS, PATIENCE_S, addressed, engine, running, send
from lab.station.capturing import PORT, payload
from lab.station.played import Played

pytestmark = pytest.mark.long
COLLECTED = 4739  # IPFIX (RFC 7011)
COUNTS = (100, 250, 37)  # packets of each flow
FEW = (20, 30, 10)  # the same, of those that are answered
Totals = list[tuple[int, int]]  # packets and bytes of IP, of each flow to our port


@pytest.fixture(scope="module")
def host() -> Iterator[Played]:
    """A host, and a gateway beside it."""
    with addressed() as host:
        yield host


def listens(host: Played) -> None:
    """Return once the collector does."""
    until = time.monotonic() + PATIENCE_S
    while f":{COLLECTED}" not in host.on("gw", "ss", "-lun"):
        assert time.monotonic() < until
        time.sleep(0.05)


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


def goflow2(folder: Path) -> list[str]:
    """The command of NetSampler's collector."""
    listen, out = f"netflow://127.0.0.1:{COLLECTED}", str(folder / "flows")
    return ["goflow2", "-listen", listen, "-transport.file", out, "-addr", "127.0.0.1:0"]


def written(folder: Path) -> Totals:
    """What it wrote, a line of JSON for each flow."""
    rows = [json.loads(line) for line in (folder / "flows").read_text().splitlines()]
    return [(row["packets"], row["bytes"]) for row in rows if row["dst_port"] == PORT]


@pytest.mark.parametrize(
    ("collector", "read"), [(nfcapd, nfdump), (nfacctd, printed), (goflow2, written)]
)
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
        listens(host)
        with engine(host, "flows", collector="127.0.0.1", port=COLLECTED, look_ms=50):
            for count in COUNTS:
                send(host, count)
        time.sleep(0.5)  # until the collector has read its socket
    wanted = [(n, sum(28 + len(payload(at)) for at in range(n))) for n in COUNTS]
    assert sorted(read(tmp_path)) == sorted(wanted)


ECHO = f"""
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("", {PORT}))
print("up", flush=True)
while True:
    data, peer = s.recvfrom(2000)
    s.sendto(data, peer)
"""


def test_goflow2_counts_answers_where_each_way_has_a_record(host: Played, tmp_path: Path) -> None:
    """2.2 knows no reverse elements (RFC 5103)."""
    command = goflow2(tmp_path)
    if not shutil.which(command[0]):
        pytest.skip(f"no {command[0]} here")
    with running(host, sys.executable, "-c", ECHO) as echo, running(host, *command):
        assert echo.stdout
        assert echo.stdout.readline() == "up\n"
        listens(host)
        with engine(host, "flows", collector="127.0.0.1", port=COLLECTED, uniflows=True):
            send(host, 40)
            time.sleep(0.5)  # until all were answered
        time.sleep(0.5)  # until the collector has read its socket
    rows = [json.loads(line) for line in (tmp_path / "flows").read_text().splitlines()]
    ours = [row["packets"] for row in rows if PORT in (row["src_port"], row["dst_port"])]
    assert ours == [40, 40]


def two_packets(file: Path) -> None:
    """Write a capture of one flow that lasts 1.5 s."""
    data = bytes.fromhex("020000000002 020000000001 0800 4500001c 00000000 40110000 0a000001")
    data += bytes.fromhex("0a000002 0fa0 0035 0008 0000")
    head = struct.pack("=IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    times = ((1_700_000_000, 250_000), (1_700_000_001, 750_000))
    packets = (struct.pack("=IIII", *at, len(data), len(data)) + data for at in times)
    file.write_bytes(head + b"".join(packets))


def test_softflowd_has_its_ipfix_read_right_where_it_is_asked_for_milliseconds(
    host: Played, tmp_path: Path
) -> None:
    """As docs/tools.md says to who exports by `softflowd -v 10`."""
    if not (shutil.which("softflowd") and shutil.which("nfcapd")):
        pytest.skip("no softflowd or no nfcapd here")
    two_packets(tmp_path / "pcap")
    (tmp_path / "flows").mkdir()
    with running(host, *nfcapd(tmp_path / "flows")):
        listens(host)
        to = f"127.0.0.1:{COLLECTED}"
        words = ("-r", str(tmp_path / "pcap"), "-n", to, "-v", "10", "-A", "milli")
        host.on("gw", "softflowd", *words)
        time.sleep(0.5)  # until the collector has read its socket
    argv = ["nfdump", "-N", "-q", "-R", str(tmp_path / "flows"), "-o", "fmt:%td"]
    lasts = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    assert float(lasts) == 1.5


@pytest.fixture(scope="module")
def answered(host: Played, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What nfcapd keeps of flows in several messages, each answered, from the higher address."""
    for tool in ("nfcapd", "nfdump"):
        if not shutil.which(tool):
            pytest.skip(f"no {tool} here")
    folder = tmp_path_factory.mktemp("answered")
    with running(host, sys.executable, "-c", ECHO) as echo, running(host, *nfcapd(folder)):
        assert echo.stdout
        assert echo.stdout.readline() == "up\n"
        listens(host)
        asked = {"collector": "127.0.0.1", "port": COLLECTED, "idle_ms": 100, "look_ms": 50}
        with engine(host, "flows", **asked):
            for count in FEW:
                send(host, count)
                time.sleep(0.4)  # it ends, and is sent in a message of its own
        time.sleep(0.5)  # until the collector has read its socket
    return folder


def columns(folder: Path, form: str, *words: str) -> list[list[str]]:
    """Rows that nfdump prints of our flows."""
    argv = ["nfdump", "-N", "-q", "-R", str(folder), "-o", f"fmt:{form}", *words]
    argv.append(f"proto udp and port {PORT}")
    text = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    return sorted([cell.strip() for cell in row] for row in csv.reader(io.StringIO(text)))


def test_a_collector_counts_no_lost_record_of_ours(answered: Path) -> None:
    """A message's sequence is of the records before it: softflowd's has its own in it, too."""
    argv = ["nfdump", "-I", "-R", str(answered)]
    facts = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    assert "Sequence failures: 0\n" in facts


def test_who_sent_first_is_the_source_though_its_address_is_the_higher(answered: Path) -> None:
    """So a record of ours has no need of `nfdump -b`, which takes the lower address."""
    rows = columns(answered, "%sa,%da,%ipkt,%opkt")
    wanted = [["192.168.1.10", ADDRESS, str(count), str(count)] for count in FEW]
    assert rows == sorted(wanted)


def test_records_of_ours_that_are_replayed_keep_their_totals(
    answered: Path, host: Played, tmp_path: Path
) -> None:
    """By `nfreplay -v 9`, under a header of the day before: their times are their own."""
    if not shutil.which("nfreplay"):
        pytest.skip("no nfreplay here")
    (kept,) = answered.glob("nfcapd.2*")
    with running(host, *nfcapd(tmp_path)):
        listens(host)
        host.on("gw", "nfreplay", "-r", str(kept), "-H", "127.0.0.1", "-p", str(COLLECTED))
        time.sleep(0.5)  # until the collector has read its socket
    form = "%ts,%td,%sa,%da,%ipkt,%ibyt"
    assert columns(tmp_path, form) == columns(answered, form)
