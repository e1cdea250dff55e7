# SPDX-License-Identifier: Apache-2.0
"""The outcome of a UDP trial: rates, loss and delay of numbered packets."""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from gatemark.kind.udp.load import loads
from gatemark.plan.feature import talks
from gatemark.plan.mix import mean_bytes
from gatemark.plan.model import TrialSpec, Workload
from gatemark.run.raw import Raw
from gatemark.run.result import delay, loss
from gatemark.run.result.kind import Evidences, Kind
from gatemark.store.record import Accounting, Definition
from gatemark.store.series import Series
from gatemark.unit import l1_bps, payload_bytes
from gatemark.workload.account import account
from gatemark.workload.account import values as counter_values
from gatemark.workload.way import Way, binned, over_time


def define(both: Definition, load: Workload) -> Definition:
    """Add what is of UDP alone."""
    return replace(
        both,
        frame_bytes=None if load.mix else load.frame_bytes,
        mix=load.mix,
        flows=load.flows,
        flow_ports=load.flow_ports,
        clients=load.clients,
        packets=load.packets,
        driver=load.driver,
    )


def outcome(spec: TrialSpec, raw: Raw) -> tuple[dict[str, float], Accounting]:
    """Offered and received rate on each layer, the loss and the delay of all directions."""
    load = spec.workload
    others = bool(spec.commands) or talks(spec.arm)
    accounting = account(raw.ways, raw.before, raw.after, talks=others)
    marks = counter_values(raw.ways) if load.dscp else {}
    return marks | {
        "offered_pps": sum(_offered(way, load) for way in raw.ways),
        **on_each_layer(
            sum(over_time(way, "packets") for way in raw.ways), load, came_bytes(raw.ways, load)
        ),
        "loss_ratio": accounting.lost / accounting.tried if accounting.tried else 0.0,
    } | delay.delays(raw.ways), accounting


def on_each_layer(rate_pps: float, load: Workload, came: float | None = None) -> dict[str, float]:
    """A received rate as packets/s, and as bit/s of each layer; `came` is the mean frame's size."""
    size = mean_bytes(load) if came is None else came
    return {
        "received_pps": rate_pps,
        "received_l1_bps": l1_bps(rate_pps, size),
        "received_l2_bps": rate_pps * size * 8,
        "received_l4_bps": rate_pps * payload_bytes(size, load.family) * 8,
    }


def came_bytes(ways: Sequence[Way], load: Workload) -> float:
    """The mean size of the frames that came: of a mix the larger ones may be lost more often."""
    size = mean_bytes(load)
    if not load.mix:
        return size
    frames = total = 0.0
    for way in ways:
        seen = loss.loss(way)
        each = [(float(b), n - lost) for b, (n, lost) in seen.by_size.items()] if seen else []
        each = each or [(size, way.sender["tried"])]  # all came, or nobody says which did not
        frames += sum(count for _, count in each)
        total += sum(b * count for b, count in each)
    return total / frames if frames else size


def delivered_pps(raw: Raw, values: Mapping[str, float]) -> float:
    """Packets/s that came through."""
    del raw
    return values["received_pps"]


def _offered(way: Way, load: Workload) -> float:
    """Return the rate of the schedule; without one, or for a count, the rate that was tried."""
    if (scheduled := way.sender["scheduled"]) and not load.packets:
        return float(scheduled) / load.duration_s
    return float(way.sender["tried"]) * 1e9 / way.span_ns


def series(way: Way) -> Series:
    """Delay, histogram of gaps, packets over time."""
    name, gaps = f"sink.{way.wire.direction}", way.sink["gap_ns"]
    return {
        f"{name}.gap_ns": (gaps["low"], gaps["count"]),
        f"{name}.packets": binned(way, "packets"),
        **delay.series(way),
        **loss.series(way),
    }


def evidence(raw: Raw) -> Evidences:
    """Return the losses of each direction by the time of sending, where the agents say."""
    losses = map(loss.loss, raw.ways)
    return {"loss": tuple(filter(None, losses))}


KIND: Final = Kind(loads, define, outcome, delivered_pps, series, evidence)
