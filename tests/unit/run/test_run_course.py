# SPDX-License-Identifier: Apache-2.0
"""What runs next: outside, more blocks where values spread, instrumented; same when resumed."""

from typing import Any

from msgspec.structs import replace

from gatemark.plan.model import Arm, Plan, Probe, Repeat, TrialSpec, Workload
from gatemark.plan.order import order
from gatemark.run.course import next_batch
from gatemark.run.kind import definition
from gatemark.store.record import Record
from gatemark.store.run import Run, StationInfo

PLAN = Plan(
    schema="gatemark.plan/1",
    title="",
    why="",
    reading="",
    name="s/p",
    arm=(Arm(path="route", name="route"), Arm(path="nat", name="nat")),
    workload=Workload(),
    sweep={"flows": (1, 64)},
    repeat=Repeat(times=6, spread=0.02, most=8),
    probe=Probe(use=("cpu",)),
)


def run_of(plan: Plan) -> Run:
    return Run(
        run="r",
        suite="s",
        title="",
        command=(),
        started="",
        seed=3,
        station=StationInfo(name="lab", kind="netns", virtual=True),
        plans=(plan,),
        trials=order([plan], 3),
    )


def record_of(spec: TrialSpec, rate_pps: float) -> Record:
    return Record(
        trial=spec.trial,
        plan=spec.plan,
        arm=spec.arm.name,
        point=dict(spec.point),
        repeat=spec.repeat,
        pass_=spec.pass_,
        sequence=spec.sequence,
        status="ok",
        started="",
        definition=definition(spec),
        values={"received_pps": rate_pps},
    )


def course(run: Run, rate: Any) -> list[TrialSpec]:
    """Every trial as it would run, each with the rate that `rate(spec)` says."""
    records: list[Record] = []
    ran: list[TrialSpec] = []
    while batch := next_batch(run, records):
        known = {spec.trial for spec in run.trials}
        run = replace(run, trials=(*run.trials, *(s for s in batch if s.trial not in known)))
        ran += batch
        records += [record_of(spec, rate(spec)) for spec in batch]
    return ran


def steady(_spec: TrialSpec) -> float:
    return 1000.0


def nat_with_64_flows_spreads(spec: TrialSpec) -> float:
    wild = spec.arm.name == "nat" and spec.point["flows"] == 64
    return 1000.0 + (60.0 * (spec.repeat % 2) if wild else 0.0)


def test_steady_values_are_measured_as_planned() -> None:
    run = run_of(PLAN)
    assert tuple(course(run, steady)) == run.trials


def test_a_point_that_spreads_is_repeated_for_all_arms_up_to_the_bound() -> None:
    further = [s for s in course(run_of(PLAN), nat_with_64_flows_spreads) if s.repeat > 6]
    assert [s.point["flows"] for s in further] == [64] * 4
    assert sorted((s.repeat, s.arm.name) for s in further) == [
        (7, "nat"),
        (7, "route"),
        (8, "nat"),
        (8, "route"),
    ]


def test_the_instrumented_pass_comes_last() -> None:
    passes = [s.pass_ for s in course(run_of(PLAN), nat_with_64_flows_spreads)]
    assert passes == sorted(passes, key=["outside", "instrumented"].index)


def test_a_warm_up_comes_first_and_is_not_sent_again() -> None:
    run = run_of(replace(PLAN, repeat=Repeat(times=1, warmup=1)))
    warmups = [spec for spec in run.trials if spec.pass_ == "warmup"]
    assert next_batch(run, [])[: len(warmups)] == warmups
    left = next_batch(run, [record_of(spec, 1000.0) for spec in warmups])
    assert [spec.pass_ for spec in left] == ["outside"] * 4


def test_a_warm_up_is_no_repeat_that_settles_a_point() -> None:
    plan = replace(PLAN, repeat=replace(PLAN.repeat, warmup=1))
    plain, warmed = (
        [spec.trial for spec in course(run_of(each), nat_with_64_flows_spreads) if spec.repeat > 6]
        for each in (PLAN, plan)
    )
    assert sorted(plain) == sorted(warmed)


def test_trials_are_numbered_without_a_gap() -> None:
    ran = course(run_of(PLAN), nat_with_64_flows_spreads)
    assert sorted(s.sequence for s in ran) == list(range(len(ran)))


def test_no_trial_runs_twice() -> None:
    names = [s.trial for s in course(run_of(PLAN), nat_with_64_flows_spreads)]
    assert len(set(names)) == len(names)


def test_without_a_gate_nothing_is_added() -> None:
    run = run_of(replace(PLAN, repeat=Repeat(times=2)))
    assert tuple(course(run, nat_with_64_flows_spreads)) == run.trials


def test_a_rate_sweep_is_repeated_whole() -> None:
    """A knee needs every rate of a repeat, not only those beyond it, which spread."""
    swept = replace(PLAN, sweep={"flows": (1, 64), "rate_pps": (1000, 2000, 3000)})

    def spreads(spec: TrialSpec) -> float:
        wild = spec.point == {"flows": 64, "rate_pps": 3000}
        return 1000.0 + (60.0 * (spec.repeat % 2) if wild else 0.0)

    further = [s for s in course(run_of(swept), spreads) if s.repeat > 6]
    assert {s.point["flows"] for s in further} == {64}
    assert sorted(s.point["rate_pps"] for s in further if s.repeat == 7) == [
        *(1000, 1000),
        *(2000, 2000),
        *(3000, 3000),
    ]
