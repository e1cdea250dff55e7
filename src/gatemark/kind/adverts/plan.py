# SPDX-License-Identifier: Apache-2.0
"""Router advertisements in a plan: how long they are watched on the LAN.

A host of the LAN asks for a router (IPv6), then watches its adverts for `duration_s`. What
advertises is a feature of the arm, as `ra:radvd`, or the gateway's own (docs/services.md).
"""

from collections.abc import Iterator
from typing import Final

from gatemark.kind.rules import Listed, Rules
from gatemark.plan.feature import FORWARDING
from gatemark.plan.model import Arm, Workload

ADVERTS: Final = "router adverts"  # what a definition is about
LEAST_S, MOST_S = 4.0, 600.0


def faults(load: Workload) -> Iterator[str]:
    """Each key that is out of its bounds, with its fix."""
    if not LEAST_S <= load.duration_s <= MOST_S:
        yield f"`duration_s` = {load.duration_s:g}: {LEAST_S:g} to {MOST_S:g} s of watching"


def misfit(arm: Arm, load: Workload) -> str:
    """Return why it does not fit an arm; "" if it does."""
    del load
    if arm.path in FORWARDING:
        return ""
    return f"`kind` = adverts: nobody advertises on path {arm.path}; write route or nat"


KIND: Final = Rules(
    keys="duration_s",
    yields=("ra_every_ns", "ra_kept"),
    headlines={ADVERTS: "ra_kept"},
    only={
        "direction": ("up", "a host of the LAN watches; write up"),
        "driver": ("gatemark", "no such tool watches adverts; leave it out"),
    },
    faults=faults,
    misfit=misfit,
    whole="a host had a router and a prefix for {share} of the time",
    compared=True,
    listed=Listed(
        "Router advertisements as a host of the LAN sees them",
        {
            "ra_kept": "router and prefix",
            "ra_asked_ns": "asked",
            "ra_every_ns": "every",
            "ra_longest_ns": "longest without",
            "ra_router_s": "router lasts",
            "ra_preferred_s": "prefix preferred",
            "ra_valid_s": "valid",
        },
    ),
)
