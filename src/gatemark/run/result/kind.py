# SPDX-License-Identifier: Apache-2.0
"""What a kind of workload is to the trial that runs it: what it sends, what comes of it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from gatemark.plan.model import TrialSpec, Workload
from gatemark.run.raw import Raw
from gatemark.station.station import Station
from gatemark.station.wiring import Wire
from gatemark.store.record import Accounting, Definition
from gatemark.store.series import Series
from gatemark.workload.way import Load, Way

Values = dict[str, float]
Evidences = Mapping[str, Any]  # by field of `Evidence`


def _nothing(raw: Raw) -> Evidences:
    del raw
    return {}


def _no_rate(raw: Raw, values: Values) -> float:
    """None to speak of: nothing is sent, or a packet at a time."""
    del raw, values
    return 0.0


def _no_series(way: Way) -> Series:
    """None: a record has it all."""
    del way
    return {}


class Label(NamedTuple):
    """The label of a captured flow, for training a classifier."""

    application: str
    sort: str  # its class
    role: str  # of gatemark/classifier/manifest.py: media, setup, tunnel or other


def _unlabelled(name: str, spec: TrialSpec, proto: str, far_port: int) -> Label | None:
    del name, spec, proto, far_port
    return None


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of workload."""

    loads: Callable[[Station, TrialSpec, Sequence[Wire]], Awaitable[Sequence[Load]]]
    define: Callable[[Definition, Workload], Definition]  # adds what is the kind's own
    values: Callable[[TrialSpec, Raw], tuple[Values, Accounting | None]]
    delivered_pps: Callable[[Raw, Values], float] = _no_rate  # that came through the gateway
    series: Callable[[Way], Series] = _no_series  # of one direction
    evidence: Callable[[Raw], Evidences] = _nothing  # besides what all kinds have
    reads: tuple[str, ...] = ()  # probes that run in every pass, as what they read is the value
    # The label of a flow by its far port, of a workload with a name; None: it is not of this one.
    label: Callable[[str, TrialSpec, str, int], Label | None] = _unlabelled
