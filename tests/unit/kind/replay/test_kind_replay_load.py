# SPDX-License-Identifier: Apache-2.0
"""A replay is between hosts of this machine alone; it says what of a capture it leaves out."""

import asyncio
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gatemark.error import UnavailableError, UsageError
from gatemark.kind.replay import load as replay
from gatemark.node.remote.login import Address, Login
from gatemark.node.remote.ssh import Ssh
from gatemark.node.shell import Local, Node
from gatemark.plan.model import Arm, Gateway, TrialSpec, Workload
from gatemark.station.cpu import Placement
from gatemark.station.wiring import ROLES, Port, wires


@dataclass(frozen=True, slots=True)
class Bench:
    """What a replay asks of a station."""

    ports: Mapping[str, Port]
    placement: Placement


SPEC = TrialSpec(
    trial="t",
    plan="p",
    arm=Arm(path="route", name="route"),
    gateway=Gateway(),
    workload=Workload(kind="replay", trace="voip", direction="both"),
    point={},
    repeat=1,
    pass_="outside",  # noqa: S106
    sequence=0,
)


def loads(wan: Node) -> int:
    """How many directions are replayed to a WAN host."""
    ports = {role: Port(wan if role == "wan0" else Local(), role, "") for role in ROLES}
    ways = wires(ports, "route", "both")
    bench = Bench(ports, Placement(gateway=0, sender=0, sink=0))
    return len(asyncio.run(replay.loads(bench, SPEC, ways)))  # type: ignore[arg-type]


def test_hosts_of_this_machine_replay() -> None:
    assert loads(Local()) == 2


def test_another_machine_is_refused_with_the_reason() -> None:
    host = Ssh("WAN host", Login(Address("192.0.2.3")))
    with pytest.raises(UnavailableError, match=r"^WAN host: another machine, .* clock"):
        loads(host)


MACS = bytes.fromhex("020000000001020000000002")
SESSION = MACS + bytes.fromhex("8864110000010006")
LINE_CONTROL = SESSION + bytes.fromhex("c02101010004")  # PPP's own (RFC 1661)
IPV4 = bytes.fromhex("45000024000040004011000c0a00000108080808")
DATAGRAM = bytes.fromhex("03e8003500100000") + b"payload!"
LONG = MACS + b"\x08\x00" + IPV4[:2] + struct.pack(">H", 3000) + IPV4[4:] + DATAGRAM


def trace(tmp_path: Path, *frames: bytes, length: int = 0, part: int = 0) -> Workload:
    """A replay of a capture of these frames; each has so many bytes on the wire, if more."""
    packets = (
        struct.pack("<IIII", 1, part, len(frame), max(length, len(frame))) + frame
        for frame in frames
    )
    file = tmp_path / "made.pcap"
    header = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    file.write_bytes(header + b"".join(packets))
    return Workload(kind="replay", trace=str(file), direction="both")


def test_a_packet_in_a_session_can_be_replayed(tmp_path: Path) -> None:
    replay.examine(trace(tmp_path, SESSION + bytes.fromhex("0021") + IPV4 + DATAGRAM))


def test_what_is_no_packet_of_a_host_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"`trace`: .*: 2 PPPoE session, protocol 0xC021; "):
        replay.examine(trace(tmp_path, LINE_CONTROL, LINE_CONTROL))


def test_a_plan_may_have_longer_packets_replayed(tmp_path: Path) -> None:
    replay.examine(msgspec.structs.replace(trace(tmp_path, LONG, length=3014), packet_most=3000))


def test_packets_that_are_too_long_are_counted_with_the_way_out(tmp_path: Path) -> None:
    why = r"`packet_most`: .*: 3 too long \(more than packet_most 1500\); packet_most \d+ takes"
    with pytest.raises(UsageError, match=why):
        replay.examine(trace(tmp_path, LONG, LONG, LONG, length=3014))


def test_packets_without_a_time_name_the_key_that_replays_them(tmp_path: Path) -> None:
    frame = MACS + b"\x08\x00" + IPV4 + DATAGRAM
    with pytest.raises(UsageError, match=r"`rate_pps`: .*: 1 without a sound time; "):
        replay.examine(trace(tmp_path, frame, part=1_000_000))


READY = {
    "packets": 40,
    "bytes": 10_000,
    "left_out": {},
    "left_out_bytes": 0,
    "late": 0,
    "late_bytes": 0,
    "cut": 0,
    "padded": 0,
    "over": 0,
}
CAPTURE = Workload(kind="replay", trace="/tmp/home.pcap", direction="both")  # noqa: S108


def remarks(**ready: Any) -> list[str]:
    """What a record says of a capture of which this is not as it was."""
    return replay.remarks(CAPTURE, READY | ready)


def test_a_capture_that_is_replayed_as_a_whole_needs_no_word() -> None:
    assert remarks() == []


def test_what_is_left_out_stands_with_its_share_and_reason() -> None:
    told = remarks(
        left_out={"ARP": 2, "PPPoE session, protocol 0xC021": 1, "fragments": 15},
        left_out_bytes=9_900,
    )
    assert told == [
        "Replayed: 55 % of the packets and 1 % of the bytes of home.pcap; left out: 2 ARP, "
        "1 PPPoE session, protocol 0xC021, 15 fragments"
    ]


def test_a_share_that_is_not_all_is_never_all() -> None:
    (told,) = remarks(packets=100_000, bytes=10**9, left_out={"fragments": 1}, left_out_bytes=60)
    assert told.startswith("Replayed: 99.9 % of the packets and 99.9 % of the bytes of home.pcap;")


def test_packets_behind_the_end_of_a_trial_are_left_out_too() -> None:
    (told,) = remarks(late=30, late_bytes=9_000, over=60)
    assert told.endswith("10 % of the bytes of home.pcap; left out: 30 due after the trial's time")


def test_segments_that_are_cut_are_counted() -> None:
    assert remarks(cut=18) == ["18 packets that were merged are cut into segments again"]
