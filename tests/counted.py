# SPDX-License-Identifier: Apache-2.0
"""A made-up run in instructions: a packet is a sum of functions that is known to the last of them.

Of 200 walks 140 are the mode, 40 met the clock's tick, 20 another hash. And an A/B test in which a
rule was added, and a plan of a model that is a sum, with a pair that is none. Whole runs are built
once, and frozen.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import builder
from frozen import frozen
from msgspec.structs import replace

from gatemark.judge.capacity.fit import fit
from gatemark.judge.capacity.measured import measured
from gatemark.judge.capacity.model import Model
from gatemark.judge.judgement import Judgement
from gatemark.plan.model import PLAN_SCHEMA, Arm, Plan, Repeat, Workload
from gatemark.store.record import Counted, Definition, Evidence, Record, Scalar
from gatemark.store.run import AB, Run, Side, StationInfo
from gatemark.tell.group.source import Source
from gatemark.tell.sentence.answer import answered

NAME, TEST, MODEL = "made/steps", "made/test", "made/model"
STATION = StationInfo(name="qemu-mips", kind="qemu", virtual=True)
Functions = Mapping[str, tuple[int, int]]

ROUTE: Functions = {"ip_forward": (165, 1), "fib_table_lookup": (267, 1), "pcnet32_poll": (568, 2)}
TRACKED: Functions = {"nf_conntrack_in": (300, 1), "__siphash_aligned": (100, 1)}
RULE, CHAIN = 20, 50  # instructions of nft_do_chain
ARMS = (
    Arm(path="route", name="route"),
    Arm(path="route", name="route again", against="route"),
    Arm(path="route", name="conntrack", features=("conntrack",), against="route"),
    Arm(path="route", name="100 rules", features=("filter:100",), against="route"),
    Arm(path="route", name="101 rules", features=("filter:101",), against="100 rules"),
)
MODES: Sequence[tuple[int, int, Mapping[str, int]]] = (  # over the first, walks, what ran more
    (0, 140, {}),
    (1200, 40, {"tick_sched_timer": 900, "hrtimer_run": 300}),
    (12, 20, {"__siphash_aligned": 12}),
)


def functions(features: Iterable[str]) -> dict[str, tuple[int, int]]:
    """What a packet runs of each function."""
    found = dict(ROUTE)
    for feature in features:
        name, _, rules = feature.partition(":")
        if name == "conntrack":
            found |= TRACKED
        elif name == "filter":
            found["nft_do_chain"] = (CHAIN + RULE * int(rules), 1)
    return found


def plan(name: str = NAME, arms: Sequence[Arm] = ARMS, times: int = 3, **more: Any) -> Plan:
    made = Plan(
        schema=PLAN_SCHEMA,
        name=name,
        title="What each feature costs, to the instruction",
        why="One rule more is seen as one rule more.",
        reading="An A/A step is zero.",
        arm=tuple(arms),
        workload=Workload(kind="walk"),
        repeat=Repeat(times=times),
        figure="exact",
    )
    return replace(made, **more)


def record(
    plan_: str,
    arm: Arm,
    repeat: int,
    ran: Functions | None = None,
    point: dict[str, Scalar] | None = None,
    *,
    boot: int = 0,
) -> Record:
    """One trial of 200 walks; the functions are those of the arm's features, or these."""
    found = dict(functions(arm.features) if ran is None else ran)
    mode = sum(count for count, _ in found.values())
    at = point or {}
    definition = Definition(
        quantity="instructions",
        path=arm.path,
        features=arm.features,
        direction=str(at.get("direction", "up")),
        l4=str(at.get("l4", "udp")),
        frame_bytes=int(at.get("frame_bytes", 64)),
        rate_layer="instructions",
    )
    values = {"instructions": float(mode), "mode_share": 0.7}
    made = builder.record(plan_, arm.name, at, definition, repeat, values)
    counted = Counted(
        walks=200,
        lost=0,
        modes={str(mode + by): walks for by, walks, _ in MODES},
        more={str(mode + by): dict(more) for by, _, more in MODES[1:]},
        functions=found,
        plugin="counter-1",
    )
    return replace(made, boot=boot, evidence=Evidence(counted=counted))


def trials(times: int = 3) -> list[Record]:
    return list(_trials(times))


@cache
def _trials(times: int) -> tuple[Record, ...]:
    found = [record(NAME, arm, at) for at in range(1, times + 1) for arm in ARMS]
    return frozen(tuple(builder.renumbered(one, place) for place, one in enumerate(found)))


