# SPDX-License-Identifier: Apache-2.0
"""The outcome of a trial beside an action: gaps, and what did not come back."""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from gatemark.kind.outage.load import (
    BUSY_DOWN,
    BUSY_UP,
    CALL_DOWN,
    CALL_UP,
    NEW,
    Played,
    loads,
)
from gatemark.kind.outage.plan import OUTAGE
from gatemark.plan.model import TrialSpec, Workload
from gatemark.run.raw import Raw
from gatemark.run.result.kind import Kind
from gatemark.store.record import Definition
from gatemark.store.series import Series
from gatemark.workload.way import Way

GAPS: Final = {
    "outage_call_up_ns": CALL_UP,
    "outage_call_down_ns": CALL_DOWN,
    "outage_busy_up_ns": BUSY_UP,
    "outage_busy_down_ns": BUSY_DOWN,
    "outage_new_ns": NEW,
}
BOTH: Final = {
    "outage_call_died": (CALL_UP, CALL_DOWN),
    "outage_busy_died": (BUSY_UP, BUSY_DOWN),
    "outage_new_died": (NEW,),
}


def define(both: Definition, load: Workload) -> Definition:
    """Add what is of outages alone."""
    del load
    return replace(both, l4="", quantity=OUTAGE)


def outcome(spec: TrialSpec, raw: Raw) -> tuple[dict[str, float], None]:
    """Return the values; each packet is followed by its number."""
    del spec
    return values(raw.ways[0].sender["outage"]), None


def values(played: Played) -> dict[str, float]:
    """Gaps and deaths of the streams that were played."""
    streams, end_ns = played.streams, played.end_ns
    sent = sum(len(stream.sent_ns) for stream in streams)
    came = sum(len(stream.came) for stream in streams)
    died = {
        name: any(streams[at].has_died(end_ns) for at in ways) for name, ways in BOTH.items()
    } | {"outage_idle_died": not played.is_idle_alive}
    return {
        "outage_kept": came / sent if sent else 0.0,
        **{name: float(streams[at].gap_ns(end_ns)) for name, at in GAPS.items()},
        **{name: float(is_dead) for name, is_dead in died.items()},
    }


def delivered_pps(raw: Raw, values: Mapping[str, float]) -> float:
    """Packets/s of all streams that came through."""
    del values
    way = raw.ways[0]
    came = sum(len(stream.came) for stream in way.sender["outage"].streams)
    return came * 1e9 / max(1, way.span_ns)


def series(way: Way) -> Series:
    """When each packet of a stream that came had been sent."""
    return {
        f"outage.{name.removeprefix('outage_').removesuffix('_ns')}": (
            [stream.sent_ns[number] for number in sorted(stream.came)],
            sorted(stream.came),
        )
        for name, stream in zip(GAPS, way.sender["outage"].streams, strict=True)
    }


KIND: Final = Kind(loads, define, outcome, delivered_pps, series)
