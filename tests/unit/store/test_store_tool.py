# SPDX-License-Identifier: Apache-2.0
"""Files of iperf3 and flent: what they measured, and which are refused."""

import gzip
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gatemark.error import UsageError
from gatemark.store import tool
from gatemark.store.measured import Measured

# An address of loopback that no other suite on this machine has just now.
LOOPBACK = f"127.{1 + os.getpid() % 200}.{os.getpid() // 200 % 250}.8"
PORT, LONGEST_S = "5987", 20
FLENT: dict[str, Any] = {
    "version": 4,
    "metadata": {
        "NAME": "tcp_nup",
        "LENGTH": 10,
        "IP_VERSION": 4,
        "FLENT_VERSION": "2.3.0",
        "TIME": "2026-11-24T08:00:00.000000Z",
        "SERIES_META": {
            "TCP upload::1": {"UNITS": "Mbits/s", "CONG_CONTROL": "cubic", "MEAN_VALUE": 40.0},
            "TCP upload::2": {"UNITS": "Mbits/s", "CONG_CONTROL": "cubic"},
            "Ping (ms) ICMP": {"UNITS": "ms"},
        },
    },
    "x_values": [0.0, 0.2, 0.4],
    "results": {
        "TCP upload::1": [None, 39.0, 41.0],
        "TCP upload::2": [None, 10.0, 30.0],
        "TCP upload sum": [None, 49.0, 71.0],
        "Ping (ms) ICMP": [1.0, 2.0, 3.0],
    },
    "raw_values": {
        "TCP upload::1": [{"t": 1.0, "val": 39.0}],
        "TCP upload::2": [{"t": 1.0, "val": 10.0}],
        "Ping (ms) ICMP": [{"t": 1.0, "val": 1.0}],
    },
}
# What iperf3 -J writes, as far as it is read; and of UDP.
TCP: dict[str, Any] = {
    "start": {
        "version": "iperf 3.12",
        "connected": [{"remote_host": "::ffff:127.0.0.1"}],
        "sock_bufsize": 4096,
        "test_start": {
            "protocol": "TCP",
            "blksize": 8192,
            "num_streams": 2,
            "duration": 7,
            "omit": 1,
        },
    },
    "intervals": [
        {"streams": [{"rtt": 70}, {"rtt": 110}]},
        {"streams": [{"rtt": 90}, {"socket": 5}]},
    ],
    "end": {
        "sum_sent": {"retransmits": 3},
        "sum_received": {"bits_per_second": 9e9},
        "sender_tcp_congestion": "reno",
    },
}
UDP: dict[str, Any] = {
    "start": {
        "version": "iperf 3.12",
        "connected": [{"remote_host": "::1"}],
        "test_start": {
            "protocol": "UDP",
            "blksize": 500,
            "num_streams": 2,
            "duration": 4,
            "target_bitrate": 4_000_000,
        },
    },
    "end": {"sum": {"packets": 80, "lost_packets": 20, "seconds": 4.0}},
}


def iperf3(*options: str) -> dict[str, Any]:
    """The report of a real client over loopback."""
    server = ["iperf3", "-s", "-1", "--forceflush", "-B", LOOPBACK, "-p", PORT]
    client = ["iperf3", "-c", LOOPBACK, "-p", PORT, "-J", "-t", "1", *options]
    with subprocess.Popen(server, stdout=subprocess.PIPE, text=True) as serving:
        try:
            assert serving.stdout is not None
            for line in serving.stdout:  # until it listens
                if "listening" in line:
                    break
            done = subprocess.run(
                client, capture_output=True, text=True, timeout=LONGEST_S, check=True
            )
        finally:
            serving.kill()
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def read(folder: Path, document: object, name: str = "x.json") -> Measured:
    path = folder / name
    text = json.dumps(document).encode()
    path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    return tool.read(path)


def refused(folder: Path, data: bytes) -> str:
    path = folder / "x.json"
    path.write_bytes(data)
    with pytest.raises(UsageError) as error:
        tool.read(path)
    message = str(error.value)
    assert "\n" not in message
    return message.removeprefix(f"{path}: ")


def flent(**changed: Any) -> dict[str, Any]:
    return {**FLENT, **changed}


needs_iperf3 = pytest.mark.skipif(not shutil.which("iperf3"), reason="iperf3 is not installed")


@pytest.fixture(scope="module")
def tcp() -> dict[str, Any]:
    return iperf3("-P", "2", "-l", "8K", "-C", "cubic")


@pytest.mark.long
@needs_iperf3
def test_a_report_of_tcp_has_goodput_and_round_trip(tcp: dict[str, Any], tmp_path: Path) -> None:
    measured = read(tmp_path, tcp)
    assert measured.tool.startswith("iperf3 3.")
    definition = measured.definition
    assert (definition.l4, definition.streams, definition.write_bytes) == ("tcp", 2, 8192)
    assert (definition.congestion, definition.driver) == ("cubic", "iperf3")
    assert (definition.path, definition.direction) == ("unknown", "unknown")
    assert measured.values["goodput_bps"] == tcp["end"]["sum_received"]["bits_per_second"]
    assert 1_000 < measured.values["rtt_p50_ns"] <= measured.values["rtt_max_ns"]


