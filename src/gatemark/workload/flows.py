# SPDX-License-Identifier: Apache-2.0
"""The flows of a UDP trial: their ports and addresses.

Flow i is of client i mod `clients`. A few flows of one client go between the hosts' own addresses.
A crowd - several clients, random ports, or more flows than a sink can keep sockets for - has
addresses that no host owns: the gateway knows by permanent neighbour entries where they are, and
the host drops what comes for them without an answer.
"""

import random
from dataclasses import dataclass
from typing import Final

from gatemark.plan.crowd import is_crowd
from gatemark.plan.model import Workload
from gatemark.plan.workloads import MOST_FLOWS
from gatemark.station.wiring import FAR_HOST, FIRST_CLIENT, LAN_PORT, WAN_PORT, Wire

# RFC 4814 section 4.5: source ports 1024 to 65 535, destination ports 1 to 49 151.
NEAR_RANDOM: Final = range(1024, 65536)
APART: Final = 10  # between the far ports of two workloads
FAR_RANDOM: Final = range(1, 49152)


@dataclass(frozen=True, slots=True)
class Flows:
    """Ports of the flows: one for each, or one for all."""

    near: list[int]  # on the LAN side
    far: list[int]


def flows(load: Workload, among: int = 0) -> Flows:
    """The ports, the same in every trial of as many flows and clients: trials are comparable.

    `among` is the place among the workloads of a trial: ordered flows of each have their own ports.
    """
    each = -(-load.flows // load.clients)  # flows of a client
    if load.flow_ports == "ordered":
        first, far = LAN_PORT + MOST_FLOWS * among, WAN_PORT + APART * among
        return Flows([first + at // load.clients for at in range(load.flows)], [far])
    rng = random.Random(f"{load.flows}/{load.clients}")  # noqa: S311  not for secrets
    ports = rng.sample(NEAR_RANDOM, each)  # no two flows of a client are the same
    near = [ports[at // load.clients] for at in range(load.flows)]
    return Flows(near, [rng.choice(FAR_RANDOM) for _ in range(load.flows)])


def near_address(wire: Wire, load: Workload) -> str:
    """The LAN side's address, of a crowd the first client's."""
    own = wire.near.address(load.family)
    return wire.near.neighbour(load.family, FIRST_CLIENT) if is_crowd(load) else own


def far_address(wire: Wire, load: Workload) -> str:
    """The far side's own address, of a crowd the one that nobody owns."""
    own = wire.far.address(load.family)
    return wire.far.neighbour(load.family, FAR_HOST) if is_crowd(load) else own
