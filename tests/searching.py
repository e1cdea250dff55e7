# SPDX-License-Identifier: Apache-2.0
"""A made-up gateway to search: from a rate to what is lost, as records of trials."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from msgspec.structs import replace

from gatemark.plan.model import PLAN_SCHEMA, Arm, Plan, Repeat, Search, TrialSpec, Workload
from gatemark.plan.order import order
from gatemark.run.kind import definition
from gatemark.run.search.follow import is_outcome
from gatemark.run.search.seek import Doing, seek
from gatemark.run.search.standing import Standing
from gatemark.store.record import Accounting, CpuReading, Evidence, Record
from gatemark.store.run import Run, StationInfo

TESTER_PPS = 1_000_000.0
PLANNED = {"name": "s/p", "arm": (Arm(path="route", name="route"),), "repeat": Repeat(times=1)}


@dataclass(frozen=True)
class Made:
    """Forwards up to `knee_pps` and queues so many packets; the tester sends up to `tester_pps`."""

    knee_pps: float
    queue: int = 0
    tester_pps: float = TESTER_PPS
    hiccup: Callable[[int], int] = lambda _: 0  # the trial's number -> packets lost all the same

    def counts(self, spec: TrialSpec, number: int) -> tuple[int, int, int, float]:
        """Scheduled, tried, lost, and the rate of sending; of one direction."""
        load = spec.workload
        rate = min(load.rate_pps or self.tester_pps, self.tester_pps)
        scheduled = round(load.rate_pps * load.duration_s)
        tried = load.packets or round(rate * load.duration_s)
        takes = self.knee_pps * tried / rate + self.queue
        lost = max(0, round(tried - takes), self.hiccup(number))
        return (min(scheduled, load.packets) if load.packets else scheduled), tried, lost, rate


def plan(search: Search | None, load: Workload | None = None, **keys: object) -> Plan:
    """A plan of one arm with this search, or without one."""
    return Plan(
        schema=PLAN_SCHEMA,
        title="t",
        why="w",
        reading="r",
        workload=load or Workload(),
        **{**PLANNED, "search": search, **keys},  # type: ignore[arg-type]
    )


def frame(spec: TrialSpec) -> Record:
    """A record with nothing measured in it."""
    return Record(
        trial=spec.trial,
        plan=spec.plan,
        arm=spec.arm.name,
        point=dict(spec.point),
        repeat=spec.repeat,
        pass_=spec.pass_,
        sequence=spec.sequence,
        status="ok",
        started="2026-11-21T16:15:00.000+00:00",
        definition=definition(spec),
    )


def measured(made: Made, spec: TrialSpec, number: int) -> Record:
    """What a trial through the made-up gateway leaves behind."""
    ways = 2 if spec.workload.direction == "both" else 1
    scheduled, tried, lost, rate = made.counts(spec, number)
    got = rate * (tried - lost) / tried
    counted = dict.fromkeys(("duplicated", "reordered", "stale", "corrupt", "foreign"), 0)
    busy = min(1.0, rate / made.knee_pps)
    return replace(
        frame(spec),
        values={
            "offered_pps": ways * rate,
            "received_pps": ways * got,
            "loss_ratio": lost / tried,
            "delay_p50_ns": 1000.0 + number,
            "cpu_busy": busy,
        },
        accounting=Accounting(
            scheduled=ways * scheduled,
            tried=ways * tried,
            refused=ways * lost,
            unique=ways * (tried - lost),
            lost=ways * lost,
            ring_dropped=0,
            interfaces={},
            mismatch={},
            **counted,
        ),
        evidence=Evidence(
            schedule_ratio=tried / scheduled if scheduled else None,
            cpu=(CpuReading(thread="napi/gw0", cpu=1, busy=busy),),
        ),
    )


@dataclass
class Searched:
    """A whole search: its steps, what it found, how it stood before each step."""

    specs: tuple[TrialSpec, ...]
    records: list[Record]
    told: list[Standing]

    @property
    def steps(self) -> list[Record]:
        return [record for record in self.records if record.pass_ == "search"]

    @property
    def outcomes(self) -> dict[str, Record]:
        return {str(r.point["goal"]): r for r in self.records if r.pass_ == "outside"}


class CutError(Exception):
    """The run was cut."""


def searched(
    made: Made,
    search: Search,
    load: Workload | None = None,
    *,
    kept: Sequence[Record] = (),
    cut: int = 1_000_000,
    spoil: Callable[[int], str] = lambda _: "",
) -> Searched:
    """Search the made-up gateway; `cut` after so many steps, `spoil` says why one is invalid."""
    specs = order([plan(search, load)], seed=1)
    found = Searched(specs, [], [])

    async def measure(spec: TrialSpec) -> Record:
        number = len(kept) + len(found.steps) + 1
        if number > cut:
            raise CutError
        record = measured(made, spec, number)
        why = spoil(number)
        return replace(record, status="invalid", reason=why) if why else record

    doing = Doing(measure, frame, found.records.append, found.told.append)
    goals = [spec for spec in specs if is_outcome(spec)]
    with suppress(CutError):
        asyncio.run(seek(goals, kept, doing))
    return found


def run_of(found: Searched, *plans: Plan) -> Run:
    """The run that it was part of."""
    return Run(
        run="20261121-161500-p",
        suite="s",
        title="t",
        command=("gatemark", "run", "s/p"),
        started="2026-11-21T16:15:00Z",
        seed=1,
        station=StationInfo(name="lab", kind="netns", virtual=True),
        plans=plans,
        trials=found.specs,
    )
