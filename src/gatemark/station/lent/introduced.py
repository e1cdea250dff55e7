# SPDX-License-Identifier: Apache-2.0
"""Loads between addresses that a station tells its gateway of: no host owns them, or one has many.

A gateway taken as it is learns nothing. It would ask for such an address, nobody would
answer, and all that was sent would stand as its loss.
"""

from collections.abc import Sequence

from gatemark.error import UnavailableError
from gatemark.plan.crowd import is_crowd
from gatemark.plan.kind import RULES
from gatemark.plan.model import Workload
from gatemark.station.mode import Mode
from gatemark.station.wiring import Gateway, Wire


def require(gateway: Gateway, load: Workload, ways: Sequence[Wire]) -> None:
    """Raise UnavailableError if a load needs addresses that the gateway does not know."""
    if gateway.mode is not Mode.OBSERVE or not _is_introduced(load):
        return
    if any(wire.next_hop.node == gateway.node for wire in ways):
        raise UnavailableError(
            f"{gateway.name}: a load of kind {load.kind} uses addresses here that a gateway has to "
            'be told of, and set = "observe" tells it nothing; with set = "apply" it is told'
        )


def _is_introduced(load: Workload) -> bool:
    return RULES[load.kind].strange or is_crowd(load)
