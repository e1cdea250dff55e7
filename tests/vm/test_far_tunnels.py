# SPDX-License-Identifier: Apache-2.0
"""Tunnels of a virtual gateway: tcpdump counts at the far end what was sent in the tunnel."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from gatemark.node.shell import Namespace
from gatemark.plan.line.tunnel import FAMILIES
from gatemark.plan.model import Arm, Family, Workload
from gatemark.station.wiring import Port
from vm.conftest import FEW, Stand
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
    "wireguard": "udp port 51820 and src 203.0.113.1 and greater 200",  # no sign of life
    "464xlat": "ip6 and src 2001:db8:77:1::464",
    "nat64": "ip6 and src net 2001:db8:77:4::/96",
}
ARMS = [
    Arm(
        path="nat" if kind in ("464xlat", "nat64") else "route",
        name=kind,
        features=(f"tunnel:{kind}",),
    )
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


@contextmanager
def tcpdump(port: Port, file: Path, what: str) -> Iterator[None]:
    """Have tcpdump keep the packets of a port. Its buffer has room for all of a trial's."""
    tool = ("tcpdump", "-n", "-U", "--immediate-mode", "-B", "16384", "-Z", "root")
    node = port.node
    assert isinstance(node, Namespace)
    argv = node.argv(*tool, "-i", port.device, "-w", str(file), what)
    with subprocess.Popen(argv, stderr=subprocess.PIPE) as it:
        assert it.stderr is not None
        assert any(b"listening" in line for line in it.stderr)
        try:
            yield
        finally:
            it.terminate()


def packets(file: Path, at_least: int) -> int:
    """Count what tcpdump kept, once it has written so many: it may be slower than the trial."""
    for _ in range(200):
        argv = ["tcpdump", "-n", "-r", str(file)]
        text = subprocess.run(argv, capture_output=True, check=False).stdout
        if (count := text.count(b"\n")) >= at_least:
            break
        time.sleep(0.1)
    return count


@of("line", *ARMS)
def test_all_that_is_sent_crosses_the_tunnel(line: Line, tmp_path: Path) -> None:
    booted, arm = line.booted, line.arm
    record = booted.measure(arm, few(arm))
    assert (record.status, record.reason) == ("ok", "")
    splice = booted.bench.far._splice
    assert splice is not None
    inside, bare = tmp_path / "inside.pcap", tmp_path / "bare.pcap"
    with (
        tcpdump(splice.ports[0], inside, FILTERS[arm.name]),
        tcpdump(booted.lab.ports["wan0"], bare, "udp"),
    ):
        record = booted.measure(arm, few(arm))
        assert record.accounting is not None
        sent = record.accounting.tried - record.accounting.refused
        came = packets(inside, sent), packets(bare, sent)
    assert came == (sent, sent)
    assert booted.run(booted.bench.far.counts())["bare"] == 0


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


# WireGuard's two ends meet as it is set, and here no far end stands.
@of("line", *(arm for arm in ARMS if arm.name != "wireguard"))
def test_it_is_given_back_as_it_was(line: Line) -> None:
    given_back(line)
