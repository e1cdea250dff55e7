# SPDX-License-Identifier: Apache-2.0
"""What goes wrong beside an engine: its counters add up, and its file reads to the last block."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.gateway.engine import PATIENCE_S, addressed, done, engine, running, send, wanted
from lab.station.capturing import payload, read
from lab.station.played import Played

pytestmark = pytest.mark.long
PACKETS = 2_000  # more bytes than the rings below hold
RINGS_BYTES = 1 << 20


@pytest.fixture(scope="module")
def host() -> Iterator[Played]:
    """A host, and a gateway beside it."""
    with addressed() as host:
        yield host


def test_a_ring_that_overflows_counts_what_it_had_no_room_for(host: Played, tmp_path: Path) -> None:
    file = tmp_path / "file"
    request = {"memory_bytes": RINGS_BYTES, "look_ms": 10_000, "filter": wanted()}
    with engine(host, "capture", file=str(file), **request) as process:
        send(host, PACKETS)
        counted = done(process)
    lost = counted["drops"]["ring"]
    assert 0 < lost < PACKETS
    assert counted["written"] + lost == PACKETS
    kept = read(file)
    assert len(kept) == counted["written"]
    places = [int.from_bytes(data[:4], "big") for data in kept]
    assert kept == [payload(place) for place in sorted(places)]


def test_a_port_that_goes_down_and_up_is_captured_further(host: Played, tmp_path: Path) -> None:
    file = tmp_path / "file"
    with engine(host, "capture", file=str(file), filter=wanted()) as process:
        send(host, 50)
        host.on("gw", "ip", "link", "set", "eth0", "down")
        host.on("gw", "ip", "link", "set", "eth0", "up")
        time.sleep(0.5)  # until it has a carrier again
        send(host, 70)
        counted = done(process)
    assert counted["written"] == 120
    assert read(file) == [payload(place) for count in (50, 70) for place in range(count)]


def test_an_engine_that_is_killed_leaves_a_file_of_whole_packets(
    host: Played, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    before = host.on("gw", "tc", "filter", "show", "dev", "eth0", "ingress")
    with engine(host, "capture", file=str(file), filter=wanted()) as process:
        send(host, 300)
        until = time.monotonic() + PATIENCE_S
        while len(read(file)) < 300:
            assert time.monotonic() < until
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE_S)
    assert read(file) == [payload(place) for place in range(300)]
    assert host.on("gw", "tc", "filter", "show", "dev", "eth0", "ingress") == before


def test_a_full_disk_costs_packets_and_is_named(host: Played, tmp_path: Path) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "t", str(tmp_path)], check=True)
    try:
        with engine(host, "capture", file=str(tmp_path / "file"), filter=wanted()) as process:
            for _ in range(10):
                send(host, 100)
                time.sleep(0.05)
            counted = done(process)
        assert counted["error"] == "No space left on device"
        assert counted["drops"]["file"] > 0
        assert counted["written"] + sum(counted["drops"].values()) == 1_000
        assert len(read(tmp_path / "file")) == counted["written"]
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


LISTEN = """
import socket
server = socket.create_server(("127.0.0.1", 4739))
print("listens", flush=True)
connection = server.accept()[0]
while connection.recv(65536):
    pass
"""


def test_a_collector_that_is_gone_costs_records_and_each_is_counted(host: Played) -> None:
    with running(host, sys.executable, "-c", LISTEN) as collector:
        assert collector.stdout is not None
        assert collector.stdout.readline() == "listens\n"
        request = {"collector": "127.0.0.1", "protocol": "tcp", "look_ms": 50, "idle_ms": 100}
        with engine(host, "flows", **request) as process:
            send(host, 40)
            time.sleep(0.5)  # its record is sent
            collector.kill()
            for _ in range(5):
                send(host, 10)
                time.sleep(0.3)
            counted = done(process)
    assert counted["sent"] >= 1
    assert counted["lost"] >= 1
    assert counted["sent"] + counted["lost"] == counted["records"]
    assert counted["counted"] >= 90


def test_flows_are_counted_where_no_collector_ever_was(host: Played) -> None:
    with engine(host, "flows", collector="127.0.0.1", look_ms=50, idle_ms=100) as process:
        for _ in range(3):
            send(host, 10)
            time.sleep(0.3)
        counted = done(process)
    assert counted["counted"] >= 30
    assert counted["sent"] + counted["lost"] == counted["records"] >= 3
