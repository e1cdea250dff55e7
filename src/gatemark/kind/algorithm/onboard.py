# SPDX-License-Identifier: Apache-2.0
"""A program that works on the gateway by itself: where it runs, and what its trial is."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gatemark.node.quoted import literal, sh
from gatemark.node.shell import FIRST, Here
from gatemark.station.station import Station
from gatemark.station.wiring import Wire
from gatemark.workload.way import Way

ON_CPUS: Final = literal('exec taskset -c "$0" "$@"')


def placed(station: Station, instances: int = 1) -> tuple[str, ...]:
    """Return the words before a program that give it the gateway's CPU, and further ones if needed.

    Of another machine's CPUs its own scheduler disposes.
    """
    if not isinstance(station.gateway.node, Here):
        return ()
    own = station.placement.gateway
    cpus = range(own, max(-1, own - instances), -1)
    return (*FIRST, *sh(ON_CPUS, ",".join(map(str, cpus))))


def reported(
    wire: Wire, window_ns: tuple[int, int], records: Sequence[Mapping[str, Any]], program: str
) -> Way:
    """Return a program's output as the only direction of a trial: nothing was sent."""
    ends: dict[str, Any] = {"t0_ns": window_ns[0], "t1_ns": window_ns[1]}
    sender = ends | {"records": list(records)}
    return Way(wire, sender, ends | {"cpu_ns": 0}, ports={}, program=program)
