# SPDX-License-Identifier: Apache-2.0
"""A soak in a plan: trials that follow each other, and a gateway that is not cleaned between them.

Each trial is one sample: UDP as `kind = udp` sends it, with its `frame_bytes`, `payload_bytes`,
`mix` and `clients`, LAN to WAN, at `rate_pps` for `duration_s`, over `flows` that no trial before
had, so `flows` divided by `duration_s` are new each second. How long the soak is: `times` of
`[repeat]`. A run that was stopped goes on at the next sample (`--resume`). Of
each process the memory is read behind each sample, of a gateway with a kernel of its own its
caches, too, and how full the table of connections is. On the paths `route` and `nat`.
"""

from collections.abc import Iterator
from typing import Final

from gatemark.kind.rules import Rules
from gatemark.kind.udp import plan as udp
from gatemark.plan.feature import FORWARDING
from gatemark.plan.model import Arm, Workload

SOAK: Final = "soak"  # what a definition is about
MOST_FLOWS: Final = 20_000  # of a trial: three have ports of their own


def faults(load: Workload) -> Iterator[str]:
    """Each key that is out of its bounds, with its fix."""
    yield from udp.faults(load)
    if not load.rate_pps:
        yield "`rate_pps` = 0: a soak is at a steady rate; write a share of the knee, as half of it"
    if load.flows > MOST_FLOWS:
        yield f"`flows` = {load.flows}: 1 to {MOST_FLOWS}, as each trial has its own"


def misfit(arm: Arm, load: Workload) -> str:
    """Return why it does not fit an arm; "" if it does."""
    del load
    if arm.path in FORWARDING:
        return ""
    return f"`kind` = soak: its flows cross routers alone, not path {arm.path}; write route or nat"


KIND: Final = Rules(
    keys="duration_s frame_bytes payload_bytes mix flows clients rate_pps dscp",
    yields=("received_pps", "evidence.probes"),
    headlines={SOAK: "received_pps"},
    only={
        "direction": ("up", "its flows are opened inside; write up"),
        "driver": ("gatemark", "no such tool opens new flows each time; leave it out"),
    },
    faults=faults,
    misfit=misfit,
    ages=True,
    alone="what grows is the gateway's under one load",
)
