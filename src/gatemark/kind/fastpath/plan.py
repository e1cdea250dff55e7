# SPDX-License-Identifier: Apache-2.0
"""The fast path over time in a plan: how long flows are followed.

Steady, slow and idle connections of UDP and TCP cross the gateway for `duration_s`: steady ones at
`rate_pps` (0: 20), slow ones with a packet each way every `interval_s` (5), idle ones are asked at
the end. Where each flow is, is read on the gateway every second. On the paths `route` and `nat`,
IPv4.
"""

from collections.abc import Iterator
from typing import Final

from gatemark.kind.rules import Listed, Rules
from gatemark.plan.feature import FORWARDING
from gatemark.plan.model import Arm, Workload

FASTPATH: Final = "fast path"  # what a definition is about
DEFAULT_PPS: Final = 20.0
MOST_PPS: Final = 200.0  # one thread sends and reads all
MOST_S: Final = 86_400.0
OPENING_S: Final = 30.0  # of the flows, and the looks at idle ones, at most
MOSTLY_S: Final = 3.0  # of the same


def rate_pps(load: Workload) -> float:
    """Packets a second of each steady flow, each way."""
    return load.rate_pps or DEFAULT_PPS


def faults(load: Workload) -> Iterator[str]:
    """Each key that is out of its bounds, with its fix."""
    if not 0 <= load.rate_pps <= MOST_PPS:
        yield f"`rate_pps` = {load.rate_pps:g}: 0 ({DEFAULT_PPS:g}) to {MOST_PPS:g}"
    if not 5 <= load.duration_s <= MOST_S:
        yield f"`duration_s` = {load.duration_s:g}: 5 to {MOST_S:g} s"
    if not 0.5 <= load.interval_s <= load.duration_s:
        yield f"`interval_s` = {load.interval_s:g}: 0.5 to `duration_s` ({load.duration_s:g})"


def misfit(arm: Arm, load: Workload) -> str:
    """Return why it does not fit an arm; "" if it does."""
    del load
    if arm.path in FORWARDING:
        return ""
    return f"`kind` = fastpath: its flows cross routers alone, not path {arm.path}"


def lasts_s(load: Workload) -> float:
    """The time of the flows, their opening, and a last look."""
    return load.duration_s + OPENING_S


def mostly_s(load: Workload) -> float:
    """The same on a gateway that answers at once."""
    return load.duration_s + MOSTLY_S


KIND: Final = Rules(
    keys="duration_s rate_pps interval_s",
    yields=("fastpath_kept",),
    headlines={FASTPATH: "fastpath_kept"},
    only={
        "direction": ("up", "the flows go both ways, opened inside; write up"),
        "family": ("ipv4", "flows of IPv4 alone; write ipv4"),
        "driver": ("gatemark", "no such tool plays these flows; leave it out"),
    },
    faults=faults,
    misfit=misfit,
    lasts_s=lasts_s,
    mostly_s=mostly_s,
    alone="one thread plays all flows",
    tags=True,
    strange=True,
    silent=True,
    whole="{share} of the packets came through",
    compared=True,
    listed=Listed(
        "The fast path over time: how long steady flows were in the flow table, which flows fell "
        "out of it, and what became of slow and idle ones",
        {
            "fastpath_kept": "packets kept",
            "fastpath_steady": "steady in table",
            "fastpath_hardware": "in hardware",
            "fastpath_age_ns": "out after",
            "fastpath_aged": "aged",
            "fastpath_torn": "torn down",
            "fastpath_again": "back again",
            "fastpath_forgotten": "forgotten",
            "fastpath_slow_kept": "slow kept",
            "fastpath_idle_died": "idle dead",
            "fastpath_usual": "usual path",
        },
    ),
)
