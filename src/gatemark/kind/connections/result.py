# SPDX-License-Identifier: Apache-2.0
"""The outcome of connections: how many, how fast, how long they took, what they cost."""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from gatemark.judge.math.histogram import percentile
from gatemark.kind.connections.load import loads
from gatemark.kind.connections.plan import HELD, RATE
from gatemark.plan.model import TrialSpec, Workload
from gatemark.run.raw import Raw
from gatemark.run.result.kind import Kind
from gatemark.store.record import Definition, Scalar
from gatemark.store.series import Series
from gatemark.workload.way import Report, Way, binned

SHARES = {"p50": 0.5, "p99": 0.99}


def define(both: Definition, load: Workload) -> Definition:
    """Add what is of connections alone."""
    crr = load.connecting == "crr"
    return replace(
        both,
        l4="tcp",
        quantity=RATE if crr else HELD,
        rate_layer="connections",
        connections=load.connections or None,
        active_pps=load.active_pps,
        clients=load.clients,
    )


def outcome(spec: TrialSpec, raw: Raw) -> tuple[dict[str, float], None]:
    """The values; TCP accounts for its packets itself."""
    way = raw.ways[0]
    sent, sink = way.sender, way.sink
    times = _shares("connect", sent["connect_ns"]) | _shares("echo", sent["echo_ns"])
    if spec.workload.connecting == "crr":
        values = {
            "connections_per_s": sent["opened"] * 1e9 / way.span_ns,
            "loss_ratio": _share(_failed(sent), sent["begun"] - sent["skipped"]),
        }
        return values | times, None
    opening = sent["opening"]
    span_ns = max(1, opening["t1_ns"] - opening["t0_ns"])
    values = {
        "connections": float(sent["open"]),
        "connections_per_s": sent["opened"] * 1e9 / span_ns,
    }
    if spec.workload.connecting == "hold" and sent["asked"]:
        values["loss_ratio"] = _share(sent["asked"] - sent["answered"], sent["asked"])
    if sent["open"]:
        bytes_ = sink["kernel_bytes"] + sent["memory_bytes"] + sink["memory_bytes"]
        values["connection_bytes"] = bytes_ / sent["open"]
    return values | times, None


def evidence(raw: Raw) -> dict[str, dict[str, Scalar]]:
    """Where it ended and why, and the gateway's table as it was then."""
    way = raw.ways[0]
    sent, sink = way.sender, way.sink
    first = sent.get("first_failure", {})
    seen: dict[str, Scalar] = {
        "stop": sent["stop"],
        "bound": sink["bound"],
        "begun": sent["begun"] - sent["skipped"],
        "opened": sent["opened"],
        "failed": _failed(sent),
    }
    if first:
        seen |= {"number": first["number"], "why": first["why"]}
    if sink["full"]:
        seen["server_full"] = sink["full"]
    if sent["scheduled"]:
        seen |= {"scheduled": sent["scheduled"], "asked": sent["asked"]}
    evidence: dict[str, dict[str, Scalar]] = {"connecting": seen}
    return evidence | ({"conntrack": sink["conntrack"]} if sink["conntrack"] else {})


def delivered_pps(raw: Raw, values: Mapping[str, float]) -> float:
    """Packets/s that came in at both ends' ports, over the time that is measured."""
    del values
    way = raw.ways[0]
    ports = (way.wire.sink.role, way.wire.source.role)
    names = [f"{device}.rx_packets" for device in ports]
    came = sum(raw.after[name] - raw.before[name] for name in names)
    return came * 1e9 / max(1, way.span_ns)


def series(way: Way) -> Series:
    """Connections over time, and how long they took."""
    name = f"source.{way.wire.direction}"
    columns: dict[str, tuple[Sequence[int], Sequence[float]]] = {
        f"{name}.{kind}": (way.sender[kind]["low"], way.sender[kind]["count"])
        for kind in ("connect_ns", "echo_ns")
    }
    rates = Way(way.wire, way.sender, way.sender, way.ports)
    return columns | {f"{name}.connections": binned(rates, "connections")}


def _shares(name: str, histogram: Report) -> dict[str, float]:
    counts = dict(zip(histogram["low"], histogram["count"], strict=True))
    if not counts:
        return {}
    return {f"{name}_{share}_ns": percentile(counts, at) for share, at in SHARES.items()}


def _failed(sent: Report) -> int:
    return sum(sent["failed"].values())


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


KIND: Final = Kind(loads, define, outcome, delivered_pps, series, evidence)
