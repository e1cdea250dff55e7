# SPDX-License-Identifier: Apache-2.0
"""Gates: exact signed rank over blocks, Holm over the campaign, nothing unmeasured decides."""

import random
from collections.abc import Mapping

import pytest

from gatemark.judge.change.gate import Claim, Row, decide, least_p, needed


def row(values: Mapping[str, Mapping[int, float]], **more: object) -> Row:
    return Row(
        **{
            "model": "lab",
            "suite": "cost/ab",
            "what": "received, 64 B",
            "quantity": "received_pps",
            "unit": "packets/s",
            "higher_is_better": True,
            "values": values,
            **more,
        }  # type: ignore[arg-type]
    )


def claim(of: Row, **more: object) -> Claim:
    return Claim(**{"row": of, "build": "new", "against": "old", "allow": 0.03, **more})  # type: ignore[arg-type]


def blocks(count: int, change: float, seed: int = 1) -> dict[str, dict[int, float]]:
    rng = random.Random(seed)
    old = {at: rng.gauss(1e5, 1e3) for at in range(1, count + 1)}
    return {
        "old": old,
        "new": {at: v * (1 + change) * rng.gauss(1, 0.005) for at, v in old.items()},
    }


def test_blocks_that_are_needed_are_those_of_the_specification() -> None:
    counts = {1: 6, 2: 7, 8: 9, 18: 10, 64: 12, 160: 13, 560: 15}
    assert {rows: needed(rows) for rows in counts} == counts
    for rows, count in counts.items():
        assert least_p(count) <= 0.05 / rows < least_p(count - 1)


@pytest.mark.parametrize(
    ("change", "passing"), [(-0.1, "failed"), (0.0, "passed"), (0.1, "passed"), (-0.01, "passed")]
)
def test_a_change_beyond_what_is_allowed_fails(change: float, passing: str) -> None:
    (made,) = decide([claim(row(blocks(10, change)))])
    assert made.passing == passing


def test_too_few_blocks_decide_nothing() -> None:
    (made,) = decide([claim(row(blocks(5, -0.3)))])
    assert (made.verdict, made.passing) == ("inconclusive", "undecided")


def test_what_is_not_measured_decides_nothing() -> None:
    (made,) = decide([claim(row({"old": {1: 5.0}, "new": {2: 5.0}}))])
    assert (made.verdict, made.passing, made.change) == ("not measured", "undecided", None)


def test_rows_that_wait_count_in_the_family() -> None:
    whole = claim(row(blocks(6, -0.3)))
    assert decide([whole])[0].passing == "failed"
    assert decide([whole, claim(row({}))])[0].passing == "undecided"


def test_a_row_fails_no_gate_before_its_last_block() -> None:
    slower = row(blocks(8, -0.3))
    (early,) = decide([claim(slower, final=False)])
    assert (early.verdict, early.passing) == ("slower", "undecided")
    (last,) = decide([claim(slower)])
    assert last.passing == "failed"


def test_an_open_row_spares_no_other() -> None:
    """By its own p, which it may lose again, Holm would leave the other one its bare 0.031."""
    slower, open_ = claim(row(blocks(6, -0.3))), row(blocks(9, -0.3, seed=2))
    assert decide([slower, claim(open_, final=False)])[0].passing == "undecided"
    assert decide([slower, claim(open_)])[0].passing == "failed"


@pytest.mark.long
def test_who_looks_after_each_block_sees_no_more_alarms() -> None:
    """Of builds that are alike. Counted at each look, 1000 of these had 40 alarms for 25."""
    often, once = [], []
    for seed in range(200):
        whole = blocks(10, 0.0, seed)
        for count in range(6, 11):
            look = {build: dict(list(of.items())[:count]) for build, of in whole.items()}
            (made,) = decide([claim(row(look), allow=0.0, final=count == 10)])
            often += [seed] if made.passing == "failed" else []
        once += [seed] if decide([claim(row(whole), allow=0.0)])[0].passing == "failed" else []
    assert often == once


def test_where_the_tester_was_the_limit_nothing_is_claimed() -> None:
    (made,) = decide([claim(row(blocks(10, -0.3), bounded=frozenset({"new"})))])
    assert made.passing == "undecided"


@pytest.mark.parametrize(
    ("new", "verdict", "passing"),
    [
        (1000.0, "no change", "passed"),
        (1004.0, "within noise", "passed"),
        (1006.0, "slower", "failed"),
        (990.0, "faster", "passed"),
    ],
)
def test_instructions_need_one_block_and_no_test(new: float, verdict: str, passing: str) -> None:
    values = {"old": {1: 1000.0}, "new": {1: new}}
    counted = row(values, exact=True, higher_is_better=False)
    for final in (True, False):  # a count is no test, so no look at it is too early
        (made,) = decide([claim(counted, allow=0.005, final=final)])
        assert (made.verdict, made.passing) == (verdict, passing)


def test_a_count_in_which_walks_disagree_decides_nothing() -> None:
    values = {"old": {1: 1000.0}, "new": {1: 1300.0}}
    counted = row(values, exact=True, higher_is_better=False, bounded=frozenset({"new"}))
    assert decide([claim(counted)])[0].passing == "undecided"


@pytest.mark.long
def test_builds_that_are_alike_alarm_in_less_than_one_campaign_of_twenty() -> None:
    alarms = 0
    for seed in range(1000):
        rows = [row(blocks(10, 0.0, seed * 18 + at)) for at in range(18)]
        alarms += any(
            made.passing == "failed" for made in decide([claim(r, allow=0.0) for r in rows])
        )
    assert alarms <= 65
