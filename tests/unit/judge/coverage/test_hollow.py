# SPDX-License-Identifier: Apache-2.0
"""Hollow runs: what looks as if it showed a row, and holds no value that the row asks for."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sample
from msgspec.structs import replace

from gatemark.judge.coverage import measured
from gatemark.judge.coverage.coverage import coverage, holding
from gatemark.judge.judge import judge
from gatemark.judge.judgement import Judgement
from gatemark.judge.values import values
from gatemark.plan.load import load
from gatemark.plan.model import NEW, OLD
from gatemark.store.directory import RunDirectory
from gatemark.store.record import CpuReading, Evidence, Record
from gatemark.store.run import AB, UNKNOWN, Run, Side, StationInfo
from gatemark.store.study.requirement import Need, Requirement, requirements
from gatemark.tell.group.source import Source, judged

TCP, UDP = "quick/tcp", "quick/speed"  # plans of the sample, which claim K21 and P08


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Source:
    """The run of `quick` that README shows."""
    path: Path = sample.unpack(tmp_path_factory.mktemp("sample"))
    return judged(RunDirectory.open(path).contents(), path, drawn=False)


def state(
    name: str, need: Need, run: Run, records: Sequence[Record], judgement: Judgement | None = None
) -> str:
    """The state of a row with this need, by one run."""
    (row,) = [row for row in requirements() if row.name == name]
    kept = {field: getattr(row, field) for field in row.__struct_fields__} | {"need": need}
    held = holding("planted", run, records, judgement or judge(run, records))
    return coverage([Requirement(**kept)], run.plans, [held])[0].state


def own(source: Source, plan: str, **point: Any) -> list[Record]:
    """The gateway's records of a plan at these levels."""
    return [
        record
        for record in source.records
        if record.plan == plan
        and record.definition.path != "direct"
        and point.items() <= record.point.items()
    ]


EMPTY = ["", "  ", UNKNOWN, "Unknown\n", None, [], {}, {"lan0": ""}, [UNKNOWN]]


@pytest.mark.parametrize("fact", EMPTY)
def test_an_empty_fact_shows_no_row(quick: Source, fact: object) -> None:
    need = Need(every=True, yields=("inventory.switch",))
    for switch, expected in (("AR8327", "shown"), (fact, "planned")):
        run = replace(quick.run, before={"gateway": {"switch": switch}})
        assert state("B12", need, run, quick.records, quick.judgement) == expected


@pytest.mark.parametrize("table", [{}, {"total_bytes": None}, {"note": UNKNOWN}])
def test_an_empty_table_shows_no_row(quick: Source, table: dict[str, Any]) -> None:
    need = Need(yields=("evidence.memory",))
    for memory, expected in (({"total_bytes": 1}, "shown"), (table, "planned")):
        planted = [replace(r, evidence=Evidence(memory=memory)) for r in own(quick, UDP)]
        assert state("P08", need, quick.run, planted) == expected


def test_a_count_of_nothing_shows_no_row(quick: Source) -> None:
    need = Need(yields=("evidence.offload.hardware_entries",))
    for entries, expected in ((3, "shown"), (0, "planned")):
        offload = {"usual": 9, "hardware_entries": entries}
        planted = [replace(r, evidence=Evidence(offload=offload)) for r in own(quick, UDP)]
        assert state("P08", need, quick.run, planted) == expected


def test_a_meter_of_the_whole_machine_is_none_of_the_gateway_s(quick: Source) -> None:
    need = Need(yields=("metered",))
    for meter, expected in (("tasmota", "shown"), ("rapl", "planned"), ("", "planned")):
        planted = [replace(r, evidence=Evidence(meter=meter)) for r in own(quick, UDP)]
        assert state("P08", need, quick.run, planted) == expected


def test_a_value_that_is_no_number_shows_no_row(quick: Source) -> None:
    need = Need(yields=("goodput_bps",))
    planted = [replace(r, values={"goodput_bps": math.nan}) for r in own(quick, TCP)]
    assert state("K21", need, quick.run, planted) == "planned"


def test_a_core_that_did_nothing_is_not_at_work(quick: Source) -> None:
    need = Need(yields=("cores",))
    for busy, expected in ((0.4, "shown"), (0.0, "planned")):
        loads = [
            CpuReading(thread=f"napi/{n}", cpu=n, busy=own) for n, own in ((0, 1.0), (1, busy))
        ]
        planted = [replace(r, evidence=Evidence(cpu=tuple(loads))) for r in own(quick, UDP)]
        assert state("P08", need, quick.run, planted) == expected


def going(record: Record, direction: str) -> Record:
    """The trial in this direction."""
    definition = replace(record.definition, direction=direction)
    return replace(record, point=record.point | {"direction": direction}, definition=definition)


def test_a_level_of_another_quantity_shows_no_row(quick: Source) -> None:
    """UDP came down, TCP went up: no goodput down."""
    need = Need(yields=("goodput_bps",), levels={"direction": ("down",)})
    up, down = ([going(r, way) for r in own(quick, TCP)] for way in ("up", "down"))
    udp = [replace(r, plan=TCP) for r in own(quick, UDP, direction="down")]
    assert state("K21", need, quick.run, [*up, *down]) == "shown"
    assert state("K21", need, quick.run, [*up, *udp]) == "planned"


