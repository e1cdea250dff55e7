# SPDX-License-Identifier: Apache-2.0
"""A third made-up run: delay at three loads by two setups, one with a sawtooth; the bare veth.

Every trial has a histogram and bins of 10 ms, as an agent's sink keeps them.
"""

import random
from collections.abc import Iterator

import builder
from known import known
from msgspec.structs import replace

from gatemark.judge.judgement import Judgement
from gatemark.judge.math.histogram import merged, percentile
from gatemark.plan.model import PLAN_SCHEMA, Arm, Gateway, Plan, Repeat, Workload
from gatemark.store.record import Definition, Record
from gatemark.store.run import Run
from gatemark.store.series import SUFFIX, Series
from gatemark.tell.group.source import Source
from gatemark.tell.sentence.answer import answered

MS = 1_000_000
BINS = 100  # of 10 ms
RATES = (3_000, 15_000, 27_000)
MEDIANS = {("route", 3_000): 40_960, ("route", 15_000): 49_152, ("route", 27_000): 65_536}
MEDIANS |= {("nat", rate): 65_536 for rate in RATES} | {("direct", 3_000): 2_048}
SAWTOOTH = ("nat", 27_000)
PERIOD, SWING_NS = 20, 4 * MS  # bins
LEAST_NS = 1_984
REPEATS = 6


def plan(name: str, *arms: str) -> Plan:
    return Plan(
        schema=PLAN_SCHEMA,
        name=name,
        title="How long a packet takes",
        why="What waits is felt.",
        reading="What is right of the median waits.",
        arm=tuple(Arm(path=path, name=path) for path in arms),  # type: ignore[arg-type]
        gateway=Gateway(slow_to_pps=30_000),
        workload=Workload(frame_bytes=64),
        sweep={"rate_pps": RATES},
        repeat=Repeat(times=REPEATS),
        figure="delay",
    )


@known
def run() -> Run:
    plans = (plan("timed/alone", "direct"), plan("timed/loads", "route", "nat"))
    return replace(
        builder.run(), run="20261122-111500-timed", suite="timed", title="How long a packet takes",
        plans=plans, trials=(), command=("gatemark", "run", "timed", "--seed", "5"), notes=(),
    )  # fmt: skip


def made() -> tuple[list[Record], dict[str, Series]]:
    """All records, with their series by file; the numbers are drawn with a fixed seed."""
    chance = random.Random(5)
    found = list(_alone()) + [pair for key in MEDIANS for pair in _timed(*key, chance)]
    records = [
        replace(r, sequence=at, series=f"{at:05d}{SUFFIX}") for at, (r, _) in enumerate(found)
    ]
    sheaf = {r.series: series for r, (_, series) in zip(records, found, strict=True)}
    return records, sheaf


def _alone() -> Iterator[tuple[Record, Series]]:
    """The tester's ceiling."""
    definition = Definition(path="direct", frame_bytes=64, duration_s=1.0)
    for repeat in range(1, REPEATS + 1):
        values = builder.rates(400_000, 400_000 - repeat, 64)
        yield (
            builder.record("timed/alone", "direct", {"rate_pps": 0}, definition, repeat, values),
            {},
        )


def _timed(path: str, rate: int, chance: random.Random) -> Iterator[tuple[Record, Series]]:
    plan_ = "timed/alone" if path == "direct" else "timed/loads"
    slowdown = 0 if path == "direct" else 30_000
    definition = Definition(path=path, frame_bytes=64, duration_s=1.0, slow_to_pps=slowdown)
    for repeat in range(1, REPEATS + 1):
        series = _series(path, rate, chance)
        counts = merged([series["sink.up.delay_ns"]])
        values = builder.rates(rate, rate, 64) | {"delay_min_ns": float(min(counts))}
        values |= {
            "delay_p50_ns": percentile(counts, 0.5),
            "delay_p99_ns": percentile(counts, 0.99),
        }
        values["delay_max_ns"] = max(series["sink.up.delay_max_ns"][1])
        yield builder.record(plan_, path, {"rate_pps": rate}, definition, repeat, values), series


def _series(path: str, rate: int, chance: random.Random) -> Series:
    middle = MEDIANS[path, rate]
    zero = 7_000 * MS
    at = [zero + place * 10 * MS for place in range(BINS)]
    teeth = SWING_NS / PERIOD if (path, rate) == SAWTOOTH else 0.0
    means = [middle * chance.gauss(1, 0.03) + teeth * (place % PERIOD) for place in range(BINS)]
    packets = [rate / 100] * BINS
    counts = {LEAST_NS: rate * 0.1, middle: rate * 0.85, 8 * middle: rate * 0.05}
    return {
        "sink.up.delay_ns": (list(counts), list(counts.values())),
        "sink.up.packets": (at, packets),
        "sink.up.delay_mean_ns": (at, means),
        "sink.up.delay_max_ns": (at, [9 * mean for mean in means]),
    }


def judgement(records: list[Record]) -> Judgement:
    return answered(run(), records)


@known
def source() -> Source:
    """The run as a page needs it."""
    records, sheaf = made()
    return Source(run=run(), records=records, judgement=judgement(records), sheaf=sheaf)
