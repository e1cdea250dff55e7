# SPDX-License-Identifier: Apache-2.0
"""A made-up run of the quick suite: a gateway slowed to 30 000 packets/s, routed and NATed.

The model: received follows offered up to the knee and stays flat beyond; CPU is a straight line to
100 %; delay rises from tens of microseconds to a full queue. Each part is built once, and frozen.
"""

import random
import statistics
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from frozen import frozen
from msgspec.structs import replace

from gatemark.judge.judgement import Judgement, Knee, Limit, PointResult, Warning_
from gatemark.judge.math.interval import Interval
from gatemark.judge.subject import Subject
from gatemark.plan.model import PLAN_SCHEMA, Arm, Gateway, Plan, Probe, Repeat, TrialSpec, Workload
from gatemark.store.directory import RunDirectory
from gatemark.store.record import Accounting, CpuReading, Definition, Evidence, Record, Scalar
from gatemark.store.run import Run, StationInfo
from gatemark.tell.group.source import Source
from gatemark.unit import payload_bytes

RATES = (5_000, 10_000, 15_000, 20_000, 25_000, 30_000, 35_000, 40_000, 50_000, 60_000)
KNEES = {("route", "up"): 30_100, ("route", "down"): 29_900}
KNEES |= {("nat", "up"): 26_200, ("nat", "down"): 25_900}
CEILING = {
    ("up", 64): 412_000,
    ("down", 64): 405_000,
    ("up", 1518): 371_000,
    ("down", 1518): 366_000,
}
PLAIN = {("route", "up"): 231_000, ("route", "down"): 228_000}
PLAIN |= {("nat", "up"): 172_000, ("nat", "down"): 170_000}
REPEATS = 6
L1_EXTRA = 20  # preamble, start of frame, gap


@cache
def plans() -> tuple[Plan, ...]:
    arms = (Arm(path="route", name="route"), Arm(path="nat", name="nat"))
    ceiling = Plan(
        schema=PLAN_SCHEMA,
        name="quick/ceiling",
        title="What the tester alone can do",
        why="A value near the tester's own ceiling says nothing about a gateway.",
        reading="Values of a gateway within 10 % of these are lower bounds.",
        arm=(Arm(path="direct", name="direct"),),
        sweep={"direction": ("up", "down"), "frame_bytes": (64, 1518)},
    )
    sweep = Plan(
        schema=PLAN_SCHEMA,
        name="quick/sweep",
        title="Where a slow gateway stops following: routing and NAT",
        why="Below its knee a gateway delivers everything; beyond it the surplus is lost.",
        reading="Left of the knee received follows offered. Right of it a flat line is a CPU that "
        "works at its limit; a falling line is one that wastes time on packets it drops.",
        cites=("RFC 2544 section 26.1",),
        arm=arms,
        gateway=Gateway(slow_to_pps=30_000),
        workload=Workload(frame_bytes=64),
        sweep={"direction": ("up", "down"), "rate_pps": RATES},
        repeat=Repeat(times=REPEATS),
        probe=Probe(use=("cpu", "softirq")),
        deviations=("trials of 1 s instead of 60 s (RFC 2544 section 24)",),
    )
    plain = Plan(
        schema=PLAN_SCHEMA,
        name="quick/plain",
        title="The same gateway without its slowdown",
        why="Shows how far the slowdown is from what the lab itself can do.",
        reading="Namespaces on this machine; no device.",
        arm=arms,
        sweep={"direction": ("up", "down")},
    )
    return frozen((ceiling, sweep, plain))


@cache
def run() -> Run:
    made = plans()
    records = trials()
    whole = Run(
        run="20261121-161500-quick",
        suite="quick",
        title="Quick look at a Linux gateway",
        command=("gatemark", "run", "quick", "--station", "lab", "--seed", "7"),
        started="2026-11-21T16:15:00Z",
        finished="2026-11-21T16:21:40Z",
        seed=7,
        station=StationInfo(
            name="lab",
            kind="netns",
            virtual=True,
            placement={"gateway": "cpu 1, fifo 50", "tester": "cpu 0, other"},
        ),
        plans=made,
        trials=tuple(spec(made, record) for record in records),
        before=inventory(52_000, 71),
        after=inventory(51_200, 4_711),
        versions={"gatemark": "0.1.0", "gm-agent": "0.1.0", "python": "3.11.2"},
        notes=("started with other work on the machine",),
    )
    return frozen(whole)


def inventory(temperature_mc: int, conntrack: int) -> dict[str, dict[str, object]]:
    gateway: dict[str, object] = {
        "kernel": "6.1.0-28-amd64",
        "nft": "table ip nat { chain post { masquerade } }",
        "offload": {"gro": False, "gso": False},
        "conntrack": {"max": 262_144, "entries": conntrack},
    }
    tester: dict[str, object] = {"kernel": "6.1.0-28-amd64", "cpu": "2 x virtual core"}
    return {"gateway": gateway, "tester": {**tester, "temperature_mc": temperature_mc}}