@pytest.mark.parametrize(("costs", "expected"), [({"packet_ns": 1.0}, "shown"), ({}, "planned")])
def test_a_ladder_whose_steps_have_no_cost_shows_no_row(
    quick: Source, costs: dict[str, float], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ladder = SimpleNamespace(plan=UDP, steps=[SimpleNamespace(costs=costs)])
    judgement = replace(quick.judgement, ladders=(ladder,))
    monkeypatch.setattr(measured, "values", lambda _: [])
    assert state("P08", Need(yields=("step",)), quick.run, own(quick, UDP), judgement) == expected


@pytest.mark.parametrize(("holds", "expected"), [("holds", "shown"), ("cannot be told", "planned")])
def test_a_claim_that_cannot_be_told_shows_no_row(
    quick: Source, holds: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = SimpleNamespace(plan=UDP, holds=holds)
    monkeypatch.setattr(measured, "claims", lambda *_: [planted])
    need = Need(yields=("claims",))
    assert state("P08", need, quick.run, own(quick, UDP), quick.judgement) == expected


@pytest.mark.parametrize(
    ("feature", "expected"), [("classify:jumping", "shown"), ("classify:sliding", "planned")]
)
def test_a_quantity_of_a_feature_is_that_of_an_arm_with_it(
    quick: Source, feature: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The way stands before a flow's quantities: `up.queue_first_ns`."""
    value = next(v for v in values(quick.judgement) if v.plan == TCP)
    classified = replace(value.definition, path="nat", features=("classify:jumping",))
    first = replace(value, quantity="up.queue_first_ns", definition=classified)
    monkeypatch.setattr(measured, "values", lambda _: [first])
    need = Need(yields=(f"queue_first_ns of {feature}",))
    assert state("K21", need, quick.run, own(quick, TCP), quick.judgement) == expected


def test_an_arm_of_another_quantity_shows_no_row(quick: Source) -> None:
    need = Need(yields=("goodput_bps",), arms=("route",))
    nat = own(quick, TCP)
    route = [replace(r, plan=TCP) for r in own(quick, UDP) if r.definition.path == "route"]
    assert nat
    assert route
    assert state("K21", need, quick.run, [*nat, *route]) == "planned"


def test_two_arms_at_a_level_each_show_no_factor_that_varies(quick: Source) -> None:
    need = Need(yields=("received_pps",), over=("direction",))
    records = own(quick, UDP)
    split = [r for r in records if (r.definition.path == "nat") == (r.point["direction"] == "up")]
    assert state("P08", need, quick.run, records) == "shown"
    assert {r.point["direction"] for r in split} == {"up", "down"}
    assert state("P08", need, quick.run, split) == "planned"


SHAPED = {"up": "shape:htb2:0.95", "down": "shape:htb2:14.25"}


@pytest.mark.parametrize(("down", "expected"), [("route", "shown"), ("other", "planned")])
def test_an_arm_whose_features_follow_the_line_is_one_arm(
    quick: Source, down: str, expected: str
) -> None:
    """A shaper of 95 % has another rate on each line."""
    need = Need(yields=("received_pps",), arms=("shape:htb2",), over=("direction",))
    route = [r for r in own(quick, UDP) if r.arm == "route"]
    shaped = [
        replace(
            r,
            arm=down if r.point["direction"] == "down" else "route",
            definition=replace(r.definition, features=(SHAPED[str(r.point["direction"])],)),
        )
        for r in route
    ]
    assert {r.point["direction"] for r in shaped} == {"up", "down"}
    assert state("P08", need, quick.run, shaped) == expected


def test_what_the_plan_says_is_not_what_its_trials_were(quick: Source) -> None:
    """A plan of 20 s whose trials lasted one."""
    (plan,) = [plan for plan in quick.run.plans if plan.name == TCP]
    run = replace(quick.run, plans=(replace(plan, workload=replace(plan.workload, duration_s=20)),))
    need = Need(yields=("goodput_bps",), levels={"duration_s": ("20",)})
    for duration_s, expected in ((20.0, "shown"), (1.0, "planned")):
        records = [
            replace(r, definition=replace(r.definition, duration_s=duration_s))
            for r in own(quick, TCP)
        ]
        assert state("K21", need, run, records) == expected


def side(facts: Mapping[str, str], *, virtual: bool = True) -> Side:
    station = StationInfo(name="bench", kind="ssh", virtual=virtual)
    return Side(name="", station_file="", station=station, inventory={"gateway": dict(facts)})


def ab_state(quick: Source, name: str, old: Side, new: Side) -> str:
    """The state of a row by an A/B test of these sides, each of which was measured."""
    plan = load("cost/ab-ndr")[1][0]
    run = replace(quick.run, plans=(plan,), ab=AB(old=old, new=new))
    (row,) = [row for row in requirements() if row.name == name]
    records = [
        replace(r, plan=plan.name, arm=arm, values={"throughput_pps": 1e5})
        for r in own(quick, UDP, direction="up")
        for arm in (OLD, NEW)
    ]
    return state(name, row.need, run, records)


PLAIN = {"processor": "MIPS 24Kc V7.4", "kernel": "5.15", "firmware": "OpenWrt 22.03"}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, "planned"),
        ({"kernel": "6.6"}, "shown"),
        ({"kernel": UNKNOWN}, "planned"),
        ({"kernel": "6.6", "processor": "another"}, "planned"),  # two boxes
    ],
)
def test_an_ab_test_shows_two_firmwares_of_one_box(
    quick: Source, change: dict[str, str], expected: str
) -> None:
    assert ab_state(quick, "B13", side(PLAIN), side(PLAIN | change)) == expected


@pytest.mark.parametrize(
    ("firmware", "virtual", "expected"),
    [
        ("TP-LINK 3.13.4", False, "shown"),
        ("TP-LINK 3.13.4", True, "in part"),
        ("OpenWrt 23.05", False, "in part"),
    ],
)
def test_a_factory_s_firmware_is_no_other_release_of_openwrt_s(
    quick: Source, firmware: str, expected: str, *, virtual: bool
) -> None:
    old = side(PLAIN | {"firmware": firmware}, virtual=virtual)
    assert ab_state(quick, "D12", old, side(PLAIN, virtual=virtual)) == expected
