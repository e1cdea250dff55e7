# SPDX-License-Identifier: Apache-2.0
"""Expectations in print: what was wanted, what was measured, the verdict with its reason."""

from typing import Any

import builder
from msgspec.structs import replace

from gatemark.plan.expect import expectations
from gatemark.store.run import Run
from gatemark.tell.answer import expect
from gatemark.tell.answer.answers import tables
from gatemark.tell.group.source import Source
from gatemark.tell.group.together import together
from gatemark.tell.terminal import answer
from gatemark.tell.words.table import NONE


def run(**expected: Any) -> Run:
    made = builder.run()
    plans = [
        replace(plan, expect=expectations(expected)) if plan.name == "quick/sweep" else plan
        for plan in made.plans
    ]
    return replace(made, plans=tuple(plans))


def source(label: str = "", **expected: Any) -> Source:
    return builder.source(run(**expected), label=label)


def rows(**expected: Any) -> list[tuple[str, ...]]:
    return list(expect.table([source(**expected)]).rows)


def test_a_row_says_what_was_wanted_and_measured() -> None:
    row = rows(route={"knee_pps": ">= 20e3"})[0]
    assert row[0] == "route"
    assert row[2] == "knee_pps >= 20 k packets/s"
    assert row[3].startswith("30.1")
    assert row[4] == "met"


def test_what_is_not_known_has_its_reason() -> None:
    (row,) = rows(nat={"goodput_bps": "> 1"})
    assert row[3:] == (NONE, "not known: no such value was measured")


def test_the_first_answer_names_those_that_are_not_met() -> None:
    printed = answer(source(knee_pps="> 1e9", peak_pps="> 1"), None)
    assert "Expectations of the plan: 4 of 8 met" in printed
    assert "missed: route, ↑ up: knee_pps > 1 G packets/s" in printed.replace("1000 M", "1 G")
    assert "peak_pps" not in printed


def test_every_check_is_in_the_whole_answer() -> None:
    printed = answer(source(knee_pps="> 1e9"), None, whole=True)
    assert expect.CAPTION in printed
    assert "missed" in printed


def test_a_run_without_any_prints_nothing() -> None:
    assert expect.CAPTION not in answer(builder.source(), None)


def test_of_several_runs_each_arm_has_its_letter() -> None:
    shared = together([source("A", knee_pps="> 1"), source("B", knee_pps="> 1")])
    made = dict(tables(shared))["expectations"]
    assert {row[0] for row in made.rows} == {"A: route", "A: nat", "B: route", "B: nat"}
