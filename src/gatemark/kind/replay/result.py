# SPDX-License-Identifier: Apache-2.0
"""The outcome of a replay: delay and fate of every packet, and how well time was kept."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from gatemark.judge.math.histogram import merged
from gatemark.kind.replay import fate, realtime
from gatemark.kind.replay.load import loads
from gatemark.plan.model import TrialSpec, Workload
from gatemark.plan.trace import SOURCES
from gatemark.run.raw import Raw
from gatemark.run.result.kind import Kind
from gatemark.store.record import Accounting, Definition
from gatemark.store.series import Series
from gatemark.workload.account import account
from gatemark.workload.account import values as counter_values
from gatemark.workload.way import Way, binned, over_time

PACE = ("p50", "p99", "max")

Columns = tuple[Sequence[int], Sequence[float]]


def define(both: Definition, load: Workload) -> Definition:
    """Add what is of a replay alone."""
    return replace(
        both,
        quantity="replayed rate",
        trace=load.trace if load.trace in SOURCES else Path(load.trace).name,
        speed=0.0 if load.rate_pps else load.speed,
        clones=load.clones,
        packet_most=load.packet_most,
        clients=load.clients,
        driver=load.driver,
    )


def outcome(spec: TrialSpec, raw: Raw) -> tuple[dict[str, float], Accounting]:
    """Rates, loss and delay over all packets of all directions; the worse direction's pace."""
    accounting = account(raw.ways, raw.before, raw.after, talks=bool(spec.commands))
    late = [way.sender["late_ns"] for way in raw.ways if way.sender["tried"]]
    values = {
        "offered_pps": accounting.scheduled * 1e9 / max(1, raw.ways[0].span_ns),
        "received_pps": sum(over_time(way, "packets") for way in raw.ways),
        "loss_ratio": accounting.lost / accounting.tried if accounting.tried else 0.0,
    }
    values |= {f"pace_error_{name}_ns": max(ns[name] for ns in late) for name in PACE if late}
    own = realtime.values(raw.ways, spec.workload)
    return values | _delays(raw.ways) | own | counter_values(raw.ways), accounting


def delivered_pps(raw: Raw, values: Mapping[str, float]) -> float:
    """Packets/s that came through."""
    del raw
    return values["received_pps"]


def delays(way: Way) -> Columns | None:
    """Arrival and one-way delay of every packet, in order of arrival; None of too many."""
    if "packet" not in way.sender or "packet" not in way.sink:
        return None
    sent, came = way.sender["packet"]["sent_ns"], way.sink["packet"]
    pairs = list(zip(came["number"], came["arrival_ns"], strict=True))
    return [at for _, at in pairs], [at - sent[number] for number, at in pairs]


def _delays(ways: Sequence[Way]) -> dict[str, float]:
    """Exact percentiles; of too many packets to the bucket, against the schedule."""
    exact = [pairs for way in ways if (pairs := delays(way)) is not None]
    if len(exact) < len(ways):
        behind = [way.sink["behind_ns"] for way in ways]
        counts = merged((histogram["low"], histogram["count"]) for histogram in behind)
        return realtime.spread_of(counts)
    return realtime.spread(sorted(delay for _, pairs in exact for delay in pairs))


def bucket(delay_ns: int) -> int:
    """Lower bound of a delay's bucket: the agent's own (agent/src/count/histogram.h)."""
    if delay_ns < 64:
        return max(0, delay_ns)
    shift = delay_ns.bit_length() - 6
    return delay_ns >> shift << shift


def series(way: Way) -> Series:
    """Each packet's delay over time, each lost one; the same names as a sink's besides.

    `replay.up.delay`: arrival, ns. `replay.up.lost`: time of sending, or of the sending of the
    packet before it where the port refused it; flow. `replay.up.flow_tried`
    and `.flow_lost`: flow, packets.
    """
    name, direction = f"sink.{way.wire.direction}", way.wire.direction
    gaps, exact = way.sink["gap_ns"], delays(way)
    behind = way.sink["behind_ns"]
    histogram: Columns = (behind["low"], behind["count"])
    columns: dict[str, Columns] = {
        f"{name}.gap_ns": (gaps["low"], gaps["count"]),
        f"{name}.packets": binned(way, "packets"),
    }
    if exact:
        counts = Counter(bucket(round(delay)) for delay in exact[1])
        histogram = (sorted(counts), [counts[low] for low in sorted(counts)])
        columns[f"replay.{direction}.delay"] = exact
        columns[f"replay.{direction}.lost"] = _lost(way)
    tried, unique = way.sender["tried_by_flow"], way.sink["flow"]["unique"]
    flows = range(len(tried))
    columns[f"replay.{direction}.flow_tried"] = flows, tried
    columns[f"replay.{direction}.flow_lost"] = flows, [tried[f] - unique[f] for f in flows]
    return columns | {f"{name}.delay_ns": histogram}


def _lost(way: Way) -> Columns:
    """When each packet was tried that never came, and its flow; a refused one is as its neighbour.

    What was never tried, as its time was over before, is not lost.
    """
    came, sent = set(way.sink["packet"]["number"]), way.sender["packet"]
    packets = zip(sent["sent_ns"], fate.tried(sent["sent_ns"]), sent["flow"], strict=True)
    gone = [
        (tried_ns, flow)
        for number, (sent_ns, tried_ns, flow) in enumerate(packets)
        if number not in came and sent_ns != fate.NEVER
    ]
    return [at for at, _ in gone], [flow for _, flow in gone]


KIND: Final = Kind(loads, define, outcome, delivered_pps, series)