def spec(made: Sequence[Plan], record: Record) -> TrialSpec:
    plan = next(plan for plan in made if plan.name == record.plan)
    return TrialSpec(
        trial=record.trial,
        plan=record.plan,
        arm=next(arm for arm in plan.arm if arm.name == record.arm),
        gateway=plan.gateway,
        workload=plan.workload,
        point=record.point,
        repeat=record.repeat,
        pass_=record.pass_,
        sequence=record.sequence,
    )


def trials(speed: float = 1.0) -> list[Record]:
    """All records, of a gateway so fast; the numbers are drawn with a fixed seed."""
    return list(_trials(speed, REPEATS))


@cache
def _trials(speed: float, repeats: int) -> tuple[Record, ...]:  # noqa: ARG001  a key of the cache
    chance = random.Random(7)
    found = [
        *_direct(chance),
        *(r for arm, way in KNEES for r in _swept(arm, way, chance, speed)),
        *_plain(chance),
    ]
    return frozen(tuple(renumbered(record, place) for place, record in enumerate(found)))


def renumbered(record: Record, place: int) -> Record:
    fields = {name: getattr(record, name) for name in record.__struct_fields__}
    return Record(**{**fields, "sequence": place})


def _direct(chance: random.Random) -> Iterable[Record]:
    for (way, size), rate in CEILING.items():
        definition = Definition(path="direct", direction=way, frame_bytes=size, duration_s=1.0)
        for repeat in range(1, REPEATS + 1):
            got = rate * chance.gauss(1, 0.012)
            point: dict[str, Scalar] = {"direction": way, "frame_bytes": size}
            yield record(
                "quick/ceiling", "direct", point, definition, repeat, rates(got, got, size)
            )


def _plain(chance: random.Random) -> Iterable[Record]:
    for (arm, way), rate in PLAIN.items():
        definition = Definition(path=arm, direction=way, frame_bytes=64, duration_s=1.0)
        for repeat in range(1, REPEATS + 1):
            got = rate * chance.gauss(1, 0.02)
            values = rates(390_000, got, 64) | {"cpu_busy": 0.998}
            yield record("quick/plain", arm, {"direction": way}, definition, repeat, values)


def _swept(arm: str, way: str, chance: random.Random, speed: float) -> Iterable[Record]:
    knee = KNEES[arm, way] * speed
    definition = Definition(
        path=arm, direction=way, frame_bytes=64, duration_s=1.0, slow_to_pps=30_000
    )
    for rate in RATES:
        point: dict[str, Scalar] = {"direction": way, "rate_pps": rate}
        for repeat in range(1, REPEATS + 1):
            values = _loaded(rate, knee, chance)
            yield record("quick/sweep", arm, point, definition, repeat, values)


def _loaded(rate: float, knee: float, chance: random.Random) -> dict[str, float]:
    busy = min(1.0, rate / knee)
    beyond = max(0.0, rate / knee - 1)
    most = knee * (1 - 0.02 * min(beyond, 1)) * chance.gauss(1, 0.004)
    p50 = 33_000_000.0 if beyond else 38_000 / max(0.12, 1 - 0.8 * busy)
    values = rates(rate, min(rate, most), 64)
    values["cpu_busy"] = min(1.0, busy * 0.99 * chance.gauss(1, 0.005) + 0.008)
    for name, times in (("p50", 1.0), ("p99", 1.08 if beyond else 2.4), ("p999", 4.0)):
        values[f"delay_{name}_ns"] = p50 * times * chance.gauss(1, 0.03)
    return values


def rates(offered: float, received: float, size: int) -> dict[str, float]:
    """UDP over IPv4: its rates on every layer."""
    return {
        "offered_pps": offered,
        "received_pps": received,
        "received_l1_bps": received * (size + L1_EXTRA) * 8,
        "received_l2_bps": received * size * 8,
        "received_l4_bps": received * payload_bytes(size, "ipv4") * 8,
        "loss_ratio": 1 - received / offered,
    }


def record(
    plan: str,
    arm: str,
    point: dict[str, Scalar],
    definition: Definition,
    repeat: int,
    values: dict[str, float],
) -> Record:
    levels = "/".join(str(level) for level in point.values())
    busy = values.get("cpu_busy")
    cpu = () if busy is None else (CpuReading(thread="napi/gw0", cpu=1, busy=busy),)
    return Record(
        trial=f"{plan}/{arm}/{levels}/{repeat}/outside",
        plan=plan,
        arm=arm,
        point=point,
        repeat=repeat,
        pass_="outside",  # noqa: S106
        sequence=0,
        status="ok",
        started="2026-11-21T16:15:10Z",
        definition=definition,
        values=values,
        evidence=Evidence(cpu=cpu),
    )


