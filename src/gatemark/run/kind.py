# SPDX-License-Identifier: Apache-2.0
"""The kinds of workload: what each sends, and what a trial of it finds. One module each."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gatemark.plan.model import TrialSpec, Workload
from gatemark.run import connecting, driven, filling, goodput, received, replayed, reset, walked
from gatemark.run.raw import Raw
from gatemark.station.station import Station
from gatemark.station.wiring import Wire
from gatemark.store.record import Accounting, Definition
from gatemark.store.series import Series
from gatemark.workload import connections, fill, replay, restart, tcp, traced, udp
from gatemark.workload.driver import pair, tcpreplay
from gatemark.workload.way import Load, Way

Values = dict[str, float]
Evidences = Mapping[str, Any]  # by field of `Evidence`


def _nothing(raw: Raw) -> Evidences:
    del raw
    return {}


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of workload."""

    loads: Callable[[Station, TrialSpec, Sequence[Wire]], Awaitable[Sequence[Load]]]
    define: Callable[[Definition, Workload], Definition]  # adds what is the kind's own
    values: Callable[[TrialSpec, Raw], tuple[Values, Accounting | None]]
    delivered_pps: Callable[[Raw, Values], float]  # that came through the gateway
    series: Callable[[Way], Series]  # of one direction
    evidence: Callable[[Raw], Evidences] = _nothing  # besides what all kinds have
    reads: tuple[str, ...] = ()  # probes that run in every pass, as what they read is the value


KINDS: Final = {
    "udp": Kind(
        udp.loads, received.define, received.found, received.delivered_pps, received.series
    ),
    "tcp": Kind(tcp.loads, goodput.define, goodput.found, goodput.delivered_pps, goodput.series),
    "connections": Kind(
        connections.loads,
        connecting.define,
        connecting.found,
        connecting.delivered_pps,
        connecting.series,
        connecting.evidence,
    ),
    "flows": Kind(
        fill.loads,
        filling.define,
        filling.found,
        filling.delivered_pps,
        filling.series,
        filling.evidence,
        filling.READS,
    ),
    "replay": Kind(
        replay.loads, replayed.define, replayed.found, replayed.delivered_pps, replayed.series
    ),
    "walk": Kind(
        traced.loads,
        walked.define,
        walked.found,
        walked.delivered_pps,
        walked.series,
        walked.evidence,
    ),
}

# With a known tool in our agents' place.
_UDP_PAIR: Final = Kind(
    pair.loads, received.define, driven.datagrams, received.delivered_pps, driven.series
)
_TCP_PAIR: Final = Kind(
    pair.loads, goodput.define, driven.stream, goodput.delivered_pps, driven.series
)
DRIVEN: Final = {
    ("iperf3", "udp"): _UDP_PAIR,
    ("iperf3", "tcp"): _TCP_PAIR,
    ("nuttcp", "udp"): _UDP_PAIR,
    ("nuttcp", "tcp"): _TCP_PAIR,
    ("tcpreplay", "udp"): Kind(
        tcpreplay.loads, received.define, driven.replayed, received.delivered_pps, driven.counted
    ),
}


RESTARTED: Final = Kind(
    restart.loads, reset.define, reset.found, received.delivered_pps, received.series
)


def kind_of(load: Workload) -> Kind:
    """The kind of a workload, with whoever makes its traffic; the plan was checked before."""
    if load.restart_s:
        return RESTARTED
    return DRIVEN.get((load.driver, load.kind)) or KINDS[load.kind]
