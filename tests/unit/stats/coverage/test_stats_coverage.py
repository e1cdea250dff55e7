# SPDX-License-Identifier: Apache-2.0
"""Rows of the studies: every claim of a plan is true, and a false one is found."""

from pathlib import Path

import pytest
import sample
from msgspec.structs import replace

from gatemark.plan.load import load, suites
from gatemark.plan.model import Plan
from gatemark.report.group.source import Source, judged
from gatemark.stats.coverage.coverage import Covered, coverage, faults, holding
from gatemark.stats.judge import judge
from gatemark.store.directory import RunDirectory
from gatemark.store.study.requirement import Need, Requirement, requirements

ROWS = requirements()
PLANS = [plan for name in suites() for plan in load(name)[1]]
VARIED = [load(plan.name, variant)[1][0] for plan in PLANS for variant in plan.variants]


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Source:
    """The run of `quick` that README shows."""
    path: Path = sample.unpack(tmp_path_factory.mktemp("sample"))
    return judged(RunDirectory.open(path).contents(), path, drawn=False)


def with_rows(name: str, *rows: str) -> list[Plan]:
    """All that ship, one of which claims other rows."""
    return [replace(p, rows=rows, lacks={}) if p.name == name else p for p in (*PLANS, *VARIED)]


def one_row(name: str, need: Need) -> list[Requirement]:
    row = next(row for row in ROWS if row.name == name)
    return [Requirement(**{f: getattr(row, f) for f in row.__struct_fields__} | {"need": need})]


def state(rows: list[Covered], name: str) -> Covered:
    return next(row for row in rows if row.requirement.name == name)


def test_every_claim_of_the_plans_that_ship_is_true() -> None:
    assert faults(ROWS, [*PLANS, *VARIED]) == []


def test_a_row_that_does_not_exist_is_found() -> None:
    assert "rfc/reset: no row K99" in faults(ROWS, with_rows("rfc/reset", "K99"))


def test_a_claim_of_what_a_plan_does_not_yield_is_found() -> None:
    texts = faults(ROWS, with_rows("rfc/reset", "K14"))
    assert "K14: rfc/reset claims it and yields no goodput_bps" in texts


def test_a_claim_of_a_sweep_that_a_plan_does_not_make_is_found() -> None:
    texts = faults(ROWS, with_rows("quick/tcp", "K21", "K20"))
    assert "K20: quick claims it whole: write_bytes does not vary, offload does not vary" in texts


def test_a_row_that_nobody_claims_is_found() -> None:
    texts = faults(ROWS, with_rows("kofler/block-size"))
    assert "K14: no plan asks it, and rows.toml does not say why" in texts
    assert state(coverage(ROWS, with_rows("kofler/block-size")), "K14").state == "missing"


def test_a_claim_of_what_is_not_here_is_found() -> None:
    texts = faults(ROWS, with_rows("rfc/reset", "D32"))
    assert "D32: rfc/reset claims it, and rows.toml says that no plan does" in texts


def test_a_part_of_a_row_that_is_not_claimed_is_found() -> None:
    plans = [replace(p, lacks={"K01": "all"}) if p.name == "rfc/reset" else p for p in PLANS]
    assert "rfc/reset: lacks K01, and does not claim it" in faults(ROWS, plans)


def test_a_row_in_part_says_what_is_missing() -> None:
    row = state(coverage(ROWS, PLANS), "K42")
    assert (row.state, row.why) == ("in part", ("no Wi-Fi, and no adaptation proxy",))


def test_a_run_shows_what_it_holds_and_nothing_else(quick: Source) -> None:
    run = holding("sample", quick.run, quick.records, quick.judgement)
    rows = coverage(ROWS, PLANS, [run])
    shown = {row.requirement.name for row in rows if row.state == "shown"}
    assert {"K21", "K27", "K28", "K30", "P08", "R02"} <= shown
    assert shown.isdisjoint({"K14", "K33", "R11", "D01", "P18"})
    assert [at.run for at in state(rows, "K27").shown] == ["sample"]


def test_a_run_whose_trials_do_not_count_shows_nothing(quick: Source) -> None:
    lost = [replace(record, status="invalid") for record in quick.records]
    run = holding("sample", quick.run, lost, quick.judgement)
    rows = coverage(ROWS, PLANS, [run])
    assert not any(row.state == "shown" for row in rows)


def test_two_runs_of_one_gateway_are_no_two_gateways(quick: Source) -> None:
    pair = one_row("K21", Need(yields=("goodput_bps",), runs=2))
    attic = replace(quick.run, station=replace(quick.run.station, name="attic"))
    faster = replace(quick.run, before={"gateway": {"processor": "faster"}})
    first, again, second, third = (
        holding(name, run, quick.records, quick.judgement)
        for name, run in (("1", quick.run), ("2", quick.run), ("3", attic), ("4", faster))
    )
    assert coverage(pair, PLANS, [first])[0].state == "planned"
    assert coverage(pair, PLANS, [first, again])[0].state == "planned"
    assert coverage(pair, PLANS, [first, again, second])[0].state == "shown"
    assert coverage(pair, PLANS, [first, third])[0].state == "shown"


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
    assert coverage(both, PLANS, [first, elsewhere])[0].state == "planned"
    (row,) = coverage(both, PLANS, [first, second])
    assert (row.state, [at.run for at in row.shown]) == ("shown", ["1", "2"])


def test_what_the_tester_did_alone_shows_no_row_of_a_gateway(quick: Source) -> None:
    direct = [record for record in quick.records if record.definition.path == "direct"]
    judgement = judge(quick.run, direct)
    alone = holding("alone", quick.run, direct, judgement)
    need = Need(yields=("goodput_bps", "evidence.sender_cpu"))
    for arms, expected in (((), "planned"), (("direct",), "shown")):
        row = one_row("K21", replace(need, arms=arms))
        assert coverage(row, PLANS, [alone])[0].state == expected
    ceiling = one_row("K21", Need(yields=("ceiling",)))
    assert coverage(ceiling, PLANS, [alone])[0].state == "shown"


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
    assert coverage(row, PLANS, [kept])[0].state == "planned"
