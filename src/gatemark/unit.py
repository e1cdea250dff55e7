# SPDX-License-Identifier: Apache-2.0
"""Sizes of a frame on every layer, and what they make of a rate."""

from typing import Final

PREAMBLE_AND_GAP_BYTES: Final = 20  # IEEE 802.3: preamble 8, shortest gap 12
ETHERNET_BYTES: Final = 18  # header 14, FCS 4
IP_BYTES: Final = {"ipv4": 20, "ipv6": 40}
UDP_BYTES: Final = 8
TEST_HEADER_BYTES: Final = 14
LARGEST_FRAME_BYTES: Final = 1518  # 1 500 bytes of packet

# Smallest frame: Ethernet's own, or the headers with the test header.
SMALLEST_FRAME_BYTES: Final = {
    family: max(64, ETHERNET_BYTES + ip + UDP_BYTES + TEST_HEADER_BYTES)
    for family, ip in IP_BYTES.items()
}


def payload_bytes(frame_bytes: float, family: str) -> float:
    """UDP payload of a frame with FCS."""
    return frame_bytes - ETHERNET_BYTES - IP_BYTES[family] - UDP_BYTES


def frame_bytes(payload: int, family: str) -> int:
    """The frame with FCS that a UDP payload makes."""
    return payload + ETHERNET_BYTES + IP_BYTES[family] + UDP_BYTES


def l1_bps(rate_pps: float, frame_bytes: float) -> float:
    """Bits on the wire for each second, with preamble, FCS and gap."""
    return rate_pps * (frame_bytes + PREAMBLE_AND_GAP_BYTES) * 8
