# SPDX-License-Identifier: Apache-2.0
"""Real-time traffic that needs no trace: captures of made-up conversations, the same each time.

They go through the very same replay as a captured file. Rates are those of IP packets.
"""

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from random import Random
from typing import Final

from gatemark.plan.trace import SOURCES

PCAP_NS_MAGIC: Final = 0xA1B23C4D
LINK_RAW: Final = 101  # packets begin with their IP header
SNAP_BYTES: Final = 65535
UDP: Final = 17
ENDS: Final = {"ipv4": ("10.0.0.2", "192.0.2.1"), "ipv6": ("fd00::2", "2001:db8::1")}
LONGEST_S: Final = 3600.0

# Quake III's engine, which Enemy Territory runs on, sends every client a snapshot each 50 ms
# (Lang, Branch, Armitage: A synthetic traffic model for Quake3, 2004). The DIFFUSE report's trace
# of it (SONG database) has 61 kbit/s in both directions together. 25 packets/s up is ours: with 45
# bytes of payload each they are 14.6 kbit/s, which leaves 290-byte packets down.
GAME_PORTS: Final = (27961, 27960)
GAME_UP: Final = (0.040, 0.004, 45.0, 6.0, 28, 90)  # gap and payload: mean and deviation; bounds
GAME_DOWN: Final = (0.050, 0.0005, 262.0, 70.0, 60, 700)

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


@dataclass(frozen=True, order=True, slots=True)
class Datagram:
    """One packet of a conversation."""

    at_s: float
    up: bool
    ports: tuple[int, int]  # LAN side, far side
    payload_bytes: int


def _steady(
    random: Random, up: bool, seconds: float, shape: tuple[float, float, float, float, int, int]
) -> Iterator[Datagram]:
    """Packets whose gaps and sizes scatter about a mean."""
    gap_s, gap_spread_s, size, size_spread, least, most = shape
    at_s = random.uniform(0, gap_s)
    while at_s < seconds:
        payload = min(most, max(least, round(random.gauss(size, size_spread))))
        yield Datagram(at_s, up, GAME_PORTS, payload)
        at_s += max(gap_s / 4, random.gauss(gap_s, gap_spread_s))


def _game(random: Random, seconds: float) -> Iterator[Datagram]:
    yield from _steady(random, True, seconds, GAME_UP)
    yield from _steady(random, False, seconds, GAME_DOWN)


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


_MAKERS: Final[dict[str, Callable[[Random, float], Iterator[Datagram]]]] = {
    "game": _game,
    "voip": _voip,
    "voip-vad": _voip_vad,
    "video": _video,
}
assert set(_MAKERS) == set(SOURCES)


def conversation(source: str, seconds: float, seed: int = 1) -> list[Datagram]:
    """What a source sends in so many seconds, in order."""
    seconds = min(seconds, LONGEST_S)
    made = _MAKERS[source](Random(f"{source}/{seed}"), seconds)  # noqa: S311  not for secrets
    return sorted(datagram for datagram in made if datagram.at_s < seconds)


def capture(source: str, family: str, seconds: float, seed: int = 1) -> bytes:
    """The same as a pcap file with nanoseconds, of raw IP packets. Checksums are the replay's."""
    random = Random(f"{source}/{seed}/payload")  # noqa: S311  not for secrets
    records = [struct.pack("<IHHIIII", PCAP_NS_MAGIC, 2, 4, 0, 0, SNAP_BYTES, LINK_RAW)]
    for datagram in conversation(source, seconds, seed):
        packet = _packet(datagram, family, random.randbytes(datagram.payload_bytes))
        at_s, at_ns = divmod(round(datagram.at_s * 1e9), 1_000_000_000)
        records += (struct.pack("<IIII", at_s, at_ns, len(packet), len(packet)), packet)
    return b"".join(records)


def _packet(datagram: Datagram, family: str, payload: bytes) -> bytes:
    ends = [ip_address(end).packed for end in ENDS[family]]
    ports = datagram.ports if datagram.up else datagram.ports[::-1]
    udp = struct.pack("!HHHH", *ports, 8 + len(payload), 0) + payload
    addresses = b"".join(ends if datagram.up else ends[::-1])
    if family == "ipv6":
        return struct.pack("!IHBB", 6 << 28, len(udp), UDP, 64) + addresses + udp
    length = 20 + len(udp)
    return struct.pack("!BBHHHBBH", 0x45, 0, length, 0, 0x4000, 64, UDP, 0) + addresses + udp
