# SPDX-License-Identifier: Apache-2.0
"""The outcome of a TCP trial: goodput at the receiving program, and TCP's own statistics."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Final

from msgspec.structs import replace

from gatemark.kind.tcp.load import listening, loads
from gatemark.plan.model import TrialSpec, Workload
from gatemark.run.raw import Raw
from gatemark.run.result.kind import Kind, Label
from gatemark.store.record import Definition
from gatemark.store.series import Series
from gatemark.workload.way import Way, binned, over_time

# Columns of TCP_INFO over time: the agent's name, ours, and what makes one of the other.
INFO = {
    "rtt_us": ("rtt_ns", 1000),
    "cwnd": ("cwnd", 1),
    "retransmits": ("retransmits", 1),
    "bytes_acked": ("acked_bytes", 1),
}


def define(both: Definition, load: Workload) -> Definition:
    """Add what is of TCP alone."""
    return replace(
        both,
        quantity="goodput",
        rate_layer="l4",
        write_bytes=load.write_bytes,
        streams=load.streams,
        socket_buffer_bytes=load.socket_buffer_bytes,
        congestion=load.congestion,
        settle_s=load.settle_s,
        offload=load.offload,
        driver=load.driver,
    )


def outcome(spec: TrialSpec, raw: Raw) -> tuple[dict[str, float], None]:
    """The values; TCP accounts for its packets itself."""
    del spec
    return values(raw.ways), None


def values(ways: Sequence[Way]) -> dict[str, float]:
    """Goodput of all directions together; round trip and window over time and streams."""
    rtt_ns = [1000.0 * rtt for rtt in _column(ways, "rtt_us") if rtt > 0]
    window = [segments for segments in _column(ways, "cwnd") if segments > 0]
    quantities: dict[str, float] = {
        "goodput_bps": 8.0 * sum(over_time(way, "bytes") for way in ways),
        "mss_bytes": float(ways[0].sender["mss_bytes"]),
    }
    if all(count >= 0 for count in _column(ways, "retransmits")):  # -1: not reported
        quantities["retransmits"] = float(sum(_retransmits(way) for way in ways))
    if rtt_ns:
        quantities |= {"rtt_p50_ns": median(rtt_ns), "rtt_max_ns": max(rtt_ns)}
    if window:
        quantities["cwnd_p50"] = float(median(window))
    return quantities


def _retransmits(way: Way) -> int:
    """Segments sent again in the time that counts: by how much each stream's count rose in it."""
    info = way.sender["info"]
    counts: dict[int, list[int]] = {}
    for at, stream, count in zip(info["t_ns"], info["stream"], info["retransmits"], strict=True):
        if at >= way.window_ns[0]:
            counts.setdefault(stream, []).append(count)
    return sum(count[-1] - (count[0] if way.settle_ns else 0) for count in counts.values())


def delivered_pps(raw: Raw, values: Mapping[str, float]) -> float:
    """Packets/s that came in at the sinks' ports: data, and acknowledgements where both send."""
    del values
    came = sum(
        raw.after[f"{way.wire.sink.role}.rx_packets"]
        - raw.before[f"{way.wire.sink.role}.rx_packets"]
        for way in raw.ways
    )
    return came * 1e9 / raw.ways[0].span_ns


def series(way: Way) -> Series:
    """Bytes over time at the sink; TCP_INFO of every stream over time at the source."""
    name, info = way.wire.direction, way.sender["info"]
    columns: dict[str, tuple[Sequence[int], Sequence[float]]] = {}
    columns[f"sink.{name}.bytes"] = binned(way, "bytes")
    for stream in sorted(set(info["stream"])):
        rows = [row for row, number in enumerate(info["stream"]) if number == stream]
        at = [info["t_ns"][row] for row in rows]
        for column, (ours, factor) in INFO.items():
            samples = [(t, info[column][row]) for t, row in zip(at, rows, strict=True)]
            known = [(t, value * factor) for t, value in samples if value >= 0]
            columns[f"source.{name}.{stream}.{ours}"] = [t for t, _ in known], [v for _, v in known]
    return columns


def _column(ways: Iterable[Way], name: str) -> list[int]:
    """The samples of the time that counts."""
    return [
        value
        for way in ways
        for at, value in zip(way.sender["info"]["t_ns"], way.sender["info"][name], strict=True)
        if at >= way.window_ns[0]
    ]


def label(name: str, spec: TrialSpec, proto: str, far_port: int) -> Label | None:
    """Return bulk of a flow to one of its listening ports; None of any other."""
    ways = ("up", "down") if spec.workload.direction == "both" else (spec.workload.direction,)
    is_ours = proto == "tcp" and far_port in {listening(way, spec.among) for way in ways}
    return Label(name or "tcp", "bulk", "other") if is_ours else None


KIND: Final = Kind(loads, define, outcome, delivered_pps, series, label=label)
