# SPDX-License-Identifier: Apache-2.0
"""Made-up conversations have the rates that they promise, and are the same each time."""

import struct
from itertools import groupby, pairwise
from statistics import fmean, stdev

import pytest

from gatemark.kind.replay.process import Datagram
from gatemark.kind.replay.source import capture, conversation
from gatemark.plan.trace import SOURCES

SECONDS = 30.0
IP_UDP_BYTES = 28


def bits(sent: list[Datagram]) -> float:
    """Bits/s of IPv4 packets."""
    return sum(datagram.payload_bytes + IP_UDP_BYTES for datagram in sent) * 8 / SECONDS


def ways(source: str) -> tuple[list[Datagram], list[Datagram]]:
    sent = conversation(source, SECONDS)
    return [datagram for datagram in sent if datagram.up], [
        datagram for datagram in sent if not datagram.up
    ]


def test_a_game_has_the_rate_of_the_diffuse_trace() -> None:
    up, down = ways("game")
    assert bits(up + down) == pytest.approx(61_000, rel=0.03)
    assert len(up) / SECONDS == pytest.approx(25, rel=0.02)


def test_a_voice_call_has_50_packets_a_second_of_172_bytes_each_way() -> None:
    for way in ways("voip"):
        assert len(way) / SECONDS == pytest.approx(50, rel=0.01)
        assert {datagram.payload_bytes for datagram in way} == {172}


def test_a_voice_call_without_silence_sends_less_than_half() -> None:
    for way in ways("voip-vad"):
        assert 0.2 < len(way) / SECONDS / 50 < 0.6


def test_a_video_call_has_30_frames_a_second_of_1_to_6_packets() -> None:
    for way in ways("video"):
        frames = [datagram for datagram in way if datagram.ports[0] == 50000]
        assert bits(frames) == pytest.approx(1_200_000, rel=0.05)
        sizes = [len(list(frame)) for _, frame in groupby(frames, lambda d: int(d.at_s * 30))]
        assert max(sizes) <= 12  # a frame may begin in another's 33 ms, but no more
        assert max(datagram.payload_bytes for datagram in frames) <= 1200


def sizes(sent: list[Datagram]) -> list[int]:
    return [datagram.payload_bytes + IP_UDP_BYTES for datagram in sent]


def gaps(sent: list[Datagram]) -> list[float]:
    return [later.at_s - earlier.at_s for earlier, later in pairwise(sent)]


def test_a_game_of_today_ticks_60_times_a_second_each_way() -> None:
    """Its sizes and gaps have the means and deviations that are promised."""
    for way, (size, spread) in zip(ways("game-modern"), ((100, 20), (250, 80)), strict=True):
        assert len(way) / SECONDS == pytest.approx(60, rel=0.01)
        assert fmean(sizes(way)) == pytest.approx(size, rel=0.02)
        assert stdev(sizes(way)) == pytest.approx(spread, rel=0.1)
        assert stdev(gaps(way)) / fmean(gaps(way)) == pytest.approx(0.04, rel=0.1)


def test_an_opus_call_has_50_packets_a_second_of_32_kbit_of_voice() -> None:
    for way in ways("voip-opus"):
        assert len(way) / SECONDS == pytest.approx(50, rel=0.01)
        assert fmean(sizes(way)) == pytest.approx(120, rel=0.02)
        assert stdev(sizes(way)) == pytest.approx(15, rel=0.1)
        assert (min(gaps(way)), max(gaps(way))) == pytest.approx((0.020, 0.020))
        voice = sum(datagram.payload_bytes - 12 for datagram in way) * 8 / SECONDS
        assert voice == pytest.approx(32_000, rel=0.02)


def test_a_streamed_game_has_60_bursts_a_second_of_full_packets() -> None:
    """All packets of a frame are due at once, all but its last one full."""
    up, down = ways("cloud-game")
    assert bits(down) == pytest.approx(15e6, rel=0.02)
    assert len(up) / SECONDS == pytest.approx(125, rel=0.01)
    assert set(sizes(up)) == {90}
    bursts = [[*frame] for _, frame in groupby(down, lambda datagram: datagram.at_s)]
    assert len(bursts) / SECONDS == pytest.approx(60, rel=0.01)
    full = max(sizes(down))
    assert full + 20 == 1500  # over IPv6
    assert all({full}.issuperset(sizes(burst)[:-1]) for burst in bursts)


def test_an_isochronous_flow_has_120_bytes_each_10_ms() -> None:
    for way in ways("isochronous"):
        assert set(sizes(way)) == {120}
        assert (min(gaps(way)), max(gaps(way))) == pytest.approx((0.010, 0.010))
        assert len(way) / SECONDS == pytest.approx(100, rel=0.01)


def test_a_trace_is_as_long_as_it_is_asked_to_be() -> None:
    """Its beginning is that of a shorter one's process, and nothing is due after its end."""
    sent = conversation("game", 90.0)
    assert 89.8 < sent[-1].at_s < 90
    assert len(sent) / 90 == pytest.approx(45, rel=0.02)


def test_a_source_makes_the_same_capture_each_time() -> None:
    made = {source: capture(source, "ipv4", 0.3) for source in SOURCES}
    again = {source: capture(source, "ipv4", 0.3) for source in SOURCES}
    others = {source: capture(source, "ipv4", 0.3, seed=2) for source in SOURCES}
    assert [source for source in SOURCES if made[source] != again[source]] == []
    assert [source for source in SOURCES if made[source] == others[source]] == []


@pytest.mark.parametrize(("family", "hosts"), [("ipv4", 12), ("ipv6", 8)])
def test_a_capture_has_the_packets_of_its_conversation(family: str, hosts: int) -> None:
    """Either way its hosts and ports change places; lengths are those of what is sent."""
    sent = conversation("game", 0.3)
    data, at, ends = capture("game", family, 0.3), 24, set()
    for datagram in sent:
        at_s, at_ns, kept, length = struct.unpack_from("<IIII", data, at)
        packet = data[at + 16 : at + 16 + kept]
        ip = 20 if family == "ipv4" else 40
        assert (at_s + at_ns / 1e9, kept) == (pytest.approx(datagram.at_s), length)
        assert length == ip + 8 + datagram.payload_bytes
        ports = struct.unpack_from("!HH", packet, ip)
        assert ports == (datagram.ports if datagram.up else datagram.ports[::-1])
        addresses = packet[hosts:ip]
        middle = len(addresses) // 2
        ends.add((addresses[:middle], addresses[middle:])[:: 1 if datagram.up else -1])
        at += 16 + kept
    assert (at, len(ends), packet[0] >> 4) == (len(data), 1, int(family[-1]))
