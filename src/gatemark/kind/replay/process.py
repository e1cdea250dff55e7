# SPDX-License-Identifier: Apache-2.0
"""The packets of real-time traffic, one generator for each source: when, which way, how large.

Each takes a seeded generator of random numbers and how long it lasts. `game`, `voip`, `voip-vad`
and `video` are of the sources named at their constants, and so are `voip-opus` and `cloud-game`;
`game-modern` and `isochronous` are ours, of the size of what they stand for.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Final

# Quake III's engine, which Enemy Territory runs on, sends every client a snapshot each 50 ms
# (Lang, Branch, Armitage: A synthetic traffic model for Quake3, 2004). The DIFFUSE report's trace
# of it (SONG database) has 61 kbit/s in both directions together. 25 packets/s up is ours: with 45
# bytes of payload each they are 14.6 kbit/s, which leaves 290-byte packets down.
GAME_PORTS: Final = (27961, 27960)

# Ours, no published trace: a shooter of today, whose client and server tick 60 times a second.
# Small and steady, with one packet a tick, is what gaming models have (IEEE 802.11-15/0061r6).
# Sizes are those of IPv4 packets: 100 +- 20 bytes up, 250 +- 80 down.
MODERN_PORTS: Final = (40060, 27015)

# RFC 3551: PCMU is 64 kbit/s (section 4.5.14), 20 ms in a packet (4.2); RTP's header is 12 bytes.
VOICE_PORTS: Final = (16384, 16386)
VOICE_S: Final = 0.020
VOICE_BYTES: Final = 160 + 12
# ITU-T P.59 table 1: how long people talk and pause, in the mean.
TALK_S: Final = 1.004
PAUSE_S: Final = 1.587

# Ours, of the size of a 360p call by WebRTC: 30 frames/s of 1 to 6 packets, 1.2 Mbit/s each way;
# the payload of a packet is 1200 bytes at most there. With it Opus, 20 ms in a packet (RFC 7587).
VIDEO_PORTS: Final = (50000, 3480)
AUDIO_PORTS: Final = (50002, 3478)
FRAME_S: Final = 1 / 30
FRAME_BYTES: Final = (4850.0, 1300.0)  # mean and deviation
PACKET_BYTES: Final = 1200
FRAME_PACKETS: Final = 6
SPACING_S: Final = 0.0004  # between packets of a frame
OPUS_BYTES: Final = (90.0, 15.0)

# RFC 7587: Opus at 32 kbit/s, 20 ms in a packet: 80 bytes in the mean, of variable rate (3.1.2),
# and RTP's header. So an IPv4 packet has 120 +- 15 bytes; the deviation is ours.
CALL_PORTS: Final = (50004, 3478)
CALL_BYTES: Final = (92.0, 15.0)

# Cloud gaming at 15 Mbit/s, in the middle of the 10 to 20 Mbit/s at least that were measured of
# GeForce NOW (PAM 2024). Packets are ours: 60 frames/s, each handed over at once in full packets
# (1500 bytes of IPv6, 1480 of IPv4) and one with the rest; up 125 reports/s of a controller.
CLOUD_PORTS: Final = (49003, 49004)
CLOUD_FRAME_S: Final = 1 / 60
CLOUD_PACKET_BYTES: Final = 1452
CLOUD_FRAME_BYTES: Final = (30_640.0, 6_100.0)  # of payload: mean and deviation
CLOUD_FRAME_BOUNDS: Final = (1452, 2 * 30_640)

# Ours, as RRUL's UDP flows are: of the size of G.711 in packets of 10 ms, with RTP's header.
ISOCHRONOUS_PORTS: Final = (16390, 16392)
ISOCHRONOUS_S: Final = 0.010
ISOCHRONOUS_BYTES: Final = 80 + 12


@dataclass(frozen=True, order=True, slots=True)
class Datagram:
    """One packet of a conversation."""

    at_s: float
    up: bool
    ports: tuple[int, int]  # LAN side, far side
    payload_bytes: int


@dataclass(frozen=True, slots=True)
class Steady:
    """Packets whose gaps and sizes scatter about a mean, normally distributed."""

    ports: tuple[int, int]
    gap_s: float
    gap_spread_s: float  # standard deviation
    payload_bytes: float
    spread_bytes: float  # standard deviation
    least_bytes: int
    most_bytes: int


GAME_UP: Final = Steady(GAME_PORTS, 0.040, 0.004, 45.0, 6.0, 28, 90)
GAME_DOWN: Final = Steady(GAME_PORTS, 0.050, 0.0005, 262.0, 70.0, 60, 700)
MODERN_UP: Final = Steady(MODERN_PORTS, 1 / 60, 0.04 / 60, 72.0, 20.0, 20, 140)
MODERN_DOWN: Final = Steady(MODERN_PORTS, 1 / 60, 0.04 / 60, 222.0, 80.0, 20, 600)
CALL: Final = Steady(CALL_PORTS, VOICE_S, 0.0, *CALL_BYTES, 20, 160)
CONTROLLER: Final = Steady(CLOUD_PORTS, 0.008, 0.04 * 0.008, 62.0, 0.0, 62, 62)


def _steady(random: Random, up: bool, seconds: float, shape: Steady) -> Iterator[Datagram]:
    at_s = random.uniform(0, shape.gap_s)
    while at_s < seconds:
        size = round(random.gauss(shape.payload_bytes, shape.spread_bytes))
        payload = min(shape.most_bytes, max(shape.least_bytes, size))
        yield Datagram(at_s, up, shape.ports, payload)
        at_s += max(shape.gap_s / 4, random.gauss(shape.gap_s, shape.gap_spread_s))


def _game(random: Random, seconds: float) -> Iterator[Datagram]:
    yield from _steady(random, True, seconds, GAME_UP)
    yield from _steady(random, False, seconds, GAME_DOWN)


def _game_modern(random: Random, seconds: float) -> Iterator[Datagram]:
    yield from _steady(random, True, seconds, MODERN_UP)
    yield from _steady(random, False, seconds, MODERN_DOWN)


def _spurts(random: Random, seconds: float) -> Iterator[tuple[float, float]]:
    """From when to when somebody talks: both exponential."""
    at_s = random.expovariate(1 / PAUSE_S)
    while at_s < seconds:
        until_s = at_s + random.expovariate(1 / TALK_S)
        yield at_s, min(until_s, seconds)
        at_s = until_s + random.expovariate(1 / PAUSE_S)


def _voice(random: Random, seconds: float, *, silent: bool) -> Iterator[Datagram]:
    """Both talk all the time, or each in spurts where silence is not sent."""
    for up in (True, False):
        begins_s = random.uniform(0, VOICE_S)
        for from_s, to_s in _spurts(random, seconds) if silent else [(begins_s, seconds)]:
            for number in range(-int(-(to_s - from_s) // VOICE_S)):
                yield Datagram(from_s + number * VOICE_S, up, VOICE_PORTS, VOICE_BYTES)


def _voip(random: Random, seconds: float) -> Iterator[Datagram]:
    return _voice(random, seconds, silent=False)


def _voip_vad(random: Random, seconds: float) -> Iterator[Datagram]:
    return _voice(random, seconds, silent=True)


def _video(random: Random, seconds: float) -> Iterator[Datagram]:
    for up in (True, False):
        begins_s = random.uniform(0, FRAME_S)
        for number in range(int((seconds - begins_s) / FRAME_S) + 1):
            most = FRAME_PACKETS * PACKET_BYTES
            left = min(most, max(200, round(random.gauss(*FRAME_BYTES))))
            at_s = begins_s + number * FRAME_S
            count = -(-left // PACKET_BYTES)
            for _ in range(count):  # as WebRTC cuts a frame: into packets of one size
                yield Datagram(at_s, up, VIDEO_PORTS, -(-left // count))
                at_s += SPACING_S
        begins_s = random.uniform(0, VOICE_S)
        for number in range(int((seconds - begins_s) / VOICE_S) + 1):
            size = max(20, round(random.gauss(*OPUS_BYTES)))
            yield Datagram(begins_s + number * VOICE_S, up, AUDIO_PORTS, size)


def _voip_opus(random: Random, seconds: float) -> Iterator[Datagram]:
    for up in (True, False):
        yield from _steady(random, up, seconds, CALL)


def _cloud_game(random: Random, seconds: float) -> Iterator[Datagram]:
    yield from _steady(random, True, seconds, CONTROLLER)
    least, most = CLOUD_FRAME_BOUNDS
    begins_s = random.uniform(0, CLOUD_FRAME_S)
    for number in range(int((seconds - begins_s) / CLOUD_FRAME_S) + 1):
        left = min(most, max(least, round(random.gauss(*CLOUD_FRAME_BYTES))))
        while left > 0:
            payload = min(left, CLOUD_PACKET_BYTES)
            yield Datagram(begins_s + number * CLOUD_FRAME_S, False, CLOUD_PORTS, payload)
            left -= payload


def _isochronous(random: Random, seconds: float) -> Iterator[Datagram]:
    for up in (True, False):
        begins_s = random.uniform(0, ISOCHRONOUS_S)
        for number in range(int((seconds - begins_s) / ISOCHRONOUS_S) + 1):
            at_s = begins_s + number * ISOCHRONOUS_S
            yield Datagram(at_s, up, ISOCHRONOUS_PORTS, ISOCHRONOUS_BYTES)


PROCESSES: Final[dict[str, Callable[[Random, float], Iterator[Datagram]]]] = {
    "game": _game,
    "game-modern": _game_modern,
    "voip": _voip,
    "voip-vad": _voip_vad,
    "voip-opus": _voip_opus,
    "video": _video,
    "cloud-game": _cloud_game,
    "isochronous": _isochronous,
}
