# SPDX-License-Identifier: Apache-2.0
"""A fill in a plan: flows, the steps in which they are opened, and how long that takes.

`flows`: opened in this number of `steps` (10), one packet each; `clients` (1: LAN hosts by address,
40 000 ports each), `servers` (1: ports of the WAN host that they go to); `rate_pps` (0: 5000 new
ones/s). After each step the gateway's memory is read for `duration_s`, while the flows are idle, or
active at `active_pps` over all. `direction` is `up`, on the path `nat` or with the feature
`conntrack`. `flows` is a multiple of `steps` x `clients`.
"""

from collections.abc import Iterator
from typing import Final

from gatemark.kind.rules import Rules
from gatemark.plan.feature import tracks
from gatemark.plan.model import Arm, Workload
from gatemark.plan.sane import MOST_ACTIVE_PPS, MOST_FLOWS, PORTS_A_CLIENT, clients

FILL: Final = "concurrent flows"  # what a definition is about: UDP, a packet each
MOST_HELD: Final = 10_000_000  # flows of kind `fill`
MOST_STEPS: Final = 200
MOST_SERVERS: Final = 250
MOST_OPENED_PPS: Final = 100_000.0  # a gateway takes tens of microseconds for a new flow
LEAST_READING_S: Final = 0.2  # two readings of memory, at 10 a second
OPENED_PPS: Final = 5000.0  # new flows a second, where a plan leaves it to us
STEP_S: Final = 0.5  # a step's agents, and their packets' way


def faults(load: Workload) -> Iterator[str]:
    """Each key that is out of its bounds, with its fix."""
    yield from clients(load)
    if not 1 <= load.servers <= MOST_SERVERS:
        yield f"`servers` = {load.servers}: 1 to {MOST_SERVERS}"
    if not 1 <= load.steps <= MOST_STEPS:
        yield f"`steps` = {load.steps}: 1 to {MOST_STEPS}"
        return
    part = load.steps * max(1, load.clients)
    if not 1 <= load.flows <= MOST_HELD or load.flows % part:
        yield (
            f"`flows` = {load.flows}: a multiple of `steps` x `clients` ({part}), up to {MOST_HELD}"
        )
    elif load.flows > most_flows(load):
        yield (
            f"`flows` = {load.flows}: there are addresses and ports for {most_flows(load)}; "
            "raise `clients` or `servers`"
        )
    elif load.flows // load.steps > MOST_FLOWS:
        yield f"`steps` = {load.steps}: a step opens {MOST_FLOWS} flows at most; raise it"
    elif load.active_pps and load.flows > MOST_FLOWS:
        yield f"`active_pps`: up to {MOST_FLOWS} flows are kept at work; lower `flows`"
    yield from _rates(load)


def _rates(load: Workload) -> Iterator[str]:
    if not 0 <= load.rate_pps <= MOST_OPENED_PPS:
        yield f"`rate_pps` = {load.rate_pps:g}: 0 (5000) to {MOST_OPENED_PPS:g} new flows a second"
    if not 0 <= load.active_pps <= MOST_ACTIVE_PPS:
        yield f"`active_pps` = {load.active_pps:g}: 0 (idle) to {MOST_ACTIVE_PPS:g}"
    if load.duration_s < LEAST_READING_S:
        yield f"`duration_s` = {load.duration_s:g}: {LEAST_READING_S:g} or more, to read memory in"


def most_flows(load: Workload) -> int:
    """Pairs of addresses and ports: each client has its ports to each of the servers."""
    return load.clients * load.servers * PORTS_A_CLIENT


def misfit(arm: Arm, load: Workload) -> str:
    """Return why an arm has no table of connections; "" if it has one."""
    del load
    if tracks(arm):
        return ""
    return "`kind` = fill: fills a table of connections; write path nat, or a feature conntrack"


def opened_pps(load: Workload) -> float:
    """New flows a second."""
    return load.rate_pps or OPENED_PPS


def lasts_s(load: Workload) -> float:
    """The time to open all flows, and that of each step."""
    return load.flows / opened_pps(load) + load.steps * (load.duration_s + STEP_S)


KIND: Final = Rules(
    keys="duration_s flows clients servers steps rate_pps active_pps",
    yields=(
        "flows",
        "teardown_per_s",
        "flow_bytes",
        "free_bytes",
        "flows_predicted",
        "flows_recommended",
        "evidence.fill_steps",
        "evidence.conntrack",
    ),
    headlines={FILL: "flows"},
    only={
        "direction": ("up", "flows are opened from the LAN side; write up"),
    },
    faults=faults,
    misfit=misfit,
    lasts_s=lasts_s,
    alone="after each step it waits until nothing is on its way",
    strange=True,
)
