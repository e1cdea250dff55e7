# SPDX-License-Identifier: Apache-2.0
"""Searches of a made-up gateway: they find its knee, refuse a slow tester, go on where cut."""

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import searching
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from searching import Made, plan, run_of, searched

from gatemark.error import GatemarkError
from gatemark.judge.judge import judge
from gatemark.plan.model import Search, TrialSpec, Workload
from gatemark.plan.order import order
from gatemark.run.search.follow import following, is_outcome
from gatemark.run.search.length import expected_s
from gatemark.store.record import Record

CSIT = Search()
BINARY = Search(profile="rfc2544", wait_s=0.0)
BURSTS = Search(profile="rfc9004", sum_s=5.0)
KNEES = st.floats(1_000, 400_000)
few = settings(max_examples=8, deadline=None)


def tight(outcome: Record, knee_pps: float, width: float, loss: float = 0.0) -> None:
    """The bounds hold the highest rate of which no more than `loss` is lost, and are that close."""
    low, high = outcome.values["throughput_pps"], outcome.values["too_fast_pps"]
    most = knee_pps / (1 - loss)
    assert low * (1 - 1e-3) <= most <= high * (1 + 1e-3)  # a trial has whole packets
    assert high - low <= (width + loss) * high * 1.001


@few
@given(KNEES)
def test_csit_finds_the_rates_without_loss_and_with_half_a_per_cent_lost(knee_pps: float) -> None:
    """Bounds are of what was sent; the conditional throughput is what came through of it."""
    outcomes = searched(Made(knee_pps), CSIT).outcomes
    tight(outcomes["ndr"], knee_pps, 0.005)
    tight(outcomes["pdr"], knee_pps, 0.005, loss=0.005)


@few
@given(KNEES)
def test_binary_search_finds_the_rate_without_loss_between_its_bounds(knee_pps: float) -> None:
    search = searched(Made(knee_pps), BINARY)
    tight(search.outcomes["ndr"], knee_pps, 0.005)
    first, *steps = search.steps[1:]
    low, high = 0.0, float(first.point["rate_pps"])
    for step in steps:
        rate = float(step.point["rate_pps"])
        assert low < rate < high
        lost = step.values["loss_ratio"] > 0
        low, high = (low, rate) if lost else (rate, high)


@few
@given(st.integers(10, 5_000))
@example(100)
def test_a_burst_is_the_queue_and_what_goes_meanwhile(queue: int) -> None:
    """RFC 9004 section 6.4: less what goes it is the queue, at the rate at which it was filled."""
    values = searched(Made(100_000, queue=queue), BURSTS).outcomes["burst"].values
    longest = queue / (1 - 0.1)  # a tenth of it is forwarded while it comes in
    assert values["burst_packets"] == pytest.approx(longest, rel=0.006, abs=1.5)
    assert values["buffer_ns"] == pytest.approx(queue * 1000, rel=0.03, abs=1500)


@pytest.mark.parametrize("trial_s", [0.5, 2.0])
def test_the_longest_burst_lasts_as_long_as_a_trial(trial_s: float) -> None:
    """RFC 2544 section 26.4; a gateway that loses nothing takes it whole."""
    terms = Search(profile="rfc9004", sum_s=5.0, trial_s=trial_s, max_pps=90_000.0)
    outcome = searched(Made(100_000), terms).outcomes["burst"]
    assert outcome.values["burst_packets"] == 90_000 * trial_s


def after(search: Search) -> TrialSpec:
    """A trial that follows the search in its plan: at a share of what was found."""
    specs = order([plan(search)], seed=1)
    return next(spec for spec in specs if not is_outcome(spec) and "share" in spec.point)


SHARED = Search(shares=(0.5,))


@pytest.mark.parametrize(("of", "other"), [("ndr", "pdr"), ("pdr", "ndr")])
def test_a_share_is_of_its_own_goal(of: str, other: str) -> None:
    search = replace(SHARED, of=of)
    records = [
        replace(record, values=record.values | {"throughput_pps": rate})
        for goal, rate in ((of, 50_000.0), (other, 90_000.0))
        for record in [searched(Made(60_000), search).outcomes[goal]]
    ]
    spec, why = following(after(search), records)
    assert (spec.workload.rate_pps, why) == (25_000.0, "")


def test_a_share_of_what_was_not_found_says_why() -> None:
    outcome = searched(Made(60_000), SHARED).outcomes["pdr"]
    failed = replace(outcome, status="invalid", reason="it was cut")
    assert following(after(SHARED), [failed])[1] == "no pdr was found: it was cut"
    assert following(after(SHARED), [])[1] == "no pdr was found: it was not searched for"


def test_a_search_by_multiple_trials_is_quicker_than_one_by_halving() -> None:
    spent = [
        sum(step.definition.duration_s for step in searched(Made(30_000), search).steps)
        for search in (CSIT, BINARY)
    ]
    assert spent[1] > 4 * spent[0]


def test_a_trial_that_hiccups_now_and_then_does_not_lower_what_many_trials_find() -> None:
    made = Made(30_000, hiccup=lambda number: 5 if number % 4 == 0 else 0)
    tight(searched(made, CSIT).outcomes["ndr"], 30_000, 0.005)


