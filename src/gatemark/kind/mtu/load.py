# SPDX-License-Identifier: Apache-2.0
"""A trial of sizes: all questions, one way."""

from collections.abc import Sequence
from functools import partial

from gatemark.error import UnavailableError
from gatemark.kind.mtu.ask import Asker
from gatemark.kind.mtu.plan import MTU
from gatemark.kind.mtu.seen import Seen, parsed
from gatemark.plan.feature import longest_bytes
from gatemark.plan.model import TrialSpec
from gatemark.station.station import Station
from gatemark.station.wiring import Wire, wires
from gatemark.unit import MTU_BYTES
from gatemark.workload.byhand import ByHand
from gatemark.workload.ends import LAN, WAN, Ends
from gatemark.workload.way import Load


async def loads(station: Station, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """The one that asks. Raises UnavailableError for jumbo frames between NICs."""
    if longest_bytes(spec.arm.features) > MTU_BYTES and not station.info.virtual:
        raise UnavailableError("NICs are set to jumbo frames in the lab and virtual gateways alone")
    (way,) = ways
    (up,), (down,) = (wires(station.ports, spec.arm.path, where) for where in ("up", "down"))

    def play(ends: Ends[Seen]) -> dict[str, float]:
        side = LAN if way.away else WAN
        asker = Asker(ends, up, spec, side)
        asker.all()
        return asker.values

    return [ByHand(MTU, way, partial(Ends, up, down, parsed), play)]
