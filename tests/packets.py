# SPDX-License-Identifier: Apache-2.0
"""A third made-up run: a gateway whose packets cost a sum that is known, on a machine that drifts.

    ns = 1000 route + 800 nat + 350 conntrack + 120 filter + 12 N + 0.2 bytes + 40 down

and conntrack costs nothing more where NAT tracks already. Two arms are held out.
"""

import itertools
import random
from collections.abc import Iterator, Mapping
from pathlib import Path

import builder
import msgspec
from known import known
from msgspec.structs import replace

from gatemark.judge.capacity.fit import fit
from gatemark.judge.capacity.measured import Measured, measured
from gatemark.judge.capacity.model import Model
from gatemark.plan.model import PLAN_SCHEMA, Arm, Plan, Repeat, Workload
from gatemark.store.directory import RunDirectory
from gatemark.store.record import Definition, Record, Scalar
from gatemark.store.run import Run
from gatemark.tell.group.source import Source
from gatemark.tell.sentence.answer import answered

COST: Mapping[str, float] = {
    "base": 1000.0,
    "byte": 0.2,
    "nat": 800.0,
    "down": 40.0,
    "conntrack": 350.0,
    "filter": 120.0,
    "filter rule": 12.0,
}
NAME = "made/model"
REPEATS = 6
LOADS = (("up", 64), ("up", 1518), ("down", 512))
FITTED = [
    (path, tracked, rules)
    for path, tracked, rules in itertools.product(("route", "nat"), (False, True), (0, 100, 1000))
    if not (tracked and rules == 100)
]
HELD_OUT = [("route", True, 100), ("nat", False, 300)]


def arm(path: str, tracked: bool, rules: int, *, held_out: bool = False) -> Arm:
    features = ["conntrack"] * tracked + ([f"filter:{rules}"] if rules else [])
    made = Arm(path=path, features=tuple(features), held_out=held_out)  # type: ignore[arg-type]
    return replace(made, name=made.setup)


@known
def plan() -> Plan:
    return Plan(
        schema=PLAN_SCHEMA,
        name=NAME,
        title="What a packet costs",
        why="A sum of few terms tells every setup.",
        reading="Off the line the sum fails.",
        arm=(
            *(arm(*one) for one in FITTED),
            *(arm(*one, held_out=True) for one in HELD_OUT),
        ),
        workload=Workload(duration_s=1.0),
        case=tuple({"direction": way, "frame_bytes": size} for way, size in LOADS),
        repeat=Repeat(times=REPEATS),
    )


def time_ns(one: Arm, direction: str, size: int, pair: float = -COST["conntrack"]) -> float:
    """What a packet costs; `pair`: what NAT and conntrack cost together besides."""
    found = COST["base"] + COST["byte"] * size + COST["down"] * (direction == "down")
    found += COST["nat"] * (one.path == "nat")
    for feature in one.features:
        name, _, rules = feature.partition(":")
        found += COST[name] + (COST["filter rule"] * int(rules) if rules else 0.0)
    return found + pair * (one.path == "nat" and "conntrack" in one.features)


def trials(
    jitter: float = 0.02, drift: float = 0.2, pair: float = -COST["conntrack"]
) -> list[Record]:
    """All records: `jitter` of each time, `drift` of all times of a block together."""
    return [*_trials(jitter, drift, pair)]


@known
def _trials(jitter: float, drift: float, pair: float) -> tuple[Record, ...]:
    chance = random.Random(11)
    found = []
    for repeat in range(1, REPEATS + 1):
        speed = chance.lognormvariate(0, drift)
        for one, (way, size) in itertools.product(plan().arm, LOADS):
            ns = time_ns(one, way, size, pair) * speed * chance.lognormvariate(0, jitter)
            found.append(_record(one, way, size, repeat, ns))
    return tuple(builder.renumbered(record, place) for place, record in enumerate(found))


def shaped_trials(ns: float) -> list[Record]:
    """NAT with a shaper that nothing reaches, which takes `ns` of each packet."""
    made = Arm(path="nat", features=("shape:cake:100000",))
    bare = arm("nat", False, 0)
    return [
        _record(replace(made, name=made.setup), way, size, repeat, time_ns(bare, way, size) + ns)
        for repeat, (way, size) in itertools.product(range(1, REPEATS + 1), LOADS)
    ]


def _record(one: Arm, way: str, size: int, repeat: int, ns: float) -> Record:
    definition = Definition(
        path=one.path, features=one.features, direction=way, frame_bytes=size, duration_s=1.0
    )
    point: dict[str, Scalar] = {"direction": way, "frame_bytes": size}
    values = builder.rates(3e6, 1e9 / ns, size) | {"cpu_busy": 0.995}
    return builder.record(NAME, one.name, point, definition, repeat, values)


@known
def run() -> Run:
    made = plan()
    specs = tuple(builder.spec([made], record) for record in trials())
    return replace(
        builder.run(), run="20261122-111500-made", suite=NAME, title=made.title, plans=(made,),
        trials=specs, command=("gatemark", "run", NAME, "--seed", "11"), notes=(),
    )  # fmt: skip


def times(records: list[Record] | None = None) -> Measured:
    kept, made = trials() if records is None else records, run()
    found = measured(made, kept, answered(made, kept))
    assert found is not None
    return found


def model(records: list[Record] | None = None) -> Model:
    return _model() if records is None else _fitted(times(records))


@known
def _model() -> Model:
    return _fitted(times())


def _fitted(measured_: Measured) -> Model:
    found = fit(measured_)
    assert found is not None
    return found


@known
def source() -> Source:
    kept, made = trials(), run()
    return builder.source(made, kept, answered(made, kept), model=model())


def keep(path: Path) -> Path:
    """The run on disk."""
    directory = RunDirectory.create(path, run())
    lines: Iterator[bytes] = (msgspec.json.encode(one) + b"\n" for one in trials())
    directory.trials_file.write_bytes(b"".join(lines))
    return directory.path
