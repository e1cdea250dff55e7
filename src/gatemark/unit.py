# SPDX-License-Identifier: Apache-2.0
"""Sizes of a frame on every layer, and what they make of a rate."""

from typing import Final

PREAMBLE_AND_GAP_BYTES: Final = 20  # IEEE 802.3: preamble 8, shortest gap 12
ETHERNET_BYTES: Final = 18  # header 14, FCS 4
FCS_BYTES: Final = 4
IP_BYTES: Final = {"ipv4": 20, "ipv6": 40}
UDP_BYTES: Final = 8
TCP_BYTES: Final = 20  # without options
L4_BYTES: Final = {"udp": UDP_BYTES, "tcp": TCP_BYTES}
TEST_HEADER_BYTES: Final = 14
MTU_BYTES: Final = 1500  # Ethernet's, of a packet
LARGEST_FRAME_BYTES: Final = MTU_BYTES + ETHERNET_BYTES
LEAST_PACKET_BYTES, MOST_PACKET_BYTES = 576, 9000  # that a replay may be bounded to

# Smallest frame: Ethernet's own, or the headers with the test header.
SMALLEST_FRAME_BYTES: Final = {
    family: max(64, ETHERNET_BYTES + ip + UDP_BYTES + TEST_HEADER_BYTES)
    for family, ip in IP_BYTES.items()
}

# The same of a TCP segment with a byte of data: without any it would be an acknowledgement.
SMALLEST_SEGMENT_BYTES: Final = {
    family: max(64, ETHERNET_BYTES + ip + TCP_BYTES + 1) for family, ip in IP_BYTES.items()
}


def payload_bytes(frame_bytes: float, family: str, l4: str = "udp") -> float:
    """Payload of UDP, or of a TCP segment without options, in a frame with FCS."""
    return frame_bytes - ETHERNET_BYTES - IP_BYTES[family] - L4_BYTES[l4]


def frame_bytes(payload: int, family: str, l4: str = "udp") -> int:
    """The frame with FCS that such a payload makes."""
    return payload + ETHERNET_BYTES + IP_BYTES[family] + L4_BYTES[l4]


def l1_bps(rate_pps: float, frame_bytes: float) -> float:
    """Bits on the wire for each second, with preamble, FCS and gap."""
    return rate_pps * (frame_bytes + PREAMBLE_AND_GAP_BYTES) * 8