@pytest.mark.parametrize("search", [CSIT, BINARY, BURSTS], ids=lambda search: search.profile)
def test_a_search_that_was_cut_goes_on_to_the_same_end(search: Search) -> None:
    made = Made(30_000, queue=40, hiccup=lambda number: number % 5 // 4)
    whole = searched(made, search)
    for cut in (0, 1, len(whole.steps) // 2, len(whole.steps) - 1):
        first = searched(made, search, cut=cut)
        assert len(first.steps) == cut
        then = searched(made, search, kept=first.steps)
        rates = [step.point["rate_pps"] for step in (*first.steps, *then.steps)]
        assert rates == [step.point["rate_pps"] for step in whole.steps]
        ends = [[r.decided for r in ended.outcomes.values()] for ended in (then, whole)]
        assert ends[0] == ends[1]


def test_steps_that_another_search_kept_are_refused() -> None:
    kept = searched(Made(30_000), CSIT).steps
    with pytest.raises(GatemarkError, match=r"03-.*resume it with the version that began it"):
        searched(Made(90_000), BINARY, kept=[kept[0], kept[2]])


def test_an_invalid_step_is_asked_for_again() -> None:
    search = searched(Made(30_000), CSIT, spoil=lambda number: "planted" if number == 5 else "")
    assert search.steps[4].point == search.steps[5].point
    tight(search.outcomes["ndr"], 30_000, 0.005)


def test_a_step_that_is_invalid_again_and_again_ends_the_search() -> None:
    search = searched(Made(30_000), CSIT, spoil=lambda number: "planted" if number > 4 else "")
    assert [record.status for record in search.outcomes.values()] == ["invalid", "invalid"]
    assert "planted" in search.outcomes["ndr"].reason
    assert len(search.steps) == 4 + 3


def limits(made: Made, search: Search, load: Workload | None = None) -> list[tuple[str, bool]]:
    """The limit of each goal, and whether its value is a lower bound."""
    steps = searched(made, search, load)
    judgement = judge(run_of(steps, plan(search)), steps.records)
    return [(point.limit, point.at_least) for point in judgement.points]


@pytest.mark.parametrize("search", [CSIT, BINARY])
def test_a_gateway_that_loses_is_limited_by_its_cpu(search: Search) -> None:
    assert set(limits(Made(30_000), search)) == {("cpu", False)}


@pytest.mark.parametrize("search", [CSIT, BINARY])
def test_a_sender_that_cannot_hold_the_rate_is_the_tester(search: Search) -> None:
    made = Made(90_000, tester_pps=40_000)
    assert set(limits(made, Search(profile=search.profile, wait_s=0, max_pps=80_000))) == {
        ("tester", True)
    }


def test_a_rate_that_was_not_quite_sent_is_not_claimed_and_the_record_says_so() -> None:
    """A schedule counts as kept from 99 % on; what is told is what was sent."""
    outcome = searched(Made(90_000, tester_pps=40_000), Search(max_pps=80_000)).outcomes["ndr"]
    assert outcome.values["throughput_pps"] == pytest.approx(40_000, rel=0.004)
    assert outcome.values["throughput_pps"] <= 40_001
    assert "% of its schedule, which says nothing of the gateway" in outcome.notes[0]


def test_a_highest_rate_that_comes_through_is_a_lower_bound() -> None:
    assert set(limits(Made(90_000), Search(max_pps=20_000))) == {("none", True)}


def test_rates_both_ways_are_of_both_together() -> None:
    outcome = searched(Made(30_000), CSIT, Workload(direction="both")).outcomes["ndr"]
    tight(outcome, 60_000, 0.005)


def test_values_are_of_the_lower_bound_and_evidence_of_the_upper() -> None:
    search = searched(Made(30_000), CSIT)
    outcome = search.outcomes["ndr"]
    assert outcome.values["loss_ratio"] == 0
    assert outcome.accounting is not None
    assert outcome.accounting.lost > 0
    assert len({step.trial for step in search.steps}) == len(search.steps)  # each is found by name


def test_a_search_reports_where_it_stands() -> None:
    standings = searched(Made(30_000), Search(goals=("ndr",))).told
    assert standings[-1].low <= 30_001 <= (standings[-1].high or 0)
    assert [standing.trial for standing in standings] == list(range(1, len(standings) + 1))


@pytest.mark.parametrize("search", [CSIT, BINARY, Search(goals=("ndr",))])
def test_the_estimate_is_within_half_of_what_a_search_takes(search: Search) -> None:
    steps = searched(Made(30_000), search)
    (spec,) = {spec.seeks: spec for spec in steps.specs}.values()
    assert spec.search is not None
    took = sum(step.definition.duration_s + 0.35 for step in steps.steps)
    assert took / 1.5 <= expected_s(spec.search) <= 1.5 * took


def test_a_short_search_is_not_expected_to_end_sooner_than_real_ones_did() -> None:
    """Searches of `rfc/throughput --variant short` took 17 to 74 s and more (docs/measured.md)."""
    assert 40 <= expected_s(Search(goals=("ndr", "pdr"), trial_s=1.0, sum_s=5.0, wait_s=0)) <= 70


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_clock_that_is_set_meanwhile_makes_a_search_no_longer(
    hours: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As each trial ends the clock shows another time than it would have."""
    measured = searching.measured

    def begun(*words: Any) -> Record:
        at = datetime.now(UTC) - timedelta(hours=hours)
        return replace(measured(*words), started=at.isoformat(timespec="milliseconds"))

    monkeypatch.setattr(searching, "measured", begun)
    began = time.monotonic()
    outcome = searched(Made(50_000), BINARY).outcomes["ndr"]
    assert 0 <= outcome.values["search_s"] <= time.monotonic() - began
