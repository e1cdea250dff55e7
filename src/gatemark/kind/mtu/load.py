# SPDX-License-Identifier: Apache-2.0
"""A trial of sizes: all questions, one way."""

from collections.abc import Sequence
from functools import partial

from gatemark.kind.mtu.ask import Asker
from gatemark.kind.mtu.plan import MTU
from gatemark.kind.mtu.seen import Seen, parsed
from gatemark.plan.model import TrialSpec
from gatemark.station.station import Station
from gatemark.station.wiring import Wire, wires
from gatemark.workload.byhand import ByHand
from gatemark.workload.ends import LAN, WAN, Ends
from gatemark.workload.way import Load


async def loads(station: Station, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """The one that asks."""
    (way,) = ways
    (up,), (down,) = (wires(station.ports, spec.arm.path, where) for where in ("up", "down"))

    def play(ends: Ends[Seen]) -> dict[str, float]:
        side = LAN if way.away else WAN
        asker = Asker(ends, up, spec, side)
        asker.all()
        return asker.values

    return [ByHand(MTU, way, partial(Ends, up, down, parsed), play)]
