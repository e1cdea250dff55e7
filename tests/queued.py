# SPDX-License-Identifier: Apache-2.0
"""A fourth made-up run: a game beside uploads over a line of 1 Mbit/s, simulated (bottleneck.py).

Idle, one upload and four, into a buffer of 50 packets; one upload with the game put first.
"""

from collections.abc import Iterator
from functools import cache
from statistics import fmean

import builder
from bottleneck import PAYLOAD_BYTES, S_NS, Setting, Simulation
from msgspec.structs import replace

from gatemark.judge.judgement import Judgement
from gatemark.judge.math.deadline import misses
from gatemark.plan.model import (
    PLAN_SCHEMA,
    Arm,
    Line,
    LineWay,
    Plan,
    Repeat,
    TrialSpec,
    Workload,
)
from gatemark.store.record import Definition, Part, Record
from gatemark.store.run import Run
from gatemark.store.series import SUFFIX, Series
from gatemark.tell.group.source import Source
from gatemark.tell.sentence.answer import answered

RATE_BPS, PACKETS = 1e6, 50
LOAD_S, REPEATS = 40.0, 3
PLAN = "delay/home"
ARMS = {"drop-tail": (), "game first": ("shape:htb2:1",)}
# Arm, streams of the upload.
POINTS = (("drop-tail", 0), ("drop-tail", 1), ("drop-tail", 4), ("game first", 1))
DEADLINE_NS = 50e6  # of a game
BIN_NS, SAMPLE_NS = 10_000_000, S_NS // 2


def plan() -> Plan:
    return Plan(
        schema=PLAN_SCHEMA,
        name=PLAN,
        title="Does a game stay playable while someone uploads?",
        why="One upload fills a queue that everyone waits in.",
        reading="The wider the gap between the curves, the longer the game waits.",
        arm=tuple(Arm(path="nat", name=name, features=more) for name, more in ARMS.items()),
        workload=Workload(kind="replay", trace="game", duration_s=LOAD_S + 6),
        sweep={"uploads.streams": (0, 1, 4)},
        repeat=Repeat(times=REPEATS),
        figure="delay",
    )


@cache
def made() -> tuple[tuple[Record, ...], dict[str, Series]]:
    """All records, with their series by file."""
    pairs = [pair for arm, streams in POINTS for pair in _trials(arm, streams)]
    records = tuple(
        replace(record, sequence=place, series=f"{place:05d}{SUFFIX}")
        for place, (record, _) in enumerate(pairs)
    )
    return records, {r.series: series for r, (_, series) in zip(records, pairs, strict=True)}


def _trials(arm: str, streams: int) -> Iterator[tuple[Record, Series]]:
    for repeat in range(1, REPEATS + 1):
        simulation = Simulation(
            Setting(
                "reno",
                RATE_BPS,
                PACKETS,
                LOAD_S,
                streams=streams,
                idle_s=2 + 0.011 * repeat,
                first=arm != "drop-tail",
            )
        )
        yield _record(arm, streams, repeat, simulation), _series(simulation)


def _record(arm: str, streams: int, repeat: int, simulation: Simulation) -> Record:
    both = Definition(path="nat", features=ARMS[arm])
    beside = (f"uploads: tcp streams={streams} congestion=reno",)
    definition = replace(both, quantity="replayed rate", l4="replay", trace="game", beside=beside)
    upload = replace(
        both, quantity="goodput", l4="tcp", streams=streams, congestion="reno", rate_layer="l4"
    )
    flow = simulation.flow
    values = {"offered_pps": 25.0, "received_pps": 25 * (1 - flow.loss_ratio)}
    values |= {f"delay_p{n}_ns": flow.percentile(n / 100) for n in (50, 90, 99)}
    values |= {"delay_min_ns": flow.least_ns, "loss_ratio": flow.loss_ratio}
    values |= {"up.loss_ratio": flow.loss_ratio, "up.delay_mean_ns": fmean(flow.delay_ns)}
    late = sum(misses(flow.in_order, DEADLINE_NS)) / flow.packets
    values |= {"up.missed_50ms_ratio": late}
    if streams:
        values["uploads.mss_bytes"] = float(PAYLOAD_BYTES)
        values["uploads.goodput_bps"] = 8 * _read(simulation) / LOAD_S
    record = builder.record(PLAN, arm, {"uploads.streams": streams}, definition, repeat, values)
    window_ns = (simulation.start_ns, simulation.end_ns)
    parts = {"uploads": Part(definition=upload, window_ns=window_ns)} if streams else {}
    whole_ns = (0, simulation.end_ns + 4 * S_NS)
    return replace(record, parts=parts, window_ns=whole_ns)


def _read(simulation: Simulation) -> float:
    counts = [simulation.acked_bytes(place)[1] for place in range(simulation.setting.streams)]
    return sum(count[-1] for count in counts)


def _series(simulation: Simulation) -> Series:
    lost = simulation.lost_ns
    columns: dict[str, tuple[list[int], list[float]]] = {
        "replay.up.delay": simulation.arrived,
        "replay.up.lost": (lost, [0.0] * len(lost)),
    }
    bins: dict[int, float] = {}
    for place, stream in enumerate(simulation.streams):
        at, so_far = simulation.acked_bytes(place)
        kept = range(0, len(at), max(1, len(at) // 100))
        name = f"uploads/source.up.{place}"
        columns[f"{name}.acked_bytes"] = [at[k] for k in kept], [so_far[k] for k in kept]
        for when, _ in stream.acked:
            bins[when // BIN_NS] = bins.get(when // BIN_NS, 0.0) + PAYLOAD_BYTES
    times = sorted(bins)
    columns["uploads/sink.up.bytes"] = [t * BIN_NS for t in times], [bins[t] for t in times]
    return columns


def run() -> Run:
    records, _ = made()
    return replace(
        builder.run(), run="20261124-200000-delay", suite="delay", title="Delay under load",
        plans=(plan(),), trials=tuple(_spec(record) for record in records), notes=(),
        command=("gatemark", "run", "delay", "--seed", "5"),
    )  # fmt: skip


def _spec(record: Record) -> TrialSpec:
    return replace(builder.spec((plan(),), record), line=line())


def line() -> Line:
    return Line(up=LineWay(rate_bps=RATE_BPS, buffer_packets=PACKETS))


@cache
def judgement() -> Judgement:
    records, sheaf = made()
    return answered(run(), records, sheaf=sheaf)


def source() -> Source:
    """The run as a page needs it."""
    records, sheaf = made()
    return Source(run=run(), records=records, judgement=judgement(), sheaf=sheaf)
