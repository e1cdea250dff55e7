# SPDX-License-Identifier: Apache-2.0
"""Measure a small plan on a lab of its own, with something planted in it."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping
from typing import TypeVar

import pytest
from msgspec.structs import replace

from gatemark.judge.judge import judge
from gatemark.judge.judgement import Judgement
from gatemark.plan.model import Arm, Gateway, Plan, Probe, Repeat, TrialSpec, Workload
from gatemark.plan.order import order
from gatemark.run import trial
from gatemark.run.bench import Bench
from gatemark.station import lock
from gatemark.station.netns import Lab
from gatemark.station.recover import recover
from gatemark.station.station import Station
from gatemark.store.record import Record
from gatemark.store.run import Run
from gatemark.store.series import Series

Key = TypeVar("Key", bound=Hashable)
Plant = Callable[[Bench], Awaitable[None]]

ALL_PROBES = ("cpu", "softirq", "memory", "conntrack", "interfaces", "shaper")


def plan(
    arm: str | Arm,
    load: Workload,
    *,
    slow_to_pps: int = 0,
    repeats: int = 1,
    name: str = "test/plan",
) -> Plan:
    """A plan of one arm, measured in both passes."""
    return Plan(
        schema="gatemark.plan/1",
        title="",
        why="",
        reading="",
        name=name,
        arm=(Arm(path=arm, name=arm) if isinstance(arm, str) else arm,),  # type: ignore[arg-type]
        workload=load,
        gateway=Gateway(slow_to_pps=slow_to_pps),
        repeat=Repeat(times=repeats),
        probe=Probe(use=ALL_PROBES),
    )


def bare(planned: Plan) -> Plan:
    """The same from outside alone: half of the trials."""
    return replace(planned, probe=Probe())


def measure(*plans: Plan, plant: Plant | None = None) -> tuple[Judgement, list[Record]]:
    """Run plans on a lab of their own, with `plant` done to it first; judge what came out."""
    return asyncio.run(_measure(plans, plant))


def measure_each(plans: Mapping[Key, Plan]) -> dict[Key, Record]:
    """Each plan's one trial, without probes, all on the same lab."""
    numbered = [
        replace(bare(planned), name=f"test/{number}")
        for number, planned in enumerate(plans.values())
    ]
    _, records = measure(*numbered)
    by_plan = {record.plan: record for record in records}
    return {key: by_plan[planned.name] for key, planned in zip(plans, numbered, strict=True)}


def wanted(request: pytest.FixtureRequest, name: str, cases: Iterable[Key]) -> list[Key]:
    """Of the cases those that a test of this session and module has as its parameter `name`."""
    items = [item for item in request.session.items if item.path == request.path]
    chosen = {call.params.get(name) for item in items if (call := getattr(item, "callspec", None))}
    return [case for case in cases if case in chosen]


async def _measure(plans: tuple[Plan, ...], plant: Plant | None) -> tuple[Judgement, list[Record]]:
    recover()
    lab = Lab()
    trials = order(plans, seed=1)
    records: list[Record] = []
    sheaf: dict[str, Series] = {}
    async with Bench(lab) as bench:
        if plant:
            await plant(bench)
        for spec in trials:
            with lock.machine(print):
                record, series = await trial.run(bench, spec, lambda *_: None)
            records.append(replace(record, series=spec.trial))
            sheaf[spec.trial] = series
    return judge(a_run(lab, plans, trials), records, sheaf=sheaf), records


def a_run(lab: Station, plans: tuple[Plan, ...], trials: tuple[TrialSpec, ...]) -> Run:
    """What a run of these plans on a lab keeps of itself."""
    return Run(
        run="test",
        suite="test",
        title="",
        command=(),
        started="",
        seed=1,
        station=lab.info,
        plans=plans,
        trials=trials,
    )
