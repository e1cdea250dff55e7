# SPDX-License-Identifier: Apache-2.0
"""The outcome of a responsiveness test: round trips a minute, and what its probes took.

Everything is of the last window (MAD intervals), as in the draft, except what was read at rest.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from gatemark.judge.math.histogram import is_told
from gatemark.judge.math.nearest import percentile
from gatemark.kind.responsiveness.draft import DRAFT
from gatemark.kind.responsiveness.formula import Score, Times, trimmed_mean
from gatemark.kind.responsiveness.load import loads
from gatemark.kind.responsiveness.plan import RESPONSIVENESS
from gatemark.plan.model import TrialSpec, Workload
from gatemark.run.raw import Raw
from gatemark.run.result.kind import Evidences, Kind
from gatemark.store.record import Definition, Scalar
from gatemark.store.series import Series
from gatemark.workload.way import Report, Way, binned, over_time

SHARES: Final = {"p50": 0.5, "p90": 0.9, "p99": 0.99}
NS_A_MS: Final = 1e6


def define(both: Definition, load: Workload) -> Definition:
    """Add what is of responsiveness alone."""
    return replace(
        both,
        quantity=RESPONSIVENESS,
        l4="http",
        rate_layer="round trips/min",
        congestion=load.congestion,
        duration_s=0.0,  # it ends by itself
        interval_s=load.interval_s,
        tls=load.tls,
        method=DRAFT,
    )


def outcome(spec: TrialSpec, raw: Raw) -> tuple[dict[str, float], None]:
    """The values; TCP accounts for its packets itself."""
    way, tls = raw.ways[0], spec.workload.tls
    client = _end(way, "client")
    loaded = times(client["loaded"], client["window_ns"], client["t1_ns"], tls=tls)
    idle = times(client["idle"], 0, client["t0_ns"], tls=tls)
    values = _scores(loaded) | _times(loaded) | _goodputs(way, spec.workload.direction)
    if idle.are_enough:
        values["rpm_idle"] = Score.of(idle).rpm
    for name, column in _columns(idle):
        values[f"{name}_idle_p50_ns"] = percentile(column, 0.5) * NS_A_MS
    tried = client["loaded"]["tried"]
    failed = sum(client["loaded"]["failed"].values())
    return values | {
        "load_connections": client["intervals"]["connections"][-1],
        "failed_share": failed / tried if tried else 0.0,
        "intervals": float(len(client["intervals"]["t_ns"])),
    }, None


def times(book: Report, since_ns: int, until_ns: int, *, tls: bool) -> Times:
    """Return the times of the probes that ended then, in ms."""

    def column(kind: str, name: str) -> list[float]:
        rows = zip(book[kind]["t_ns"], book[kind][name], strict=True)
        return [ns / NS_A_MS for at, ns in rows if since_ns <= at <= until_ns]

    return Times(
        column("foreign", "tcp_ns"),
        column("foreign", "tls_ns") if tls else (),
        column("foreign", "http_ns"),
        column("self", "http_ns"),
    )


def _columns(measured: Times) -> Iterator[tuple[str, Sequence[float]]]:
    for name in ("tcp_f", "tls_f", "http_f", "http_l"):
        if column := getattr(measured, name):
            yield name, column


def _scores(loaded: Times) -> dict[str, float]:
    if not loaded.are_enough:
        return {}
    score = Score.of(loaded)
    return {
        "rpm": score.rpm,
        "rpm_foreign": score.foreign,
        "rpm_loaded": score.loaded,
        "rpm_harmonic": score.harmonic,
    }


def _times(loaded: Times) -> dict[str, float]:
    """Return each part's trimmed mean, percentiles that ten probes exceed, and number of probes."""
    values = {}
    for name, column in _columns(loaded):
        values[f"{name}_tm_ns"] = trimmed_mean(column) * NS_A_MS
        for share, at in SHARES.items():
            if is_told(at, len(column)):
                values[f"{name}_{share}_ns"] = percentile(column, at) * NS_A_MS
        values[f"{name}_probes"] = float(len(column))
    return values


