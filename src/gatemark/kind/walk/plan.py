# SPDX-License-Identifier: Apache-2.0
"""A walk in a plan: how many packets, and how long each takes.

`frame_bytes` (64) or `payload_bytes`; `walks` (200): packets, one at a time, each counted in
instructions; `l4` (`udp`; `tcp`: segments of one open connection, not on the path `endpoint`);
`ordered` (false; true: keep the functions of one packet in their order). Only where the station
emulates the gateway.
"""

from collections.abc import Iterator
from typing import Final

from gatemark.kind.rules import Rules
from gatemark.plan.model import Workload
from gatemark.unit import LARGEST_FRAME_BYTES, SMALLEST_FRAME_BYTES, SMALLEST_SEGMENT_BYTES

INSTRUCTIONS: Final = "instructions"  # what a definition is about
MOST_WALKS: Final = 100_000
UNCOUNTED: Final = 10  # walks before those that count
# A walk: sending, arriving, standing still. What the gateway itself sends goes by its own clock.
WALK_S: Final = 0.02
OWN_WALK_S: Final = 0.06


def faults(load: Workload) -> Iterator[str]:
    """Each key that is out of its bounds, with its fix."""
    is_udp = load.l4 == "udp"
    smallest = (SMALLEST_FRAME_BYTES if is_udp else SMALLEST_SEGMENT_BYTES)[load.family]
    if not smallest <= load.frame_bytes <= LARGEST_FRAME_BYTES:
        key = "payload_bytes" if load.payload_bytes else "frame_bytes"
        over, holds = ("", "our test header") if is_udp else ("tcp over ", "a segment of data")
        yield (
            f"`{key}` = {getattr(load, key)} is impossible for {over}{load.family}: a frame with "
            f"FCS and {holds} has {smallest} to {LARGEST_FRAME_BYTES} bytes"
        )
    if load.direction == "both":
        yield "`direction` = both: one packet at a time goes one way; write up or down"
    if not 1 <= load.walks <= MOST_WALKS:
        yield f"`walks` = {load.walks}: 1 to {MOST_WALKS}"


def lasts_s(load: Workload) -> float:
    """The time of all walks."""
    return (load.walks + UNCOUNTED) * (OWN_WALK_S if load.direction == "send" else WALK_S)


KIND: Final = Rules(
    keys="frame_bytes payload_bytes l4 walks ordered",
    yields=("instructions",),
    headlines={INSTRUCTIONS: "instructions"},
    only={
        "driver": ("gatemark", "no tool sends one packet at a time; leave it out"),
    },
    faults=faults,
    lasts_s=lasts_s,
    alone="one packet at a time has nothing beside it",
    strange=True,
    silent=True,
)
