# SPDX-License-Identifier: Apache-2.0
"""A multicast group in a plan: how fast it is sent, and how long it is a member's.

A group of IPv4 that a host joins for `duration_s` and leaves again, sent at `rate_pps` (0: 1000)
all the time. `direction` is `up` or `down`. In the lab alone.
"""

from collections.abc import Iterator
from typing import Final

from gatemark.kind.rules import Listed, Rules
from gatemark.plan.feature import ENDPOINT
from gatemark.plan.model import Arm, Workload

MULTICAST: Final = "multicast"  # what a definition is about
MOST_PPS: Final = 5000.0  # one thread sends and receives: it keeps 10 000 on a PC
DEFAULT_PPS: Final = 1000.0
BEFORE_S: Final = 0.5  # nobody is a member
# A querier asks twice, a second apart, whether a member is left (RFC 2236, section 8.8).
LEAVING_S: Final = 10.0


def rate_pps(load: Workload) -> float:
    """Packets a second of the group."""
    return load.rate_pps or DEFAULT_PPS


def faults(load: Workload) -> Iterator[str]:
    """Each key that is out of its bounds, with its fix."""
    if not 0 <= load.rate_pps <= MOST_PPS:
        yield f"`rate_pps` = {load.rate_pps:g}: 0 ({DEFAULT_PPS:g}) to {MOST_PPS:g}"
    if load.direction == "both":
        yield "`direction` = both: a group has one source here; write up or down"
    if load.family != "ipv4":
        yield f"`family` = {load.family}: groups of IPv4 alone, by IGMP; write ipv4"
    if load.driver != "gatemark":
        yield f"`driver` = {load.driver}: no such tool joins a group; leave it out"


def misfit(arm: Arm, load: Workload) -> str:
    """Return why it does not fit an arm; "" if it does."""
    del load
    if arm.path != ENDPOINT:
        return ""
    return "`kind` = multicast: member and source are the tester's hosts; leave out path endpoint"


def lasts_s(load: Workload) -> float:
    """The time before it is joined, as a member, and until it has been left."""
    return BEFORE_S + load.duration_s + LEAVING_S


KIND: Final = Rules(
    keys="duration_s rate_pps",
    yields=("join_ns", "leave_ns", "forwarded_share", "flooded_share"),
    headlines={MULTICAST: "forwarded_share"},
    faults=faults,
    misfit=misfit,
    lasts_s=lasts_s,
    alone="one thread times the member and the source",
    whole="members got {share} of the group",
    listed=Listed(
        "Multicast: joining is timed to the next packet, leaving to the last. A group that comes "
        "to hosts that are no members is flooded, and then there is no such time",
        {
            "forwarded_share": "to members",
            "flooded_share": "to others",
            "join_ns": "join",
            "leave_ns": "leave",
        },
    ),
)
