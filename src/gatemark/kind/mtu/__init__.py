# SPDX-License-Identifier: Apache-2.0
"""Sizes: the longest packet that comes through, and what becomes of longer ones."""

from typing import Final

# What its values are: the unit, and words.
QUANTITIES: Final = {
    "mtu_handled": (
        "ratio",
        "share of the sizes that came through, or of which senders are told",
    ),
    "mtu_bytes": ("bytes", "longest IP packet that came through whole"),
    "mtu_told": ("ratio", "share of trials in which the sender is told of what is too long"),
    "mtu_told_bytes": ("bytes", "longest IP packet by the gateway's own word (ICMP)"),
    "mtu_fragmented": ("ratio", "share of trials in which a packet that may be cut was cut"),
    "mtu_fragments": ("ratio", "share of trials in which fragments came through"),
    "mtu_fragments_late": ("ratio", "share of trials in which fragments out of order came through"),
    "mtu_mss_bytes": ("bytes", "segment size that TCP offers, as it comes out of the gateway"),
}
