# SPDX-License-Identifier: Apache-2.0
"""Rows of the studies: every claim of a plan is true, and a false one is found."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import sample
from claimed import faults
from msgspec.structs import replace

from gatemark.judge.coverage.coverage import Covered, coverage, holding
from gatemark.judge.judge import judge
from gatemark.plan.load import load, suites
from gatemark.plan.model import NEW, OLD, Plan
from gatemark.store.directory import RunDirectory
from gatemark.store.run import AB, UNKNOWN, Run, Side
from gatemark.store.study.requirement import Need, Requirement, requirements
from gatemark.tell.group.source import Source, judged

AIR = "no Wi-Fi (its rate is the air's, and no two runs share the air)"


@cache
def rows_of_studies() -> Sequence[Requirement]:
    return requirements()


@cache
def shipped(name: str) -> Plan:
    return load(name)[1][0]


@cache
def planned() -> Sequence[Plan]:
    """The plans of the run that README shows."""
    return load("quick")[1]


def named(*names: str) -> list[Requirement]:
    return [row for row in rows_of_studies() if row.name in names]


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Source:
    """The run of `quick` that README shows."""
    path: Path = sample.unpack(tmp_path_factory.mktemp("sample"))
    return judged(RunDirectory.open(path).contents(), path, drawn=False)


def one_row(name: str, need: Need) -> list[Requirement]:
    (row,) = named(name)
    return [Requirement(**fields(row) | {"need": need})]


def fields(row: Requirement) -> dict[str, Any]:
    return {name: getattr(row, name) for name in row.__struct_fields__}


def state(rows: list[Covered], name: str) -> Covered:
    return next(row for row in rows if row.requirement.name == name)


def test_every_claim_of_the_plans_that_ship_is_true() -> None:
    plans = [plan for name in suites() for plan in load(name)[1]]
    varied = [load(plan.name, variant)[1][0] for plan in plans for variant in plan.variants]
    assert faults(rows_of_studies(), [*plans, *varied]) == []
    row = state(coverage(rows_of_studies(), plans), "K42")
    assert (row.state, row.why) == ("in part", (f"{AIR}, and no adaptation proxy",))


@pytest.mark.parametrize(
    ("plan", "claimed", "fault"),
    [
        ("rfc/reset", "K99", "rfc/reset: no row K99"),
        ("rfc/reset", "K14", "K14: rfc/reset claims it and yields no goodput_bps"),
        ("rfc/reset", "D32", "D32: rfc/reset claims it, and rows.toml says that no plan does"),
        ("quick/tcp", "K20", "K20: quick claims it whole: write_bytes does not vary, "
         "offload does not vary"),
    ],
)  # fmt: skip
def test_a_false_claim_is_found(plan: str, claimed: str, fault: str) -> None:
    plans = [replace(shipped(plan), rows=(claimed,), lacks={})]
    assert faults(named(claimed), plans)[:1] == [fault]


def test_a_row_that_nobody_claims_is_found() -> None:
    plans = [replace(shipped("kofler/block-size"), rows=(), lacks={})]
    assert faults(named("K14"), plans) == ["K14: no plan asks it, and rows.toml does not say why"]
    assert coverage(named("K14"), plans)[0].state == "missing"


def test_a_part_of_a_row_that_is_not_claimed_is_found() -> None:
    plans = [replace(shipped("rfc/reset"), rows=(), lacks={"K01": "all"})]
    assert faults([], plans) == ["rfc/reset: lacks K01, and does not claim it"]


def test_a_run_shows_what_it_holds_and_nothing_else(quick: Source) -> None:
    run = holding("sample", quick.run, quick.records, quick.judgement)
    rows = coverage(rows_of_studies(), planned(), [run])
    shown = {row.requirement.name for row in rows if row.state == "shown"}
    assert {"K21", "K27", "K28", "K30", "P08", "D16"} <= shown
    assert shown.isdisjoint({"K03", "K14", "K33", "P02", "R02", "R11", "D01", "P18"})
    assert [at.run for at in state(rows, "K27").shown] == ["sample"]


def test_a_run_whose_trials_do_not_count_shows_nothing(quick: Source) -> None:
    lost = [replace(record, status="invalid") for record in quick.records]
    run = holding("sample", quick.run, lost, quick.judgement)
    rows = coverage(rows_of_studies(), planned(), [run])
    assert not any(row.state == "shown" for row in rows)


def test_two_runs_of_one_gateway_are_no_two_gateways(quick: Source) -> None:
    pair = one_row("K21", Need(yields=("goodput_bps",), runs=2))
    box = replace(quick.run, station=replace(quick.run.station, virtual=False))
    attic = replace(box, station=replace(box.station, name="attic"))
    faster = replace(box, before={"gateway": {"processor": "faster"}})
    first, again, second, third, virtual = (
        holding(str(place), run, quick.records, quick.judgement)
        for place, run in enumerate((box, box, attic, faster, quick.run))
    )
    assert coverage(pair, planned(), [virtual, second])[0].state == "planned"
    assert coverage(pair, planned(), [first])[0].state == "planned"
    assert coverage(pair, planned(), [first, again])[0].state == "planned"
    assert coverage(pair, planned(), [first, again, second])[0].state == "shown"
    assert coverage(pair, planned(), [first, third])[0].state == "shown"


def test_runs_of_one_gateway_show_together_what_none_has_alone(quick: Source) -> None:
    both = one_row("P08", Need(yields=("received_pps",), over=("direction",)))
    attic = replace(quick.run, station=replace(quick.run.station, name="attic"))
    ways = [[r for r in quick.records if r.definition.direction == way] for way in ("up", "down")]
    first, second, elsewhere = (
        holding(name, run, records, judge(run, records))
        for name, run, records in (
            ("1", quick.run, ways[0]),
            ("2", quick.run, ways[1]),
            ("3", attic, ways[1]),
        )
    )
    assert coverage(both, planned(), [first, elsewhere])[0].state == "planned"
    (row,) = coverage(both, planned(), [first, second])
    assert (row.state, [at.run for at in row.shown]) == ("shown", ["1", "2"])


def test_what_the_tester_did_alone_shows_no_row_of_a_gateway(quick: Source) -> None:
    direct = [record for record in quick.records if record.definition.path == "direct"]
    judgement = judge(quick.run, direct)
    alone = holding("alone", quick.run, direct, judgement)
    need = Need(yields=("goodput_bps", "evidence.sender_cpu"))
    for arms, expected in (((), "planned"), (("direct",), "shown")):
        row = one_row("K21", replace(need, arms=arms))
        assert coverage(row, planned(), [alone])[0].state == expected
    ceiling = one_row("K21", Need(yields=("ceiling",)))
    assert coverage(ceiling, planned(), [alone])[0].state == "shown"


def test_levels_that_the_tester_alone_had_are_not_the_gateways(quick: Source) -> None:
    plan = next(plan for plan in quick.run.plans if "K21" in plan.rows)
    swept = replace(plan, sweep={"streams": (1, 2)})
    records = [
        replace(r, point={**r.point, "streams": 2 if r.definition.path == "direct" else 1})
        for r in quick.records
    ]
    run = replace(quick.run, plans=(swept,))
    row = one_row("K21", Need(yields=("goodput_bps",), over=("streams",)))
    kept = holding("sample", run, records, quick.judgement)
    assert coverage(row, planned(), [kept])[0].state == "planned"


FACTS = ("soc", "processor", "cpu_mhz", "memory", "memory_mhz", "flash", "bus", "bus_mhz", "nics")


def inventoried(run: Run, **facts: str) -> Run:
    """The run with this inventory of its gateway and nothing else."""
    return replace(run, before={"gateway": dict.fromkeys((*FACTS, "wireless"), "known") | facts})


def held_state(quick: Source, run: Run, name: str) -> str:
    """The state of a row by one run, which has the records of the sample."""
    own = holding("sample", run, quick.records, quick.judgement)
    return coverage(named(name), planned(), [own])[0].state


@pytest.mark.parametrize("empty", ["", UNKNOWN])
def test_a_fact_that_is_not_known_shows_no_row(quick: Source, empty: str) -> None:
    assert held_state(quick, inventoried(quick.run), "K03") == "shown"
    assert held_state(quick, inventoried(quick.run, flash=empty), "K03") == "in part"


def test_what_the_runs_lack_of_a_row_is_told(quick: Source) -> None:
    known = inventoried(quick.run, conntrack_max="262144", conntrack_buckets=UNKNOWN)
    run = holding("1", known, quick.records, quick.judgement)
    (row,) = coverage(named("D16"), planned(), [run])
    assert (row.state, row.why) == ("planned", ("no inventory.conntrack_buckets",))


def ab_row(quick: Source, old: str, new: str, arms: Sequence[str] = (OLD, NEW)) -> Covered:
    """The row of two builds by an A/B test whose gateways have these hashes."""
    plan = replace(shipped("cost/ab"), repeat=replace(shipped("cost/ab").repeat, boots=1))
    sides = [
        Side(
            name="",
            station_file="",
            station=quick.run.station,
            inventory={"gateway": {"firmware_sha256": sha}},
        )
        for sha in (old, new)
    ]
    run = replace(quick.run, plans=(plan,), ab=AB(old=sides[0], new=sides[1]))
    route = [r for r in quick.records if r.definition.path == "route" and r.definition.l4 == "udp"]
    records = [replace(record, plan=plan.name, arm=arm) for record in route for arm in arms]
    held = holding("ab", run, records, judge(run, records))
    return coverage(named("B10"), [plan], [held])[0]


def test_an_ab_test_of_one_firmware_shows_no_two(quick: Source) -> None:
    assert ab_row(quick, "aa", "bb").state == "shown"
    assert ab_row(quick, "aa", "aa").state == "planned"
    assert ab_row(quick, UNKNOWN, "bb").state == "planned"


def test_an_ab_test_whose_second_firmware_was_never_measured_shows_none(quick: Source) -> None:
    assert ab_row(quick, "aa", "bb", [OLD]).state == "planned"


def test_a_variant_that_was_not_run_shows_no_row(quick: Source) -> None:
    """The plan in the run has the variant; what was measured has one level."""
    plan = shipped("algorithms/lpm")
    measured = [replace(quick.records[0], plan=plan.name, values={"ops_s": 1e6})]
    measured = [replace(r, definition=replace(r.definition, path="endpoint")) for r in measured]
    run = replace(quick.run, plans=(plan,))
    held = holding("plain", run, measured, judge(run, measured))
    assert "study" in plan.variants
    assert "ops_s" in held.offers[plan.name].names
    assert coverage(named("P17"), [plan], [held])[0].state == "planned"


def test_a_claim_that_a_variant_alone_keeps_is_found() -> None:
    plain, varied = shipped("algorithms/lpm"), load("algorithms/lpm", "study")[1][0]
    (row,) = named("P17")
    claims = [replace(plan, rows=("P17",)) for plan in (plain, varied)]
    assert faults([row], claims) == []
    asked = Requirement(**fields(row) | {"need": replace(row.need, variant="")})
    assert faults([asked], claims)[0].startswith("P17: algorithms claims it whole: level")


def test_a_row_names_the_variant_that_answers_it() -> None:
    (row,) = coverage(named("P17"), [shipped("algorithms/lpm")])
    assert row.plans == ("algorithms/lpm --variant study",)


def test_what_no_run_has_shown_is_in_part_until_one_does(quick: Source) -> None:
    need = Need(yields=("goodput_bps", "inventory.switch"), until="no switch chip")
    rows = one_row("K21", need)
    assert [(r.state, r.why) for r in coverage(rows, planned())] == [
        ("in part", ("no switch chip",))
    ]
    chip = replace(quick.run, before={"gateway": {"switch": "AR8327"}})
    run = holding("1", chip, quick.records, quick.judgement)
    assert coverage(rows, planned(), [run])[0].state == "shown"


def test_several_gateways_at_once_are_those_that_took_turns(quick: Source) -> None:
    assert held_state(quick, quick.run, "R01") == "shown"
    alone = [replace(r, definition=replace(r.definition, turn_ms=0.0)) for r in quick.records]
    run = holding("1", quick.run, alone, quick.judgement)
    assert coverage(named("R01"), planned(), [run])[0].state == "planned"