def run(records: Sequence[Record], plans: Sequence[Plan] = (), **more: Any) -> Run:
    made = tuple(plans) or (plan(),)
    words: dict[str, Any] = {
        "run": "20261122-120000-counting",
        "suite": "counting",
        "title": "What a packet costs",
        "command": ("gatemark", "run", "counting", "--seed", "5"),
        "station": STATION,
        "plans": made,
        "trials": tuple(builder.spec(made, one) for one in records),
        "notes": (),
    }
    return replace(builder.run(), **(words | more))


def judgement(records: Sequence[Record] | None = None) -> Judgement:
    return source(records).judgement


def source(records: Sequence[Record] | None = None) -> Source:
    return _own() if records is None else _judged(list(records))


@cache
def _own() -> Source:
    return frozen(_judged(trials()))


def _judged(found: Sequence[Record]) -> Source:
    made = run(found)
    return Source(run=made, records=found, judgement=answered(made, found))


@cache
def by_protocol() -> Source:
    """UDP beside TCP, for which a gateway that tracks connections has more to do."""
    looks = {"nf_conntrack_tcp_packet": (355, 1)}
    arms = (ARMS[0], ARMS[2])
    found = []
    for repeat, arm, l4 in itertools.product((1, 2), arms, ("udp", "tcp")):
        more = looks if arm.features and l4 == "tcp" else {}
        ran = functions(arm.features) | more
        found.append(record(NAME, arm, repeat, ran, {"l4": l4}))
    made = run(found, [plan(arms=arms, times=2, sweep={"l4": ("udp", "tcp")})])
    return frozen(Source(run=made, records=found, judgement=answered(made, found)))


@cache
def compared(rules: int = 101, allow: float = 0.01, boots: int = 0) -> Source:
    """An A/B test of 100 rules against so many."""
    arms = [
        Arm(path="route", name=name, features=(f"filter:{n}",))
        for name, n in (("old", 100), ("new", rules))
    ]
    found = [record(TEST, arm, at, boot=at if boots else 0) for at in range(1, 4) for arm in arms]
    sides = [Side(name=arm.setup, station_file="qemu-mips", station=STATION) for arm in arms]
    test = AB(old=sides[0], new=sides[1], allow=allow)
    made = run(found, [plan(TEST, arms)], ab=test, suite=TEST)
    return frozen(Source(run=made, records=found, judgement=answered(made, found)))


# A model: base, bytes that bend at 512, features, and a pair that is no sum.
HELD_OUT = (("route", ("conntrack", "filter:30")), ("nat", ("filter:300",)))
FITTED = [
    (path, (*tracked, *rules))
    for path, tracked, rules in itertools.product(
        ("route", "nat"), ((), ("conntrack",)), ((), ("filter:10",), ("filter:1000",))
    )
]
LOADS = (("up", 64), ("up", 512), ("up", 1518), ("down", 512))


def executes(path: str, features: Sequence[str], direction: str, size: int) -> int:
    """Instructions of a packet, by the model."""
    count = 9000 + 2 * min(size, 512) + (300 if direction == "down" else 0)
    tracked = "conntrack" in features
    count += 4000 * (path == "nat") + 2800 * tracked - 2000 * (tracked and path == "nat")
    for feature in features:
        name, _, rules = feature.partition(":")
        count += 360 + 163 * int(rules) if name == "filter" else 0
    return count


@cache
def modelled() -> Source:
    """The run of a model, fitted."""
    setups = [(*one, False) for one in FITTED] + [(*one, True) for one in HELD_OUT]
    arms = []
    for path, features, held in setups:
        arm = Arm(path=path, features=features, held_out=held)
        arms.append(replace(arm, name=arm.setup))
    found = []
    for repeat, arm, (way, size) in itertools.product((1, 2, 3), arms, LOADS):
        ran = {"ip_forward": (executes(arm.path, arm.features, way, size), 1)}
        point: dict[str, Scalar] = {"direction": way, "frame_bytes": size}
        found.append(record(MODEL, arm, repeat, ran, point))
    case = tuple({"direction": way, "frame_bytes": size} for way, size in LOADS)
    made = run(found, [plan(MODEL, arms, case=case)])
    judged = answered(made, found)
    times = measured(made, found, judged)
    model = fit(times) if times else None
    return frozen(Source(run=made, records=found, judgement=judged, model=model))


def model() -> Model:
    found = modelled().model
    assert found is not None
    return found
