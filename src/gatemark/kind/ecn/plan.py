# SPDX-License-Identifier: Apache-2.0
"""ECN in a plan: which way, how many packets, of which family.

UDP packets with each of the four codepoints of ECN (RFC 3168), at `rate_pps` (0: 400) for
`duration_s`, and TCP segments that ask for ECN. `direction` is `up` or `down`, `family` any. On the
paths `route`, `nat` and `direct`.
"""

from collections.abc import Iterator
from typing import Final

from gatemark.kind.rules import Listed, Rules
from gatemark.plan.feature import DIRECT, FORWARDING
from gatemark.plan.model import Arm, Workload

ECN: Final = "ecn"  # what a definition is about
DEFAULT_PPS: Final = 400.0
MOST_PPS: Final = 4000.0  # one thread sends and reads
MOST_S: Final = 600.0
OPENING_S: Final = 5.0  # of a flow, at most, and a last look


def rate_pps(load: Workload) -> float:
    """Packets a second of all codepoints together."""
    return load.rate_pps or DEFAULT_PPS


def faults(load: Workload) -> Iterator[str]:
    """Each key that is out of its bounds, with its fix."""
    if not 0 <= load.rate_pps <= MOST_PPS:
        yield f"`rate_pps` = {load.rate_pps:g}: 0 ({DEFAULT_PPS:g}) to {MOST_PPS:g}"
    if not 0.1 <= load.duration_s <= MOST_S:
        yield f"`duration_s` = {load.duration_s:g}: 0.1 to {MOST_S:g} s"
    if load.direction not in ("up", "down"):
        yield f"`direction` = {load.direction}: bits are asked one way; write up or down"


def misfit(arm: Arm, load: Workload) -> str:
    """Return why it does not fit an arm; "" if it does."""
    del load
    if arm.path in (*FORWARDING, DIRECT):
        return ""
    return f"`kind` = ecn: packets cross to the WAN host, not path {arm.path}; write route or nat"


def lasts_s(load: Workload) -> float:
    """The time of the packets, and of what is around them."""
    return load.duration_s + OPENING_S


def mostly_s(load: Workload) -> float:
    """The same on a gateway that answers at once."""
    return load.duration_s + 0.5


KIND: Final = Rules(
    keys="duration_s rate_pps",
    yields=("ecn_kept",),
    headlines={ECN: "ecn_kept"},
    only={
        "driver": ("gatemark", "no such tool asks this; leave it out"),
    },
    faults=faults,
    misfit=misfit,
    lasts_s=lasts_s,
    mostly_s=mostly_s,
    strange=True,
    silent=True,
    whole="{share} of the packets have the ECN bits that they may have",
    compared=True,
    listed=Listed(
        "ECN bits of packets: capable ones that came as not capable (bleached), marks that were "
        "taken away, packets that became capable, capable ones that were marked on the way, and "
        "whether TCP may still ask for it",
        {
            "ecn_kept": "as they may",
            "ecn_bleached": "bleached",
            "ecn_hidden": "mark lost",
            "ecn_made": "made capable",
            "ecn_marked": "marked",
            "ecn_opened": "TCP asks",
            "ecn_lost": "lost",
        },
    ),
)
