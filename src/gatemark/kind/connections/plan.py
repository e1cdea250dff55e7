# SPDX-License-Identifier: Apache-2.0
"""Connections in a plan: how many, and how they are opened.

`connecting`: `open` (until one fails, `connections` are open, or `duration_s` is over), `crr`
(connect, request, response, close, for `duration_s`), `hold` (keep them active, or idle, for
`duration_s`, then ask each one again); `connections` (0: as many as possible; `crr`: at once, where
0 is 64); `clients` (1: LAN hosts by address, 40 000 ports each, each with a server's port of its
own); `active_pps` (0: idle; `hold`: messages/s over all). `direction` is `up` (on the path endpoint
`receive`).
"""

from collections.abc import Iterator
from typing import Final

from gatemark.kind.rules import Rules
from gatemark.plan.model import Workload
from gatemark.plan.sane import MOST_ACTIVE_PPS, PORTS_A_CLIENT, clients

HELD: Final = "concurrent connections"  # what a definition is about
RATE: Final = "connection rate"
MOST_CONNECTIONS: Final = 1_000_000
MOST_AT_ONCE: Final = 4096  # connections that are being opened and closed


def faults(load: Workload) -> Iterator[str]:
    """Each key that is out of its bounds, with its fix."""
    if load.direction not in ("up", "receive"):
        yield f"`direction` = {load.direction}: connections are opened from the LAN side; write up"
    yield from clients(load)
    crr, hold = load.connecting == "crr", load.connecting == "hold"
    most = MOST_AT_ONCE if crr else MOST_CONNECTIONS
    if not hold <= load.connections <= most:
        least = "1" if hold else "0 (as many as it goes)"
        yield f"`connections` = {load.connections}: {least} to {most} for {load.connecting}"
    elif load.connections > most_connections(load.clients):
        yield (
            f"`connections` = {load.connections}: {load.clients} clients have ports for "
            f"{most_connections(load.clients)}; raise `clients`"
        )
    if load.active_pps and not hold:
        yield "`active_pps` is of `connecting` = hold alone; leave it out"
    if not 0 <= load.active_pps <= MOST_ACTIVE_PPS:
        yield f"`active_pps` = {load.active_pps:g}: 0 (idle) to {MOST_ACTIVE_PPS:g}"


def most_connections(clients: int) -> int:
    """Pairs of addresses and ports: each client has its ports to each of as many servers."""
    return clients * clients * PORTS_A_CLIENT


KIND: Final = Rules(
    keys="duration_s connecting connections active_pps clients",
    hairpins=True,
    yields=("connections", "connections_per_s"),
    headlines={HELD: "connections", RATE: "connections_per_s"},
    faults=faults,
    streams=True,
)