def accounting(tried: int, lost: int, **more: Any) -> Accounting:
    """Of packets that were due and tried; what is not given did not happen."""
    none = dict.fromkeys(
        ("refused", "duplicated", "reordered", "stale", "corrupt", "foreign", "ring_dropped"), 0
    )
    known = {**none, "interfaces": {}, "mismatch": {}, **more}
    return Accounting(scheduled=tried, tried=tried, unique=tried - lost, lost=lost, **known)


def median(samples: Sequence[float]) -> Interval:
    """Median of six with the range as its 97 % interval."""
    return Interval(statistics.median(samples), min(samples), max(samples), len(samples), 0.969)


def source(
    made: Run | None = None,
    records: Sequence[Record] | None = None,
    judged: Judgement | None = None,
    **more: Any,
) -> Source:
    """A run as a page needs it; what is not given is made up."""
    found = trials() if records is None else records
    return Source(run=made or run(), records=found, judgement=judged or judgement(), **more)


def keep(path: Path, records: Sequence[Record] | None = None, **changed: Any) -> RunDirectory:
    """The run on disk, with other records and facts where they are given."""
    directory = RunDirectory.create(path, replace(run(), **changed))
    kept = trials() if records is None else records
    # At once: a record at a time is on the disk before the next, which takes seconds in all.
    directory.trials_file.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in kept))
    return directory


def judgement(records: Sequence[Record] | None = None) -> Judgement:
    """A hand-made judgement of `trials()`."""
    return _own() if records is None else _judged(list(records))


@cache
def _own() -> Judgement:
    return frozen(_judged(trials()))


def _judged(found: Sequence[Record]) -> Judgement:
    judged = points(found)
    return Judgement(
        ceilings=tuple(p for p in judged if p.plan == "quick/ceiling"),
        points=tuple(p for p in judged if p.plan != "quick/ceiling"),
        knees=tuple(_knee(arm, way, judged) for arm, way in KNEES),
        sentence="This gateway routes 30.1 k packets/s of 64-byte frames and NATs 26.2 k; "
        "its one core is the limit.",
        warnings=(Warning_("drift", "Received fell by 1.2 % over the run; repeat it when idle."),),
        trials=len(found),
        invalid=1,
        missing=2,
    )


@cache
def nothing() -> Judgement:
    """A run that was cut before its first trial ended."""
    return Judgement(
        ceilings=(),
        points=(),
        knees=(),
        sentence="Nothing was measured.",
        warnings=(),
        trials=0,
        invalid=0,
        missing=12,
    )


def points(records: Sequence[Record]) -> list[PointResult]:
    kept: dict[tuple[object, ...], list[Record]] = {}
    for record in records:
        kept.setdefault((record.plan, record.arm, *record.point.items()), []).append(record)
    return [_point(same) for same in kept.values()]


def _point(same: Sequence[Record]) -> PointResult:
    first = same[0]
    values = {name: median([r.values[name] for r in same]) for name in first.values}
    limit: Limit = "tester" if first.definition.path == "direct" else "none"
    why = "the sender's core was busy 99 %" if limit == "tester" else ""
    if values.get("cpu_busy", Interval(0, 0, 0, 0, 0)).value > 0.97:
        limit, why = "cpu", "napi/gw0 busy 99.8 % of cpu 1"
    return PointResult(
        subject=Subject.of(first),
        values=values,
        limit=limit,
        why=why,
        at_least=False,
        invalid=1 if first.trial == "quick/sweep/nat/up/60000/1/outside" else 0,
    )


def _knee(arm: str, way: str, points: Sequence[PointResult]) -> Knee:
    mine = [
        p
        for p in points
        if p.plan == "quick/sweep" and (p.arm, p.definition.direction) == (arm, way)
    ]
    knee = float(KNEES[arm, way])
    near: Callable[[PointResult], float] = lambda p: p.values["received_pps"].value  # noqa: E731
    return Knee(
        subject=Subject(
            plan="quick/sweep",
            arm=arm,
            setup=arm,
            point={"direction": way},
            definition=mine[0].definition,
        ),
        direction=way,
        knee_pps=Interval(knee, knee * 0.994, knee * 1.005, REPEATS, 0.969),
        knee_l1_bps=knee * 84 * 8,
        peak_pps=max(mine, key=near).values["received_pps"],
        no_loss_pps=max(rate for rate in RATES if rate < knee),
        retained={"2x": Interval(0.981, 0.976, 0.985, REPEATS, 0.969)},
        limit="cpu",
        why="napi/gw0 busy 99.8 % of cpu 1",
        at_least=False,
        cpu_r2=0.9994,
    )
