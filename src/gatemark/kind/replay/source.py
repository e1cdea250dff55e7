# SPDX-License-Identifier: Apache-2.0
"""Real-time traffic that needs no trace: captures of made-up conversations, the same each time.

They go through the very same replay as a captured file. Rates are those of IP packets.
"""

import struct
from ipaddress import ip_address
from random import Random
from typing import Final

from gatemark.kind.replay.process import PROCESSES, Datagram

PCAP_NS_MAGIC: Final = 0xA1B23C4D
LINK_RAW: Final = 101  # packets begin with their IP header
SNAP_BYTES: Final = 65535
UDP: Final = 17
ENDS: Final = {"ipv4": ("10.0.0.2", "192.0.2.1"), "ipv6": ("fd00::2", "2001:db8::1")}
LONGEST_S: Final = 3600.0


def conversation(source: str, seconds: float, seed: int = 1) -> list[Datagram]:
    """Return the datagrams that a source sends in so many seconds, in order."""
    seconds = min(seconds, LONGEST_S)
    made = PROCESSES[source](Random(f"{source}/{seed}"), seconds)  # noqa: S311  not for secrets
    # Packets of one moment stay as they are made: a frame's last packet is its shortest.
    return sorted(
        (datagram for datagram in made if datagram.at_s < seconds),
        key=lambda datagram: datagram.at_s,
    )


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
