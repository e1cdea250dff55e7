# SPDX-License-Identifier: Apache-2.0
"""Sizes in a plan: which way, and of which family.

Packets of all sizes up to 1500 bytes, or to N of `jumbo:N`, are sent by hand, then fragments, then
a segment that opens TCP. `direction` is `up` or `down`, `family` any. On the paths `route` and
`nat`.
"""

from collections.abc import Iterator
from typing import Final

from gatemark.kind.rules import Listed, Rules
from gatemark.plan.feature import FORWARDING
from gatemark.plan.model import Arm, Workload

MTU: Final = "mtu"  # what a definition is about
ASKING_S: Final = 30.0  # all questions, at most
MOSTLY_S: Final = 2.0


def faults(load: Workload) -> Iterator[str]:
    """Each key that is out of its bounds, with its fix."""
    if load.direction not in ("up", "down"):
        yield f"`direction` = {load.direction}: sizes are asked one way; write up or down"


def misfit(arm: Arm, load: Workload) -> str:
    """Return why it does not fit an arm; "" if it does."""
    del load
    if arm.path in FORWARDING:
        return ""
    return f"`kind` = mtu: packets cross routers alone, not path {arm.path}; write route or nat"


def lasts_s(load: Workload) -> float:
    """All questions."""
    del load
    return ASKING_S


def mostly_s(load: Workload) -> float:
    """The same on a gateway that answers at once."""
    del load
    return MOSTLY_S


KIND: Final = Rules(
    keys="",
    yields=("mtu_bytes",),
    headlines={MTU: "mtu_handled"},
    only={
        "driver": ("gatemark", "no such tool asks this; leave it out"),
    },
    faults=faults,
    misfit=misfit,
    lasts_s=lasts_s,
    mostly_s=mostly_s,
    alone="each packet is looked for by itself",
    strange=True,
    silent=True,
    whole="handles {share} of the sizes",
    compared=True,
    listed=Listed(
        "Sizes of IP packets: the longest that came through; whether the sender is told of longer "
        "ones, and which size it is told; what became of fragments; the segment that TCP offers",
        {
            "mtu_bytes": "longest",
            "mtu_told": "told",
            "mtu_told_bytes": "told size",
            "mtu_fragmented": "cut if allowed",
            "mtu_fragments": "fragments",
            "mtu_fragments_late": "out of order",
            "mtu_mss_bytes": "MSS",
        },
    ),
)
