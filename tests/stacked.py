# SPDX-License-Identifier: Apache-2.0
"""A third made-up run: a ladder of features on a gateway whose speed drifts by a fifth.

Each arm takes a known time for a packet, times the drift that all arms of a block share, times the
chance of a trial. And a plan of ways to tune it, at overload and at a set rate. What has no
arguments is built once, and frozen.
"""

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import builder
from frozen import frozen
from msgspec.structs import replace

from gatemark.judge.judgement import Judgement, Ladder
from gatemark.plan.model import PLAN_SCHEMA, Arm, Plan, Repeat, TrialSpec, Workload
from gatemark.store.record import Definition, Record, Scalar
from gatemark.store.run import Run
from gatemark.tell.group.source import Source
from gatemark.tell.sentence.answer import answered

BASE_NS = 1137.0
ARMS = (
    Arm(path="route", name="route"),
    Arm(path="route", name="route again"),
    Arm(path="route", name="conntrack", features=("conntrack",), against="route"),
    Arm(path="nat", name="masquerade", features=("conntrack",)),
    Arm(path="nat", name="10 rules", features=("conntrack", "filter:10")),
    Arm(
        path="nat",
        name="1000 rules",
        features=("conntrack", "filter:1000"),
        against="masquerade",
    ),
)
ADDS_NS = {  # over BASE_NS
    "route": 0.0,
    "route again": 0.0,
    "conntrack": 341.0,
    "masquerade": 785.0,
    "10 rules": 785.0,
    "1000 rules": 12_885.0,
}
TUNED = {  # k packets/s at overload, median delay in us and busy share at 50 k packets/s
    "plain": (800.0, 9.0, 0.11),
    "batched": (1200.0, 40.0, 0.06),
    "slow": (600.0, 50.0, 0.12),
}


def plan(name: str = "cost/ladder", arms: Sequence[Arm] = ARMS, times: int = 30) -> Plan:
    return Plan(
        schema=PLAN_SCHEMA,
        name=name,
        title="What each feature costs, step by step",
        why="The price of a feature is paid by each packet.",
        reading="Each bar begins where the arm that it is a step from ends.",
        arm=tuple(arms),
        workload=Workload(flows=64, duration_s=0.2),
        repeat=Repeat(times=times),
        figure="ladder",
    )


def tune() -> Plan:
    arms = [Arm(path="route", name=name) for name in TUNED]
    made = plan("cost/tune", arms, times=6)
    return replace(made, figure="pareto", sweep={"rate_pps": (0, 50_000)})


def trials(
    times: int = 30, *, seed: int = 1, spread: float = 0.03, adds: Mapping[str, float] = ADDS_NS
) -> list[Record]:
    """Blocks of one trial an arm, shuffled."""
    return list(_trials(times, seed, spread, tuple(adds.items())))


@cache
def _trials(
    times: int, seed: int, spread: float, added: tuple[tuple[str, float], ...]
) -> tuple[Record, ...]:
    adds = dict(added)
    chance = random.Random(seed)
    found: list[Record] = []
    for repeat in range(1, times + 1):
        drift = 1 + 0.2 * math.sin(repeat / 5)
        for arm in chance.sample(ARMS, len(ARMS)):
            took_ns = (BASE_NS + adds[arm.name]) * drift * chance.gauss(1, spread)
            found.append(builder.renumbered(_trial(arm, repeat, took_ns), len(found)))
    return frozen(tuple(found))


def _trial(arm: Arm, repeat: int, took_ns: float) -> Record:
    definition = Definition(
        path=arm.path, features=arm.features, frame_bytes=64, flows=64, duration_s=0.2
    )
    values = builder.rates(4e6, 0.998e9 / took_ns, 64)
    values |= {"cpu_busy": 0.998, "packet_ns": took_ns}
    return builder.record("cost/ladder", arm.name, {}, definition, repeat, values)


def tuned() -> Iterator[Record]:
    """Six repeats of each way to tune it, at overload and at 50 000 packets/s."""
    return iter(_tuned())


@cache
def _tuned() -> tuple[Record, ...]:
    return frozen(tuple(_each_way()))


def _each_way() -> Iterator[Record]:
    chance = random.Random(2)
    for name, (most, delay_us, busy) in TUNED.items():
        for rate in (0, 50_000):
            for repeat in range(1, 7):
                point: dict[str, Scalar] = {"rate_pps": rate}
                definition = Definition(path="route", frame_bytes=64, flows=64, duration_s=0.2)
                got = rate or most * 1e3 * chance.gauss(1, 0.01)
                values = builder.rates(rate or 4e6, got, 64)
                values["delay_p50_ns"] = (delay_us if rate else 300) * 1e3 * chance.gauss(1, 0.02)
                values["cpu_busy"] = busy * chance.gauss(1, 0.02) if rate else 0.998
                yield builder.record("cost/tune", name, point, definition, repeat, values)


def run(records: Sequence[Record] = (), plans: Sequence[Plan] = ()) -> Run:
    return replace(
        builder.run(),
        run="20261122-120000-cost",
        suite="cost",
        title="What each feature costs",
        command=("gatemark", "run", "cost", "--seed", "5"),
        plans=tuple(plans) or (plan(), tune()),
        trials=tuple(_spec(record) for record in records),
        notes=(),
    )


def _spec(record: Record) -> TrialSpec:
    definition = record.definition
    arm = Arm(path=definition.path, features=definition.features, name=record.arm)  # type: ignore[arg-type]
    return builder.spec([replace(plan(record.plan), arm=(arm,))], record)


def judgement(records: Sequence[Record] | None = None) -> Judgement:
    """As `stats` judges these trials."""
    return _own()[1] if records is None else answered(run(records), list(records))


@cache
def _own() -> tuple[Run, Judgement]:
    """The run of all trials, and what is judged of it."""
    found = [*trials(), *tuned()]
    whole = run(found)
    return frozen((whole, answered(whole, found)))


def ladder(records: Sequence[Record] | None = None) -> Ladder:
    (found,) = judgement(records).ladders
    return found


def source() -> Source:
    """The run as a page needs it."""
    whole, judged = _own()
    return Source(run=whole, records=[*trials(), *tuned()], judgement=judged)
