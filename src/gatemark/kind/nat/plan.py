# SPDX-License-Identifier: Apache-2.0
"""NAT's behaviour in a plan: how long its mappings are watched.

Packets made by hand ask the gateway one requirement after the other. `duration_s`: how long
mappings are left idle, many at a time, to find how long they live. On the path `nat`, IPv4.
"""

from collections.abc import Iterator
from typing import Final

from gatemark.kind.rules import Rules
from gatemark.plan.model import Arm, Workload

NAT: Final = "nat"  # what a definition is about
SILENT_S: Final = 6.0  # that an unasked segment has no answer (RFC 5382, REQ-4)
ASKING_S: Final = 90.0  # all questions but those of time, at most
MOSTLY_S: Final = 12.0
LOOKS: Final = 32  # at each kind of mapping: short times are known better than long ones
MOST_S: Final = 600.0


def faults(load: Workload) -> Iterator[str]:
    """Each key that is out of its bounds, with its fix."""
    if not 1 <= load.duration_s <= MOST_S:
        yield f"`duration_s` = {load.duration_s:g}: 1 to {MOST_S:g} s that mappings are left idle"


def misfit(arm: Arm, load: Workload) -> str:
    """Return why it does not fit an arm; "" if it does."""
    del load
    if arm.path == NAT:
        return ""
    return f"`kind` = nat: path {arm.path} translates nothing; write path = nat"


def lasts_s(load: Workload) -> float:
    """The questions, then the time that mappings are idle."""
    return ASKING_S + max(load.duration_s, SILENT_S)


def mostly_s(load: Workload) -> float:
    """The same on a gateway that answers at once."""
    return MOSTLY_S + max(load.duration_s, SILENT_S)


KIND: Final = Rules(
    keys="duration_s",
    yields=("nat_met",),
    headlines={NAT: "nat_met"},
    only={
        "direction": ("up", "clients inside open each mapping; write up"),
        "family": ("ipv4", "the requirements are of IPv4; write ipv4"),
        "driver": ("gatemark", "no such tool asks this; leave it out"),
    },
    faults=faults,
    misfit=misfit,
    lasts_s=lasts_s,
    mostly_s=mostly_s,
    alone="each packet is looked for by itself",
    strange=True,
    silent=True,
    whole="meets {share} of what was asked of NAT",
    compared=True,
)
