# SPDX-License-Identifier: Apache-2.0
"""From what the agents reported to a record's values and evidence: pure functions."""

from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from gatemark.plan.model import TrialSpec
from gatemark.probe.outside import cpu_readings
from gatemark.station.napi import Thread
from gatemark.store.record import Accounting, Evidence, Record
from gatemark.store.series import Series
from gatemark.unit import l1_bps, payload_bytes
from gatemark.workload.account import account
from gatemark.workload.udp import Report, Way

if TYPE_CHECKING:
    from gatemark.run.trial import Raw

DELAY_SHARES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999}


def complete(base: Record, spec: TrialSpec, raw: "Raw", threads: Mapping[str, Thread]) -> Record:
    """The record of a finished trial."""
    accounting = account(raw.ways, raw.before, raw.after)
    received_pps = sum(received(way) for way in raw.ways)
    evidence = _evidence(raw, threads, accounting, received_pps)
    busiest = max((reading.busy for reading in evidence.cpu), default=0.0)
    first = raw.ways[0]
    return replace(
        base,
        values=_rates(spec, raw, accounting, received_pps)
        | _delays(raw.ways)
        | _cpu(raw, busiest, direct=base.definition.path == "direct"),
        accounting=accounting,
        evidence=replace(evidence, **raw.found),
        ports=first.ports,
        burst=int(first.sender["burst"]),
    )


def received(way: Way) -> float:
    """Packets/s that arrived while the sender sent.

    Counted in the sink's bins that lie wholly inside the sending time: what drained from the
    gateway's queue afterwards would be a gift of 256 packets to a slow gateway in a short trial.
    """
    rate, t0, t1 = way.sink["rate"], way.sender["t0_ns"], way.sender["t1_ns"]
    width = rate["bin_ms"] * 1_000_000
    first = -(-(t0 - rate["t0_ns"]) // width)
    last = (t1 - rate["t0_ns"]) // width
    bins = rate["packets"][max(0, first) : last]
    return sum(bins) * 1e9 / ((last - first) * width) if last > first else 0.0


def _rates(
    spec: TrialSpec, raw: "Raw", accounting: Accounting, received_pps: float
) -> dict[str, float]:
    size, family = spec.workload.frame_bytes, spec.workload.family
    return {
        "offered_pps": sum(_offered(way, spec.workload.duration_s) for way in raw.ways),
        "received_pps": received_pps,
        "received_l1_bps": l1_bps(received_pps, size),
        "received_l2_bps": received_pps * size * 8,
        "received_l4_bps": received_pps * payload_bytes(size, family) * 8,
        "loss_ratio": accounting.lost / accounting.tried if accounting.tried else 0.0,
    }


def _offered(way: Way, duration_s: float) -> float:
    """What the schedule asked for; without one, what the sender tried."""
    if scheduled := way.sender["scheduled"]:
        return float(scheduled) / duration_s
    return float(way.sender["tried"]) * 1e9 / _span(way.sender)


def _delays(ways: Iterable[Way]) -> dict[str, float]:
    """One-way delay percentiles over all packets of all directions."""
    counts: dict[int, int] = {}
    for way in ways:
        histogram = way.sink["delay_ns"]
        for low, count in zip(histogram["low"], histogram["count"], strict=True):
            counts[low] = counts.get(low, 0) + count
    if not counts:
        return {}
    lows = sorted(counts)
    values = {f"delay_{name}_ns": percentile(counts, share) for name, share in DELAY_SHARES.items()}
    return {"delay_min_ns": lows[0], **values, "delay_max_ns": lows[-1]}


def percentile(counts: Mapping[int, int], share: float) -> float:
    """Lower bound of the bucket that holds this share of a histogram, from the left."""
    lows = sorted(counts)
    wanted = share * sum(counts.values())
    sums = accumulate(counts[low] for low in lows)
    return float(next(low for low, so_far in zip(lows, sums, strict=True) if so_far >= wanted))


def _cpu(raw: "Raw", busiest: float, *, direct: bool) -> dict[str, float]:
    values = {} if direct else {"cpu_busy": busiest}
    if raw.inside:
        span_ns = raw.inside["t_ns"][-1] - raw.inside["t_ns"][0]
        values["probe_cpu"] = raw.inside["cpu_ns"] / span_ns
    return values


def _evidence(
    raw: "Raw", threads: Mapping[str, Thread], accounting: Accounting, received_pps: float
) -> Evidence:
    # Directions run at the same time: the first one's window is the trial's.
    sender = raw.ways[0].sender
    t0, t1 = sender["t0_ns"], sender["t1_ns"]
    late = sender.get("late_ns", {})
    scheduled = accounting.scheduled
    return Evidence(
        schedule_ratio=accounting.tried / scheduled if scheduled else None,
        sender_cpu=max(way.sender["cpu_ns"] / _span(way.sender) for way in raw.ways),
        sink_cpu=max(way.sink["cpu_ns"] / _span(way.sender) for way in raw.ways),
        late_ns={name: float(value) for name, value in late.items()},
        gaps_over_1ms=sum(int(way.sink["gaps_over_1ms"]) for way in raw.ways),
        cpu=cpu_readings(raw.threads, threads.values(), t0, t1, received_pps),
    )


def _span(sender: Report) -> int:
    return int(sender["t1_ns"]) - int(sender["t0_ns"])


def series(raw: "Raw", threads: Mapping[str, Thread]) -> Series:
    """The time series and histograms of a trial, by name."""
    found: dict[str, tuple[list[int], list[float]]] = {}
    for way in raw.ways:
        name = f"sink.{way.wire.direction}"
        for kind in ("delay_ns", "gap_ns"):
            found[f"{name}.{kind}"] = way.sink[kind]["low"], way.sink[kind]["count"]
        rate = way.sink["rate"]
        bins = range(len(rate["packets"]))
        times = [rate["t0_ns"] + number * rate["bin_ms"] * 1_000_000 for number in bins]
        found[f"{name}.packets"] = times, rate["packets"]
    for thread in threads.values():
        run_ns = raw.threads["threads"][str(thread.pid)]["run_ns"]
        found[f"outside.{thread.name}.run_ns"] = raw.threads["t_ns"], run_ns
    return found | _columns(raw.inside)


def _columns(report: Report) -> dict[str, tuple[list[int], list[float]]]:
    """A watch's nested columns, flat: `inside.softnet.0.processed`."""
    found: dict[str, tuple[list[int], list[float]]] = {}

    def walk(name: str, value: Any) -> None:
        match value:
            case dict():
                for key, inner in value.items():
                    walk(f"{name}.{key}", inner)
            case [int() | float(), *_] if len(value) == len(report["t_ns"]):
                found[name] = report["t_ns"], value

    walk("inside", {key: value for key, value in report.items() if key != "t_ns"})
    return found
