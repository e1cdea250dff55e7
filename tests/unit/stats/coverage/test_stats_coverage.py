# SPDX-License-Identifier: Apache-2.0
"""Rows of the studies: every claim of a plan is true, and a false one is found."""

from pathlib import Path

import pytest
import sample
from msgspec.structs import replace

from gatemark.plan.load import load, suites
from gatemark.plan.model import Plan
from gatemark.report.group.source import Source, judged
from gatemark.stats.coverage.coverage import Covered, Held, coverage, faults
from gatemark.stats.coverage.offer import held
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
    run = Held(label="sample", offers=held(quick.run, quick.records, quick.judgement))
    rows = coverage(ROWS, PLANS, [run])
    shown = {row.requirement.name for row in rows if row.state == "shown"}
    assert {"K21", "K27", "K28", "K30", "P08", "R02"} <= shown
    assert shown.isdisjoint({"K14", "K33", "R11", "D01", "P18"})
    assert [at.run for at in state(rows, "K27").shown] == ["sample"]


def test_a_run_whose_trials_do_not_count_shows_nothing(quick: Source) -> None:
    lost = [replace(record, status="invalid") for record in quick.records]
    run = Held(label="sample", offers=held(quick.run, lost, quick.judgement))
    rows = coverage(ROWS, PLANS, [run])
    assert not any(row.state == "shown" for row in rows)


def test_two_gateways_are_two_runs(quick: Source) -> None:
    offers = held(quick.run, quick.records, quick.judgement)
    pair = one_row("K21", Need(yields=("goodput_bps",), runs=2))
    runs = [Held(label=name, offers=offers) for name in ("one", "two")]
    assert coverage(pair, PLANS, runs[:1])[0].state == "planned"
    assert coverage(pair, PLANS, runs)[0].state == "shown"
