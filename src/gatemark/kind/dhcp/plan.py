# SPDX-License-Identifier: Apache-2.0
"""Addresses in a plan: how many hosts a second ask for one, and then renew it.

For the first half of `duration_s` hosts ask for an address, each with a MAC address of its own:
`rate_pps` a second, or where that is 0 `clients` (1) at a time. In the second half each asks for
more time, as a host does in the middle of its lease. What answers is a feature of the arm, as
`dhcp:kea`, or the gateway's own server (docs/services.md).
"""

from collections.abc import Iterator
from typing import Final

from gatemark.kind.rules import Listed, Rules
from gatemark.plan.feature import FORWARDING
from gatemark.plan.model import Arm, Workload
from gatemark.plan.sane import clients

DHCP: Final = "addresses"  # what a definition is about
MOST_PPS: Final = 2000.0  # one thread plays all hosts
MOST_S: Final = 60.0
MOST_LEASES: Final = 15_000  # of the feature's network
RESEND_S: Final = 1.0  # until a host asks again; RFC 2131 has four seconds, then more
TRIES: Final = 3


def faults(load: Workload) -> Iterator[str]:
    """Each key that is out of its bounds, with its fix."""
    yield from clients(load)
    if not 0 <= load.rate_pps <= MOST_PPS:
        yield f"`rate_pps` = {load.rate_pps:g}: 0 (`clients` at a time) to {MOST_PPS:g} hosts/s"
    if not 2 <= load.duration_s <= MOST_S:
        yield f"`duration_s` = {load.duration_s:g}: 2 to {MOST_S:g} s, half for each part"
    if load.rate_pps * load.duration_s / 2 > MOST_LEASES:
        most = 2 * MOST_LEASES / load.rate_pps
        yield f"`duration_s` = {load.duration_s:g}: {MOST_LEASES} addresses last {most:g} s"


def misfit(arm: Arm, load: Workload) -> str:
    """Return why it does not fit an arm; "" if it does."""
    del load
    if arm.path in FORWARDING:
        return ""
    return f"`kind` = dhcp: nobody leases addresses on path {arm.path}; write route or nat"


def lasts_s(load: Workload) -> float:
    """Both parts, each until the last host gives up."""
    return load.duration_s + 2 * TRIES * RESEND_S


def mostly_s(load: Workload) -> float:
    """The same where each is answered."""
    return load.duration_s


KIND: Final = Rules(
    keys="duration_s rate_pps clients",
    yields=("dhcp_leases_per_s", "dhcp_granted"),
    headlines={DHCP: "dhcp_granted"},
    only={
        "direction": ("up", "hosts of the LAN ask; write up"),
        "family": ("ipv4", "addresses of IPv4 alone; write ipv4"),
        "driver": ("gatemark", "no such tool asks for addresses; leave it out"),
    },
    faults=faults,
    misfit=misfit,
    lasts_s=lasts_s,
    mostly_s=mostly_s,
    whole="{share} of the leases and renewals were granted",
    compared=True,
    listed=Listed(
        "Addresses by DHCP: from a host's first question to its address, and renewals; lost: "
        "messages without an answer in a second",
        {
            "dhcp_leases_per_s": "leased",
            "dhcp_leased": "got one",
            "dhcp_renewed": "renewed",
            "dhcp_lost": "lost",
            "dhcp_refused": "refused first",
            "dhcp_offer_p50_ns": "offer p50",
            "dhcp_lease_p50_ns": "lease p50",
            "dhcp_lease_p95_ns": "p95",
            "dhcp_lease_p99_ns": "p99",
            "dhcp_renew_p50_ns": "renewal p50",
            "dhcp_renew_p99_ns": "p99",
            "dhcp_lasts_s": "lasts",
        },
    ),
)
