# SPDX-License-Identifier: Apache-2.0
"""Frames of several sizes interleaved: `imix`, or sizes with their shares, `64:7,594:4,1518:1`."""

import re
from typing import Final

from gatemark.error import UsageError
from gatemark.plan.model import Workload

# The simple mix of the field: packets of 40, 576 and 1 500 bytes, 7 to 4 to 1 (RFC 6985 section 1).
# As frames with FCS that can carry a test header: 64, 594, 1 518.
IMIX: Final = "64:7,594:4,1518:1"
NAMED: Final = {"imix": IMIX}
MOST_FRAMES: Final = 256  # of one turn


def sizes(mix: str) -> tuple[int, ...]:
    """One turn of a mix: each size as often as its share, spread evenly. Raises UsageError."""
    if not re.fullmatch(r"\d{1,5}:\d{1,3}(,\d{1,5}:\d{1,3})*", given := NAMED.get(mix, mix)):
        raise UsageError(f"`mix` = '{mix}': write imix, or sizes with shares: {IMIX}")
    shares = [tuple(map(int, part.split(":"))) for part in given.split(",")]
    total = sum(share for _, share in shares)
    if not 0 < total <= MOST_FRAMES:
        raise UsageError(f"`mix` = '{mix}': the shares are 1 to {MOST_FRAMES} together")
    # Each frame of a size stands in the middle of its part of the turn.
    placed = [((at + 0.5) / share, size) for size, share in shares for at in range(share)]
    return tuple(size for _, size in sorted(placed))


def frames(load: Workload) -> tuple[int, ...]:
    """The sizes of the packets in their order, with FCS: a single size where there is no mix."""
    return sizes(load.mix) if load.mix else (load.frame_bytes,)


def mean_bytes(load: Workload) -> float:
    """The mean size of a frame with FCS."""
    turn = frames(load)
    return sum(turn) / len(turn)
