# SPDX-License-Identifier: Apache-2.0
"""Simulated trials: a gateway of known capacity, and what a trial of it would leave behind."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gatemark.judge.point.group import Group, group
from gatemark.judge.point.knee import Sample
from gatemark.plan.model import PLAN_SCHEMA, Arm, Gateway, Plan, TrialSpec, Workload
from gatemark.store.record import Accounting, CpuReading, Definition, Evidence, Record, Scalar
from gatemark.store.run import Run, StationInfo
from gatemark.unit import l1_bps

NOTHING_READ = Evidence()
STEPS = (0.2, 0.4, 0.6, 0.8, 0.9, 1.0, 1.1, 1.2, 1.4, 1.6, 1.8, 2.1)


@dataclass(frozen=True)
class Simulated:
    """received = offered up to `knee`, then knee + slope (offered - knee); with noise."""

    knee: float
    slope: float = 0.0
    jitter: float = 0.0  # of the capacity, from trial to trial
    hiccups: float = 0.0  # most that is lost below the knee

    def received(self, offered: float, chance: random.Random) -> float:
        beyond = max(0.0, offered - self.knee)
        most = self.knee + self.slope * beyond
        carried = offered if not beyond else most * chance.gauss(1, self.jitter)
        return max(0.0, min(offered, carried) * (1 - self.hiccups * chance.random()))

    def curve(self, chance: random.Random, steps: Iterable[float] = STEPS) -> list[Sample]:
        rates = [self.knee * step * 1.003 for step in steps]  # not on the knee itself
        return [Sample(rate, self.received(rate, chance)) for rate in rates]


@dataclass(frozen=True)
class Trial:
    """One trial, told by its rates; `record` fills in what follows from them."""

    offered: float = 20_000.0
    received: float | None = None  # None: all of it
    repeat: int = 1
    instrumented: bool = False
    status: str = "ok"
    path: str = "route"
    direction: str = "up"
    frame_bytes: int = 64
    slowdown: int = 0
    scheduled: float | None = None  # None: what was offered; 0: as fast as it goes
    refused: float = 0.0
    ring_dropped: int = 0
    busy: float = 0.3
    sequence: int = 0
    more: Evidence = NOTHING_READ

    def record(self) -> Record:
        got = self.offered if self.received is None else self.received
        scheduled = self.offered if self.scheduled is None else self.scheduled
        definition = Definition(
            path=self.path,
            direction=self.direction,
            frame_bytes=self.frame_bytes,
            slow_to_pps=self.slowdown,
            duration_s=1.0,
        )
        rate = round(scheduled)
        which = "instrumented" if self.instrumented else "outside"
        return Record(
            trial=f"sweep/{self.path}/{self.direction}/{rate}/{self.repeat}/{which}",
            plan="sweep",
            arm=self.path,
            point={"rate_pps": rate, "direction": self.direction},
            repeat=self.repeat,
            pass_="instrumented" if self.instrumented else "outside",
            sequence=self.sequence,
            status=self.status,  # type: ignore[arg-type]
            started="2026-11-21T16:15:00Z",
            definition=definition,
            values={
                "offered_pps": self.offered,
                "received_pps": got,
                "received_l1_bps": l1_bps(got, self.frame_bytes),
                "cpu_busy": self.busy,
            },
            accounting=self._accounting(round(scheduled), round(got)),
            evidence=self._evidence(scheduled),
        )

    def _evidence(self, scheduled: float) -> Evidence:
        known = {name: getattr(self.more, name) for name in self.more.__struct_fields__}
        ratio = self.offered / scheduled if scheduled else None
        known |= {"cpu": (CpuReading(thread="napi/gw0", cpu=1, busy=self.busy),)}
        return Evidence(**(known | {"schedule_ratio": ratio}))

    def _accounting(self, scheduled: int, unique: int) -> Accounting:
        tried = round(self.offered)
        return Accounting(
            scheduled=scheduled,
            tried=tried,
            refused=round(self.refused),
            unique=unique,
            lost=tried - unique,
            duplicated=0,
            reordered=0,
            stale=0,
            corrupt=0,
            foreign=0,
            ring_dropped=self.ring_dropped,
            interfaces={},
            mismatch={},
        )


def trials(trial: Trial, repeats: int = 6, instrumented: Evidence | None = None) -> Group:
    """One point: the same trial again and again, and once with probes."""
    found = [replace(trial, repeat=i + 1, sequence=i).record() for i in range(repeats)]
    if instrumented is not None:
        found.append(
            replace(trial, instrumented=True, more=instrumented, sequence=repeats).record()
        )
    (point,) = group(found)
    return point


def sweep(
    gateway: Simulated, rates: Sequence[float], repeats: int = 6, seed: int = 1, **fields: Any
) -> list[Record]:
    """All trials of a rate sweep; the CPU is a straight line up to the knee."""
    chance = seeded(seed)
    found: list[Record] = []
    for repeat in range(1, repeats + 1):
        for rate in rates:
            got = gateway.received(rate, chance)
            busy = min(0.999, rate / gateway.knee)
            trial = Trial(rate, got, repeat, refused=rate - got, busy=busy, sequence=len(found))
            found.append(replace(trial, **fields).record())
    return found


def run(records: Sequence[Record] = (), *, virtual: bool = True, kind: str = "netns") -> Run:
    """The run that planned these records."""
    arms = (Arm(path="route", name="route"), Arm(path="nat", name="nat"))
    plan = Plan(schema=PLAN_SCHEMA, name="sweep", title="t", why="w", reading="r", arm=arms)
    return Run(
        run="20261121-161500-sweep",
        suite="sweep",
        title="t",
        command=("gatemark", "run", "sweep"),
        started="2026-11-21T16:15:00Z",
        seed=1,
        station=StationInfo(name="lab", kind=kind, virtual=virtual),
        plans=(plan,),
        trials=tuple(spec(record.trial, record.point) for record in records),
    )


def spec(trial: str, point: dict[str, Scalar]) -> TrialSpec:
    return TrialSpec(
        trial=trial,
        plan="sweep",
        arm=Arm(path="route", name="route"),
        gateway=Gateway(),
        workload=Workload(),
        point=point,
        repeat=1,
        pass_="outside",  # noqa: S106 - not a password
    )


def seeded(seed: int) -> random.Random:
    return random.Random(seed)
