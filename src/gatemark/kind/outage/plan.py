# SPDX-License-Identifier: Apache-2.0
"""An action's outage in a plan: how long flows are watched beside it.

A call (UDP both ways), busy TCP, idle TCP and new flows cross the gateway for `duration_s`, each at
`rate_pps` (0: 50). The action is a command of the arm. On the paths `route` and `nat`, IPv4.
"""

from collections.abc import Iterator
from typing import Final

from gatemark.kind.rules import Listed, Rules
from gatemark.plan.feature import FORWARDING
from gatemark.plan.model import Arm, Workload

OUTAGE: Final = "outage"  # what a definition is about
DEFAULT_PPS: Final = 50.0  # a call's
MOST_PPS: Final = 200.0  # one thread sends and reads four streams
MOST_S: Final = 600.0
OPENING_S: Final = 20.0  # of the flows, and the look at the idle one, at most
MOSTLY_S: Final = 2.0  # of the same


def rate_pps(load: Workload) -> float:
    """Packets a second of each stream."""
    return load.rate_pps or DEFAULT_PPS


def faults(load: Workload) -> Iterator[str]:
    """Each key that is out of its bounds, with its fix."""
    if not 0 <= load.rate_pps <= MOST_PPS:
        yield f"`rate_pps` = {load.rate_pps:g}: 0 ({DEFAULT_PPS:g}) to {MOST_PPS:g}"
    if not 1 <= load.duration_s <= MOST_S:
        yield f"`duration_s` = {load.duration_s:g}: 1 to {MOST_S:g} s"


def misfit(arm: Arm, load: Workload) -> str:
    """Return why it does not fit an arm; "" if it does."""
    del load
    if arm.path in FORWARDING:
        return ""
    return f"`kind` = outage: its flows cross routers alone, not path {arm.path}"


def lasts_s(load: Workload) -> float:
    """The time of the flows, their opening, and a last look."""
    return load.duration_s + OPENING_S


def mostly_s(load: Workload) -> float:
    """The same on a gateway that answers at once."""
    return load.duration_s + MOSTLY_S


KIND: Final = Rules(
    keys="duration_s rate_pps",
    yields=("outage_kept",),
    headlines={OUTAGE: "outage_kept"},
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
    strange=True,
    silent=True,
    whole="{share} of the packets came through",
    compared=True,
    listed=Listed(
        "Outages beside an action: the longest time in which nothing of a flow came through, and "
        "which flows did not come back",
        {
            "outage_kept": "packets kept",
            "outage_call_up_ns": "call up",
            "outage_call_down_ns": "call down",
            "outage_busy_up_ns": "busy TCP up",
            "outage_busy_down_ns": "busy TCP down",
            "outage_new_ns": "new flows",
            "outage_new_died": "new flows dead",
            "outage_call_died": "calls dead",
            "outage_busy_died": "busy TCP dead",
            "outage_idle_died": "idle TCP dead",
        },
    ),
)
