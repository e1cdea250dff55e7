# SPDX-License-Identifier: Apache-2.0
"""Whether a plan's arms can be measured at once, in turns of `turn_ms`."""

from collections.abc import Iterator
from typing import Final

from gatemark.plan.model import Plan, Workload

SHORTEST_MS, LONGEST_MS = 2.0, 100.0
KEY: Final = "`turn_ms` of [repeat]"


def faults(plan: Plan) -> Iterator[str]:
    """Why they cannot; nothing where the plan does not ask for it."""
    repeat = plan.repeat
    if not repeat.turn_ms:
        return
    if not SHORTEST_MS <= repeat.turn_ms <= LONGEST_MS:
        yield f"{KEY} must be {SHORTEST_MS:g} to {LONGEST_MS:g}, or 0: one arm after the other"
    if plan.search:
        yield f"{KEY} and [search] exclude each other; leave one out"
    if any(arm.path == "endpoint" for arm in plan.arm):
        yield f"{KEY}: a gateway that sends or receives itself takes no turns; leave it out"


def misfit(plan: Plan, load: Workload) -> Iterator[str]:
    """Why a point's workload cannot be sent in turns."""
    if not plan.repeat.turn_ms:
        return
    if load.kind != "udp" or load.driver != "gatemark":
        yield f"{KEY} is for kind udp, sent by our own agent; leave it out"
    if load.rate_pps or load.cap_pps or load.packets or load.restart_s:
        yield f"{KEY}: in turns it is sent as fast as it goes; leave out rate, cap, count, restart"