@pytest.mark.long
@needs_iperf3
def test_a_report_of_udp_has_rate_and_loss(tmp_path: Path) -> None:
    report = iperf3("-u", "-l", "500", "-b", "4M")
    measured = read(tmp_path, report)
    assert (measured.definition.frame_bytes, measured.definition.flows) == (546, 1)
    assert measured.asked == {"rate_pps": 1000.0}
    # What it sent of that on a machine with other work is its own affair.
    whole = report["end"]["sum"]
    came = (whole["packets"] - whole["lost_packets"]) / whole["seconds"]
    assert measured.values["received_pps"] == pytest.approx(came, rel=0.02)
    assert measured.values["loss_ratio"] == pytest.approx(whole["lost_percent"] / 100, abs=0.01)


def test_what_iperf3_writes_of_tcp_is_read(tmp_path: Path) -> None:
    measured = read(tmp_path, TCP)
    assert measured.tool == "iperf3 3.12"
    assert measured.values == {
        "goodput_bps": 9e9,
        "retransmits": 3.0,
        "rtt_p50_ns": 90_000.0,
        "rtt_max_ns": 110_000.0,
    }
    made = measured.definition
    assert (made.quantity, made.family, made.l4, made.rate_layer) == (
        "goodput",
        "ipv4",
        "tcp",
        "l4",
    )
    assert (made.streams, made.write_bytes, made.socket_buffer_bytes) == (2, 8192, 4096)
    assert (made.congestion, made.settle_s, made.duration_s) == ("reno", 1.0, 7.0)


def test_what_iperf3_writes_of_udp_is_read(tmp_path: Path) -> None:
    measured = read(tmp_path, UDP)
    assert measured.values == {
        "offered_pps": 20.0,
        "received_pps": 15.0,
        "received_l4_bps": 60_000.0,
        "loss_ratio": 0.25,
    }
    assert measured.asked == {"rate_pps": 2000.0}
    made = measured.definition
    assert (made.family, made.frame_bytes, made.flows, made.duration_s) == ("ipv6", 566, 2, 4.0)
    both = {"sum_sent": {"packets": 160, "seconds": 4.0}, "sum_received": UDP["end"]["sum"]}
    assert read(tmp_path, UDP | {"end": both}).values["offered_pps"] == 40.0


def test_a_loss_that_iperf3_counts_in_bytes_alone_is_read(tmp_path: Path) -> None:
    """As a client of 3.18 writes it of a server of 3.12."""
    came = UDP["end"]["sum"] | {"lost_packets": 0, "lost_percent": 0, "bytes": 36 * 500}
    measured = read(tmp_path, UDP | {"end": {"sum": UDP["end"]["sum"], "sum_received": came}})
    assert measured.values["loss_ratio"] == pytest.approx(1 - 36 / came["packets"])


@pytest.mark.parametrize("name", ["x.flent", "x.flent.gz"])
def test_a_data_file_of_flent_has_the_streams_goodput(name: str, tmp_path: Path) -> None:
    measured = read(tmp_path, FLENT, name)
    assert measured.tool == "flent 2.3.0"
    assert measured.values == {"goodput_bps": 60e6}
    definition = measured.definition
    assert (definition.streams, definition.congestion, definition.driver) == (2, "cubic", "flent")
    assert (definition.family, definition.l4) == ("ipv4", "tcp")
    assert {"path", "write_bytes"} <= measured.unknown
    assert "congestion" not in measured.unknown


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({}, "of no tool that is known: give a run's directory, iperf3's JSON"),
        ([], "of no tool that is known"),
        ({"start": {"version": "iperf 3.12"}, "end": {}}, "damaged (KeyError: 'test_start')"),
        (
            {"start": {"version": "iperf 3.12"}, "end": {}, "error": "refused"},
            "iperf3 failed (refused): measure anew",
        ),
        (
            {"start": {"version": "iperf 3.12", "test_start": {"bidir": 1}}, "end": {}},
            "it is of --bidir: measure one direction after the other",
        ),
        (
            {"start": {"version": "iperf 3.12", "test_start": {"protocol": "SCTP"}}, "end": {}},
            "its protocol is SCTP: TCP and UDP can be compared",
        ),
        (
            UDP | {"end": {"sum": {"packets": 0, "lost_packets": 0, "seconds": 4.0}}},
            "it counted no packets: measure anew",
        ),
        (flent(version=5), "its format is newer than 4: update gatemark"),
        (flent(results={}), "flent's test tcp_nup has no rate of TCP streams"),
        (
            flent(
                results={"TCP upload": [1.0], "TCP download": [1.0]},
                raw_values={"TCP upload": [], "TCP download": []},
            ),
            "it has both directions at once: measure one after the other",
        ),
        (flent(results=3), "damaged (AttributeError: "),
    ],
)
def test_what_cannot_be_compared_is_refused(document: object, message: str, tmp_path: Path) -> None:
    assert refused(tmp_path, json.dumps(document).encode()).startswith(message)


@pytest.mark.parametrize(
    "data", [b"", b"{", b"\x1f\x8b", gzip.compress(json.dumps(FLENT).encode())[:-9], b"[" * 99_999]
)
def test_a_file_that_is_cut_is_refused(data: bytes, tmp_path: Path) -> None:
    assert refused(tmp_path, data).startswith("no whole JSON: give ")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        tool.read(tmp_path / "none.json")
