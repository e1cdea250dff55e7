# SPDX-License-Identifier: Apache-2.0
"""A file of iperf3's client: `iperf3 -c HOST -J` (iperf_api.c, iperf_json_finish)."""

import sys
from collections.abc import Mapping
from statistics import median
from typing import Any, Final

from gatemark.store.measured import UNKNOWN, Measured
from gatemark.store.record import Definition
from gatemark.unit import frame_bytes

TOOL: Final = "iperf3"


def is_of(document: dict[str, Any]) -> bool:
    """Return whether a document is a report of iperf3."""
    version = document.get("start", {})
    return isinstance(version, dict) and str(version.get("version", "")).startswith("iperf 3")


def read(document: dict[str, Any]) -> Measured:
    """One test. Raises ValueError, with a reason for the user, where it holds no result."""
    start, end = document["start"], document["end"]
    if "error" in document:
        raise ValueError(f"iperf3 failed ({document['error']}): measure anew".replace("\n", " "))
    if "sum_sent_bidir_reverse" in end or start.get("test_start", {}).get("bidir"):
        raise ValueError("it is of --bidir: measure one direction after the other")
    test = start["test_start"]
    is_udp = test["protocol"] == "UDP"
    if not is_udp and test["protocol"] != "TCP":
        raise ValueError(f"its protocol is {test['protocol']}: TCP and UDP can be compared")
    hosts = [str(connected["remote_host"]) for connected in start["connected"]]
    family = "ipv6" if ":" in hosts[0].removeprefix("::ffff:") else "ipv4"
    tool = str(start["version"]).replace("iperf ", f"{TOOL} ")
    return _udp(tool, family, test, end) if is_udp else _tcp(tool, family, test, document)


def _tcp(tool: str, family: str, test: dict[str, Any], document: dict[str, Any]) -> Measured:
    end = document["end"]
    values = {"goodput_bps": float(end["sum_received"]["bits_per_second"])}
    if "retransmits" in end["sum_sent"]:
        values["retransmits"] = float(end["sum_sent"]["retransmits"])
    streams = [stream for part in document["intervals"] for stream in part["streams"]]
    if rtts := [float(stream["rtt"]) * 1e3 for stream in streams if "rtt" in stream]:
        values |= {"rtt_p50_ns": median(rtts), "rtt_max_ns": max(rtts)}
    definition = Definition(
        quantity="goodput",
        path=UNKNOWN,
        direction=UNKNOWN,
        family=family,
        l4="tcp",
        write_bytes=int(test["blksize"]),
        streams=int(test["num_streams"]),
        socket_buffer_bytes=int(document["start"].get("sock_bufsize", 0)),
        congestion=str(end.get("sender_tcp_congestion", UNKNOWN)),
        settle_s=float(test.get("omit", 0)),
        driver=TOOL,
        rate_layer="l4",
        duration_s=float(test["duration"]),
    )
    return Measured(tool=tool, values=values, definition=definition)


def received_packets(received: Mapping[str, Any], payload_bytes: int) -> int:
    """Return what a UDP report's receiver counted, by losses or by bytes, whichever is less.

    A client of 3.18 at a server of 3.12 reports no loss, and the receiver's bytes all the same
    (findings/iperf3-lost-between-versions.sh).
    """
    by_losses = int(received["packets"]) - int(received["lost_packets"])
    return min(by_losses, int(received.get("bytes", sys.maxsize)) // payload_bytes)


def _udp(tool: str, family: str, test: dict[str, Any], end: dict[str, Any]) -> Measured:
    got, sent = end.get("sum_received") or end["sum"], end.get("sum_sent") or end["sum"]
    packets = int(got["packets"])
    payload, seconds = int(test["blksize"]), float(got["seconds"])
    if min(packets, payload, seconds) <= 0:
        raise ValueError("it counted no packets: measure anew")
    came = received_packets(got, payload)
    definition = Definition(
        path=UNKNOWN,
        direction=UNKNOWN,
        family=family,
        frame_bytes=frame_bytes(payload, family),
        flows=int(test["num_streams"]),
        driver=TOOL,
        duration_s=float(test["duration"]),
    )
    values = {
        "offered_pps": int(sent["packets"]) / float(sent["seconds"]),
        "received_pps": came / seconds,
        "received_l4_bps": came * payload * 8 / seconds,
        "loss_ratio": (packets - came) / packets,
    }
    target_bps = float(test.get("target_bitrate", 0)) * int(test["num_streams"])
    asked = {"rate_pps": target_bps / 8 / payload}
    return Measured(tool=tool, values=values, definition=definition, asked=dict(asked))
