# SPDX-License-Identifier: Apache-2.0
"""Made-up conversations have the rates that they promise, and are the same each time."""

from itertools import groupby

import pytest

from gatemark.plan.trace import SOURCES
from gatemark.workload.source import Datagram, capture, conversation

SECONDS = 60.0
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


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("family", ["ipv4", "ipv6"])
def test_a_source_makes_the_same_capture_each_time(source: str, family: str) -> None:
    assert capture(source, family, 1.0) == capture(source, family, 1.0)
    assert capture(source, family, 1.0) != capture(source, family, 1.0, seed=2)
