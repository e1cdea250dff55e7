# SPDX-License-Identifier: Apache-2.0
"""Multicast groups in a plan: how many, how fast they are sent, how long they have a member.

`groups` (1) that a host joins for `duration_s` and leaves again, sent in turn at `rate_pps` (0:
1000) all the time; `neighbour`: another host of the LAN joins them too, and leaves in the middle of
that time. `family` (`ipv4` by IGMP, `ipv6` by MLD); `direction` is `up` or `down`. In the lab, and
where both hosts are this machine's.
"""

from collections.abc import Iterator
from typing import Final

from gatemark.kind.rules import Listed, Rules
from gatemark.plan.feature import ENDPOINT
from gatemark.plan.model import Arm, Workload

MULTICAST: Final = "multicast"  # what a definition is about
MOST_PPS: Final = 5000.0  # one thread sends and receives: it keeps 10 000 on a PC
DEFAULT_PPS: Final = 1000.0
MOST_GROUPS: Final = 500
BEFORE_S: Final = 0.5  # nobody is a member
# A querier asks twice, a second apart, whether a member is left (RFC 2236, section 8.8); igmpproxy
# takes nine seconds.
LEAVING_S: Final = 15.0
QUIET_TURNS: Final = 20  # of all groups, in which one that comes has come


def rate_pps(load: Workload) -> float:
    """Packets a second of the group."""
    return load.rate_pps or DEFAULT_PPS


def faults(load: Workload) -> Iterator[str]:
    """Each key that is out of its bounds, with its fix."""
    if not 0 <= load.rate_pps <= MOST_PPS:
        yield f"`rate_pps` = {load.rate_pps:g}: 0 ({DEFAULT_PPS:g}) to {MOST_PPS:g}"
    if load.direction == "both":
        yield "`direction` = both: a group has one source here; write up or down"
    if not 1 <= load.groups <= MOST_GROUPS:
        yield f"`groups` = {load.groups}: 1 to {MOST_GROUPS}"
    if load.neighbour and load.family != "ipv4":
        yield "`neighbour`: it speaks IGMP alone; write `family` = ipv4, or leave it out"


def misfit(arm: Arm, load: Workload) -> str:
    """Return why it does not fit an arm; "" if it does."""
    del load
    if arm.path != ENDPOINT:
        return ""
    return "`kind` = multicast: member and source are the tester's hosts; leave out path endpoint"


def turn_s(load: Workload) -> float:
    """From a packet of a group to its next one, s."""
    return load.groups / rate_pps(load)


def lasts_s(load: Workload) -> float:
    """The time before it is joined, as a member, and until it has been left."""
    return BEFORE_S + load.duration_s + LEAVING_S


KIND: Final = Rules(
    keys="duration_s rate_pps groups neighbour",
    yields=("join_ns", "leave_ns", "forwarded_share", "flooded_share"),
    headlines={MULTICAST: "forwarded_share"},
    only={
        "driver": ("gatemark", "no such tool joins a group; leave it out"),
    },
    faults=faults,
    misfit=misfit,
    lasts_s=lasts_s,
    alone="one thread times the member and the source",
    silent=True,
    whole="members got {share} of the group",
    compared=True,
    listed=Listed(
        "Multicast: joining is timed to the next packet, leaving to the last. A group that comes "
        "to hosts that are no members is flooded, and then there is no such time. Of several "
        "groups it is the time until the last of them came",
        {
            "forwarded_share": "to members",
            "flooded_share": "to others",
            "join_ns": "join",
            "leave_ns": "leave",
            "group_stopped": "stopped",
            "query_every_ns": "asked every",
        },
    ),
)
