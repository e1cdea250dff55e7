# SPDX-License-Identifier: Apache-2.0
"""Whether a workload can be sent at all: every key within its bounds, each fault with the mend."""

import re
from collections.abc import Iterator
from typing import Final

from gatemark.plan.model import Workload
from gatemark.unit import LARGEST_FRAME_BYTES, SMALLEST_FRAME_BYTES

MOST_FLOWS: Final = 4096  # one guarded port each in the sink
LONGEST_TRIAL_S: Final = 600.0
MOST_PPS: Final = 50_000_000.0
MOST_BPS: Final = 1e12
MOST_STREAMS: Final = 256
LARGEST_WRITE_BYTES: Final = 16 << 20
LARGEST_BUFFER_BYTES: Final = 1 << 30


def faults(load: Workload) -> Iterator[str]:
    """Why this workload cannot be sent; nothing if it can."""
    if not 0.05 <= load.duration_s <= LONGEST_TRIAL_S:
        yield f"`duration_s` = {load.duration_s:g}: 0.05 to {LONGEST_TRIAL_S:g}"
    yield from _tcp(load) if load.kind == "tcp" else _udp(load)


def _udp(load: Workload) -> Iterator[str]:
    smallest = SMALLEST_FRAME_BYTES[load.family]
    if not smallest <= load.frame_bytes <= LARGEST_FRAME_BYTES:
        key = "payload_bytes" if load.payload_bytes else "frame_bytes"
        yield (
            f"`{key}` = {getattr(load, key)} is impossible for {load.family}: a frame with FCS "
            f"and our test header has {smallest} to {LARGEST_FRAME_BYTES} bytes"
        )
    if not 1 <= load.flows <= MOST_FLOWS:
        yield f"`flows` = {load.flows}: 1 to {MOST_FLOWS}"
    if not 0 <= load.rate_bps <= MOST_BPS:
        yield f"`rate_bps` = {load.rate_bps:g}: 0 (by rate_pps) to {MOST_BPS:g}"
    if not 0 <= load.rate_pps <= MOST_PPS:
        yield f"`rate_pps` = {load.rate_pps:g}: 0 (as fast as it goes) to {MOST_PPS:g}"
    if not 0 <= load.burst <= 256:
        yield f"`burst` = {load.burst}: 0 (by the rate) to 256"
    if not 0 <= load.cap_pps <= MOST_PPS:
        yield f"`cap_pps` = {load.cap_pps:g}: 0 (no cap) to {MOST_PPS:g}"


def _tcp(load: Workload) -> Iterator[str]:
    if not 1 <= load.write_bytes <= LARGEST_WRITE_BYTES:
        yield f"`write_bytes` = {load.write_bytes}: 1 to {LARGEST_WRITE_BYTES}"
    if not 1 <= load.streams <= MOST_STREAMS:
        yield f"`streams` = {load.streams}: 1 to {MOST_STREAMS}"
    if not 0 <= load.settle_s <= LONGEST_TRIAL_S:
        yield f"`settle_s` = {load.settle_s:g}: 0 (count at once) to {LONGEST_TRIAL_S:g}"
    if not 0 <= load.socket_buffer_bytes <= LARGEST_BUFFER_BYTES:
        yield (
            f"`socket_buffer_bytes` = {load.socket_buffer_bytes}: 0 (tuned by the kernel) to "
            f"{LARGEST_BUFFER_BYTES}"
        )
    if not re.fullmatch(r"[a-z0-9_-]{1,15}", load.congestion):
        yield f"`congestion` = '{load.congestion}': a name such as cubic, reno or bbr"