def _goodputs(way: Way, direction: str) -> dict[str, float]:
    """Payload that the receiving programs read; of both directions each, and their sum."""
    if direction != "both":
        return {"goodput_bps": 8.0 * over_time(way, "bytes")}
    each = {
        "up": 8.0 * over_time(way, "bytes"),
        "down": 8.0 * over_time(_turned(way), "bytes"),
    }
    return {"goodput_bps": sum(each.values())} | {
        f"{name}.goodput_bps": value for name, value in each.items()
    }


def _turned(way: Way) -> Way:
    """The same test as what comes down has it: the client receives."""
    client = way.sender
    return Way(way.wire, client, client, way.ports, way.settle_ns)


def _end(way: Way, name: str) -> Report:
    return way.sender if way.sender["end"] == name else way.sink


def evidence(raw: Raw) -> Evidences:
    """Return how far the result is to be trusted, and what it was made with."""
    way = raw.ways[0]
    client, server = _end(way, "client"), _end(way, "server")
    failed: Mapping[str, int] = client["loaded"]["failed"]
    seen: dict[str, Scalar] = {
        **client["course"],
        "probes": client["loaded"]["tried"],
        "failed": sum(failed.values()),
        "tls": client["version"],
        "cipher": client["cipher"],
        "mss_bytes": client["mss_bytes"],
    }
    if failed:
        seen["why_failed"] = max(failed, key=lambda why: failed[why])
    ahead = {"client": client["loaded"]["self"]["ahead_bytes"], "server": server["ahead_bytes"]}
    for name, counts in ahead.items():
        if counts:
            seen[f"{name}_ahead_most_bytes"] = round(max(counts))
    return {"responsiveness": seen | _repairs(client["loaded"]["self"])}


def _repairs(own: Mapping[str, Sequence[int]]) -> dict[str, Scalar]:
    """How many self probes waited for a lost segment, and the most that one waited without it."""
    clear = [ns for ns, count in zip(own["http_ns"], own["repairs"], strict=True) if not count]
    seen: dict[str, Scalar] = {"self_repaired": len(own["repairs"]) - len(clear)}
    return seen | ({"self_clear_most_ns": max(clear)} if clear else {})


def delivered_pps(raw: Raw, values: Mapping[str, float]) -> float:
    """Packets/s that came in at both ends' ports, over the time that is measured."""
    del values
    way = raw.ways[0]
    names = [f"{port.role}.rx_packets" for port in (way.wire.sink, way.wire.source)]
    came = sum(raw.after[name] - raw.before[name] for name in names)
    return came * 1e9 / max(1, way.span_ns)


def series(way: Way) -> Series:
    """Bytes over time, each interval, and every probe by the time of its end.

    `sink.up.bytes`: bins of 10 ms. `client.up.rpm`, `.connections`, `.up_bps`: at the end of each
    interval. `client.up.http_l_ns`, `.http_f_ns`, `.tcp_f_ns`, `.tls_f_ns`: each probe, those at
    rest too.
    """
    client, name = _end(way, "client"), f"client.{way.wire.direction}"
    columns: dict[str, Any] = {f"sink.{way.wire.direction}.bytes": binned(way, "bytes")}
    if way.sender is client and client["bytes"]:  # both directions
        columns["sink.down.bytes"] = binned(_turned(way), "bytes")
    at = [int(ns) for ns in client["intervals"]["t_ns"]]
    for row, values in client["intervals"].items():
        if row != "t_ns":
            columns[f"{name}.{row}"] = at, values
    books = (client["idle"], client["loaded"])
    for kind, mark in (("foreign", "f"), ("self", "l")):
        ends = [ns for book in books for ns in book[kind]["t_ns"]]
        for part in ("tcp", "tls", "http"):
            if f"{part}_ns" in books[0][kind]:
                took = [ns for book in books for ns in book[kind][f"{part}_ns"]]
                columns[f"{name}.{part}_{mark}_ns"] = ends, took
    return columns


KIND: Final = Kind(loads, define, outcome, delivered_pps, series, evidence)
