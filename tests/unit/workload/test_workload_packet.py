# SPDX-License-Identifier: Apache-2.0
"""A packet of a walk as bytes: laid out as the RFCs say, and known again behind NAT."""

import struct
import subprocess
from pathlib import Path

import pytest

from gatemark.kind.walk import opening
from gatemark.kind.walk.numbered import Datagrams, Flow, Segments
from gatemark.unit import payload_bytes
from gatemark.workload import packet
from gatemark.workload.packet import ACK, PUSH, SYN, Segment

MACS = "02:00:00:00:00:01", "02:00:00:00:00:02"
ENDS = {
    4: (("198.18.1.2", 20000), ("198.19.1.2", 9)),
    6: (("2001:2:0:1::2", 20000), ("2001:2:0:2::2", 9)),
}


def sum16(data: bytes) -> int:
    """The one's complement sum that is 0xffff over whatever holds its own checksum (RFC 1071)."""
    words = struct.unpack(f"!{len(data) // 2}H", data)
    total: int = sum(words)
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


@pytest.mark.parametrize("version", [4, 6])
def test_it_is_as_long_as_asked_and_its_checksum_holds(version: int) -> None:
    source, sink = ENDS[version]
    at = 14 + (20 if version == 4 else 40)
    for size in (18, 400, 1450):
        frame = packet.udp(MACS, source, sink, packet.payload(7, size))
        assert len(frame) == at + 8 + size
        addresses = frame[26:34] if version == 4 else frame[22:54]
        pseudo = addresses + struct.pack("!II", len(frame) - at, 17)
        assert sum16(pseudo + frame[at:]) == 0xFFFF, size


def test_the_header_of_ipv4_holds_its_checksum() -> None:
    frame = packet.udp(MACS, *ENDS[4], packet.payload(0, 18))
    assert sum16(frame[14:34]) == 0xFFFF


def test_it_goes_to_the_next_hop() -> None:
    frame = packet.udp(MACS, *ENDS[4], packet.payload(0, 18))
    assert (frame[6:12].hex(":"), frame[:6].hex(":")) == MACS


@pytest.mark.parametrize("version", [4, 6])
def test_it_is_known_again(version: int) -> None:
    frame = packet.udp(MACS, *ENDS[version], packet.payload(-3, 18))
    assert packet.is_for(frame, 9, packet.mark(-3))


def test_padding_behind_it_is_no_part_of_it() -> None:
    frame = packet.udp(MACS, *ENDS[4], packet.payload(3, 10))
    assert packet.is_for(frame + b"\0" * 8, 9, packet.mark(3))


@pytest.mark.parametrize(
    ("port", "number"), [(10, 3), (9, 4)], ids=["of another port", "of another number"]
)
def test_another_is_not_taken_for_it(port: int, number: int) -> None:
    frame = packet.udp(MACS, *ENDS[4], packet.payload(3, 18))
    assert not packet.is_for(frame, port, packet.mark(number))


def test_what_is_no_udp_is_let_go() -> None:
    arp = b"\0" * 12 + b"\x08\x06" + b"\0" * 46
    assert [frame for frame in (b"", b"\0" * 14, arp) if packet.is_for(frame, 9, None)] == []


SEGMENTS = {
    "syn": Segment(7, 0, SYN, opening.OPTIONS),
    "data": Segment(2**32 - 1, 9, PUSH | ACK, data=b"odd"),
    "bare": Segment(8, 9, ACK),
}


def read_by_tcpdump(frames: list[bytes], folder: Path) -> list[str]:
    """A line for each frame, by a program that knows TCP from elsewhere."""
    file = folder / "made.pcap"
    with file.open("wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for frame in frames:
            out.write(struct.pack("<IIII", 0, 0, len(frame), len(frame)) + frame)
    command = ["tcpdump", "-nn", "-t", "-S", "-vv", "-r", str(file)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except FileNotFoundError:
        pytest.skip("no tcpdump")
    return [" ".join(line.split()) for line in done.stdout.replace("\n    ", " ").splitlines()]


@pytest.mark.parametrize("version", [4, 6])
def test_tcpdump_finds_no_fault_in_a_segment(version: int, tmp_path: Path) -> None:
    frames = [packet.tcp(MACS, *ENDS[version], segment) for segment in SEGMENTS.values()]
    syn, data, bare = read_by_tcpdump(frames, tmp_path)
    assert all("(correct)" in line and "bad" not in line for line in (syn, data, bare))
    assert "Flags [S]" in syn
    assert "win 65535, options [mss 1460,nop,nop,sackOK,nop,wscale 14], length 0" in syn
    assert "Flags [P.]" in data
    assert "seq 4294967295:2, ack 9" in data
    assert "ack 9, win 65535, length 0" in bare


def of_flow(version: int, l4: str, frame_bytes: int) -> Flow:
    source, sink = ENDS[version]
    size = int(payload_bytes(frame_bytes, f"ipv{version}", l4))
    return Flow(MACS, source, sink, sink[1], size)


@pytest.mark.parametrize("version", [4, 6])
def test_a_frame_is_as_long_whatever_it_carries(version: int) -> None:
    for size in (84, 1518):
        made = (
            Datagrams(of_flow(version, "udp", size)),
            Segments(of_flow(version, "tcp", size), 1, 1),
        )
        assert {len(numbered.frame(0)) + 4 for numbered in made} == {size}


def test_each_segment_goes_on_where_the_last_one_ended(tmp_path: Path) -> None:
    """From the byte after SYN, so that a gateway that follows the numbers finds no gap."""
    made = Segments(of_flow(4, "tcp", 64), 101, 201)
    printed = read_by_tcpdump([made.frame(number) for number in range(-10, -7)], tmp_path)
    assert [line.partition("seq ")[2].partition(",")[0] for line in printed] == [
        "101:107",
        "107:113",
        "113:119",
    ]


@pytest.mark.parametrize("version", [4, 6])
def test_a_segment_is_known_again(version: int) -> None:
    made = Segments(of_flow(version, "tcp", 84), 2**32 - 5, 1)
    frame = made.frame(3)
    assert made.is_it(frame, 3)
    assert not made.is_it(frame, 4)
    assert packet.sender(frame) == ENDS[version][0]


def test_one_protocol_is_not_taken_for_the_other() -> None:
    """Even where all that is looked at is alike."""
    flow = of_flow(4, "tcp", 84)
    frame = Datagrams(flow).frame(0)
    assert not packet.is_segment(frame, flow.port, int.from_bytes(frame[38:42], "big"))
    assert not packet.is_for(Segments(flow, 1, 1).frame(0), flow.port, None)


def test_a_probe_of_arp_is_answered_and_leaves_no_address() -> None:
    probe = packet.arp_probe("02:00:00:00:00:01", "192.0.2.1")
    answer = packet.arp_answer(probe, "02:00:00:00:00:02", {"192.0.2.1"})
    assert probe[28:32] == bytes(4)
    assert packet.is_arp_answer(answer)
    assert answer[:6] == bytes.fromhex("020000000001")
    assert not packet.is_arp_answer(probe)
