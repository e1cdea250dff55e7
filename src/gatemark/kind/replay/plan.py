# SPDX-License-Identifier: Apache-2.0
"""A replay in a plan: its trace, and how fast it is played.

`trace` (`game`: one of the sources below, or a pcap or pcapng file, relative to the plan's folder;
with `--set` relative to this one), `speed` (1: times the trace's own timing) or `rate_pps` of both
directions together, `clones` (1: flows made of each flow of the trace), `packet_most` (1500: bytes
of the longest IP packet; to 9000 where the tester's ports take it), `clients` (1: LAN hosts that
they come from); `duration_s` at most.
"""

from collections.abc import Iterator
from typing import Final

from gatemark.kind.rules import Rules
from gatemark.kind.udp.plan import YIELDS
from gatemark.plan import trace
from gatemark.plan.feature import ENDPOINT
from gatemark.plan.model import Arm, Workload
from gatemark.plan.sane import MOST_PPS, clients
from gatemark.unit import LEAST_PACKET_BYTES, MOST_PACKET_BYTES

JITTER: Final = ("ipdv_p50_ns", "pdv_p99_ns")
MOST_SPEED: Final = 1e6
MOST_CLONES: Final = 10_000


def faults(load: Workload) -> Iterator[str]:
    """Each key that is out of its bounds, with its fix."""
    if why := trace.fault(load.trace):
        yield why
    if not 0 < load.speed <= MOST_SPEED:
        yield f"`speed` = {load.speed:g}: above 0 to {MOST_SPEED:g}; 1 is the trace's own timing"
    if not 0 <= load.rate_pps <= MOST_PPS:
        yield f"`rate_pps` = {load.rate_pps:g}: 0 (the trace's timing) to {MOST_PPS:g}"
    if not 1 <= load.clones <= MOST_CLONES:
        yield f"`clones` = {load.clones}: 1 to {MOST_CLONES}"
    if not LEAST_PACKET_BYTES <= load.packet_most <= MOST_PACKET_BYTES:
        yield f"`packet_most` = {load.packet_most}: {LEAST_PACKET_BYTES} to {MOST_PACKET_BYTES}"
    yield from clients(load)


def misfit(arm: Arm, load: Workload) -> str:
    """Return why an arm cannot be played through; "" if it can."""
    if arm.path == ENDPOINT:
        return "`kind` = replay: the gateway itself cannot be a side of it; leave out path endpoint"
    if arm.path == "nat" and load.direction == "down":
        return "`direction` = down: through nat a replay needs what goes up as well; write both"
    return ""


KIND: Final = Rules(
    keys="duration_s trace speed clones packet_most rate_pps clients dscp",
    yields=(*YIELDS, *JITTER, "mos", "evidence.late_ns"),
    headlines={"replayed rate": "received_pps"},
    faults=faults,
    misfit=misfit,
    strange=True,
)
