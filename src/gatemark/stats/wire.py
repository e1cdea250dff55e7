# SPDX-License-Identifier: Apache-2.0
"""Packets/s as bits on the wire."""

GAP_BYTES = 20  # preamble and start delimiter 8, gap 12 (IEEE 802.3 sections 3.1.1 and 4.4.2)


def l1_bps(rate_pps: float, frame_bytes: int) -> float:
    """The L1 rate of frames whose size counts the FCS."""
    return rate_pps * (frame_bytes + GAP_BYTES) * 8
