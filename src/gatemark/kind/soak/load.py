# SPDX-License-Identifier: Apache-2.0
"""UDP of flows that are new in each trial."""

from collections.abc import Sequence
from typing import Final

from gatemark.kind.udp import load as udp
from gatemark.plan.model import TrialSpec
from gatemark.station.station import Station
from gatemark.station.wiring import LAN_PORT, Wire
from gatemark.workload.flows import Flows
from gatemark.workload.way import Load

PORTS: Final = range(LAN_PORT, 65_536)


async def loads(station: Station, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """The one stream, from other ports than those of the trial before."""
    streams = await udp.loads(station, spec, ways)
    for stream in streams:
        assert isinstance(stream, udp.Stream)
        stream.flows = Flows(ports(spec.repeat, len(stream.flows.near)), stream.flows.far)
    return streams


def ports(repeat: int, flows: int) -> list[int]:
    """Return the near ports of a trial's flows, each behind those of the trial before."""
    return [PORTS[(repeat * flows + at) % len(PORTS)] for at in range(flows)]
