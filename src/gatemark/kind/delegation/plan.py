# SPDX-License-Identifier: Apache-2.0
"""Prefix delegation in a plan: how long a gateway asks for a prefix, and renews it.

The tester plays a provider's server of DHCPv6 on the WAN host, whose leases last for seconds: the
gateway renews its prefix again and again for `duration_s`, while the WAN host asks the gateway's
own address in it, ten times a second. What asks for the prefix is a feature of the arm, as
`pd:dhcpcd`, or the gateway's own client (docs/services.md).
"""

from collections.abc import Iterator
from typing import Final

from gatemark.kind.rules import Listed, Rules
from gatemark.plan.feature import FORWARDING
from gatemark.plan.model import Arm, Workload

DELEGATION: Final = "prefix delegation"  # what a definition is about
LEAST_S, MOST_S = 10.0, 600.0


def faults(load: Workload) -> Iterator[str]:
    """Each key that is out of its bounds, with its fix."""
    if not LEAST_S <= load.duration_s <= MOST_S:
        yield f"`duration_s` = {load.duration_s:g}: {LEAST_S:g} to {MOST_S:g} s of renewals"


def misfit(arm: Arm, load: Workload) -> str:
    """Return why it does not fit an arm; "" if it does."""
    del load
    if arm.path in FORWARDING:
        return ""
    return f"`kind` = delegation: nobody asks for a prefix on path {arm.path}; write route or nat"


KIND: Final = Rules(
    keys="duration_s",
    yields=("pd_held", "pd_renewed"),
    headlines={DELEGATION: "pd_held"},
    only={
        "direction": ("up", "the gateway asks the WAN; write up"),
        "driver": ("gatemark", "no such tool delegates a prefix; leave it out"),
    },
    faults=faults,
    misfit=misfit,
    whole="the delegated prefix was in use for {share} of the time",
    compared=True,
    listed=Listed(
        "Prefix delegation (DHCPv6): the prefix in use, as the WAN sees it, and its renewals",
        {
            "pd_held": "in use",
            "pd_renewed": "renewed",
            "pd_up_ns": "up after",
            "pd_renew_ns": "renewed after",
            "pd_gap_ns": "longest without",
        },
    ),
)
