# SPDX-License-Identifier: Apache-2.0
"""Packets and connections of others, planted: the gateway itself sends them to the WAN host."""

import pytest
from msgspec.structs import replace

from gatemark.kind.tcp.load import LISTEN_PORT
from gatemark.plan.model import Probe, Workload
from gatemark.run.bench import Bench
from gatemark.station.wiring import ADDRESS, WAN_PORT
from gatemark.store.record import Record
from lab.planted import Plant, measure, plan

# What each begins with; all end by themselves, and with the lab.
BEGIN = """
import re, socket, sys, time
to, end = (sys.argv[1], int(sys.argv[2])), time.monotonic() + 20
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
def sent():
    return int(re.search(r"gw1:(?: +[0-9]+){9}", open("/proc/net/dev").read())[0].split()[-1])
print("up", flush=True)
"""
WHILE_TRAFFIC_PASSES = """
before = sent()
while sent() < before + 1000 and time.monotonic() < end:
    time.sleep(0.002)
"""
STRAYS = """
for run in range(8):
    udp.sendto(bytes([0xC7, run, 0, 0, 0]) + (0x40000000).to_bytes(4) + bytes(5), to)
"""
NOISE = """
for _ in range(60):
    udp.sendto(b"none of yours", to)
"""
KNOCKS = """
while time.monotonic() < end:
    with socket.socket() as tcp:
        tcp.connect_ex(to)
    time.sleep(0.0005)
"""
LOAD = Workload(rate_pps=20_000, duration_s=0.4, flows=2)


def others(script: str, port: int) -> Plant:
    async def plant(bench: Bench) -> None:
        host = ADDRESS["wan0"]["ipv4"].split("/")[0]
        words = ("python3", "-c", BEGIN + script, host, str(port))
        program = await bench.station.gateway.node.start(*words)
        assert await program.line() == b"up\n"

    return plant


def among(script: str, port: int, load: Workload) -> Record:
    """The one trial in which they send."""
    bare = replace(plan("route", load), probe=Probe())
    _, (record,) = measure(bare, plant=others(script, port))
    return record


@pytest.mark.long
def test_a_stray_costs_no_good_packet() -> None:
    record = among(WHILE_TRAFFIC_PASSES + STRAYS, WAN_PORT, LOAD)
    count = record.accounting
    assert count is not None
    assert (record.status, record.reason) == ("ok", "")
    assert (count.stale, count.reordered, count.duplicated) == (0, 0, 0)
    assert count.unique == count.tried - count.refused
    assert count.foreign == count.altered > count.beyond > 0  # most are of other runs


@pytest.mark.long
def test_many_strangers_make_a_trial_invalid() -> None:
    record = among(WHILE_TRAFFIC_PASSES + NOISE, WAN_PORT, LOAD)
    assert record.status == "invalid"
    assert "packets without a test header came to the trial's ports" in record.reason


@pytest.mark.long
def test_a_strangers_connection_is_closed_and_noted() -> None:
    record = among(KNOCKS, LISTEN_PORT["up"], Workload(kind="tcp", duration_s=0.3))
    assert (record.status, record.reason) == ("ok", "")
    assert any("connections of other hosts" in note for note in record.notes)
