# SPDX-License-Identifier: Apache-2.0
"""Tunnels of a virtual gateway: tcpdump counts at the far end what was sent in the tunnel."""

import subprocess
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from gatemark.plan.line.tunnel import FAMILIES
from gatemark.plan.model import Arm, Family, Workload
from vm.conftest import FEW, Booted, Stand
from vm.line import Line, given_back, line_of, of

pytestmark = pytest.mark.long
# What tcpdump takes for packets of a tunnel from the gateway.
FILTERS = {
    "gre": "proto gre and src 203.0.113.1",
    "6in4": "ip proto 41 and src 203.0.113.1",
    "ds-lite": "ip6 proto 4 and src 2001:db8:77::1",
    "l2tp": "udp port 1701 and src 203.0.113.1",
    "esp-aes": "esp and src 203.0.113.1",
    "esp-chacha": "esp and src 203.0.113.1",
    "464xlat": "ip6 and src 2001:db8:77:1::464",
}
ARMS = [
    Arm(path="nat" if kind == "464xlat" else "route", name=kind, features=(f"tunnel:{kind}",))
    for kind in FAMILIES
]
TOO_LARGE = Arm(path="route", name="gre", features=("tunnel:gre:mtu=1476:path=1480",))


@pytest.fixture(scope="module")
def line(stand: Stand, request: pytest.FixtureRequest) -> Line:
    """Of the arm that is its parameter."""
    return line_of(stand, request.param)


def few(arm: Arm) -> Workload:
    family: Family = "ipv4" if 4 in FAMILIES[arm.name] else "ipv6"
    return replace(FEW, frame_bytes=256, rate_pps=200, family=family)


def counted(booted: Booted, arm: Arm, file: Path) -> tuple[int, int]:
    """What a trial sent, and what tcpdump saw of it in the tunnel."""
    splice = booted.bench.far._splice
    assert splice is not None
    tool = ("tcpdump", "-n", "-U", "-Z", "root", "-i", splice.ports[0].device, "-w", str(file))
    with subprocess.Popen(splice.node.argv(*tool, FILTERS[arm.name]), stderr=subprocess.PIPE) as it:
        assert it.stderr is not None
        assert b"listening" in it.stderr.readline() + it.stderr.readline()
        record = booted.measure(arm, few(arm))
        time.sleep(1)  # its buffer
        it.terminate()
    assert record.accounting is not None
    text = subprocess.run(["tcpdump", "-n", "-r", file], capture_output=True, check=True).stdout
    return record.accounting.tried - record.accounting.refused, text.count(b"\n")


@of("line", *ARMS)
def test_all_that_is_sent_crosses_the_tunnel(line: Line, tmp_path: Path) -> None:
    booted, arm = line.booted, line.arm
    record = booted.measure(arm, few(arm))
    assert (record.status, record.reason) == ("ok", "")
    sent, came = counted(booted, arm, tmp_path / "far.pcap")
    assert came == sent
    counts = booted.run(booted.bench.far.counts())
    assert counts["bare"] == 0
    assert counts["out"] >= came


@of("line", *ARMS)
def test_answers_come_back_by_it(line: Line) -> None:
    record = line.booted.measure(line.arm, replace(few(line.arm), direction="down"))
    assert (record.status, record.reason) == ("ok", "")
    assert record.accounting is not None
    assert record.accounting.unique > 0.5 * record.accounting.tried


@of("line", TOO_LARGE)
def test_a_tunnel_that_is_20_bytes_too_large_is_seen(line: Line) -> None:
    record = line.booted.measure(line.arm, Workload(kind="mtu"))
    assert (record.status, record.reason) == ("ok", "")
    assert record.values["mtu_bytes"] == 1456
    assert record.values["mtu_handled"] < 1


@of("line", *ARMS)
def test_it_is_given_back_as_it_was(line: Line) -> None:
    given_back(line)
