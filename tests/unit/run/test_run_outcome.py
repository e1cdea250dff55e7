# SPDX-License-Identifier: Apache-2.0
"""The record that a search ends with: what it defines, whose values and evidence it has."""

import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest
import searching
import simulated
from msgspec.structs import replace
from searching import Made, plan, searched
from simulated import Planted

from gatemark.plan.model import Arm, Search, TrialSpec
from gatemark.plan.order import order
from gatemark.plan.search import PROFILES
from gatemark.run.search.follow import following, is_outcome
from gatemark.run.search.length import OVERHEAD_S, VOTED, expected_s, left_s
from gatemark.run.search.seek import steps_of
from gatemark.store.record import FIRST, Record

CSIT = PROFILES["csit"]
BURSTS = Search(profile="rfc9004", trial_s=2.0, sum_s=5.0)
KNEE_PPS = 30_000


@dataclass(frozen=True)
class Dropping(Made):
    """It drops of each burst; else it is as it was made."""

    def counts(self, spec: TrialSpec, number: int) -> tuple[int, int, int, float]:
        scheduled, tried, lost, rate = super().counts(spec, number)
        return scheduled, tried, max(lost, bool(spec.workload.packets)), rate


@pytest.mark.parametrize(
    ("search", "defined"),
    [
        (CSIT, {"ndr": ("throughput", 0.0), "pdr": ("throughput", 0.005)}),
        (BURSTS, {"ndr": ("throughput", 0.0), "burst": ("burst", 0.0)}),
    ],
    ids=["csit", "rfc9004"],
)
def test_it_is_defined_by_its_goal(search: Search, defined: dict[str, tuple[str, float]]) -> None:
    outcomes = searched(Made(KNEE_PPS, queue=50), search).outcomes
    made = {goal: outcome.definition for goal, outcome in outcomes.items()}
    assert {goal: (of.quantity, of.loss_criterion) for goal, of in made.items()} == defined
    assert {(of.duration_s, of.packets) for of in made.values()} == {(search.trial_s, 0)}


def changed(monkeypatch: pytest.MonkeyPatch, change: Callable[[Record, int], Record]) -> None:
    """Let each trial's record be another, by its number."""
    measured = searching.measured

    def other(made: Made, spec: TrialSpec, number: int) -> Record:
        return change(measured(made, spec, number), number)

    monkeypatch.setattr(searching, "measured", other)


def test_it_began_with_the_first_of_its_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    began = "2026-11-21T16:15:00.{:03d}+00:00"
    changed(monkeypatch, lambda record, number: replace(record, started=began.format(number)))
    outcome = searched(Made(KNEE_PPS), CSIT).outcomes["ndr"]
    assert outcome.started == began.format(1)


def test_what_held_it_back_is_seen_at_the_upper_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    def placed(record: Record, number: int) -> Record:
        whose = {"sender": str(number)}
        return replace(record, placement=whose, ports=whose, port_reasons=whose)

    changed(monkeypatch, placed)
    search = searched(Made(KNEE_PPS), CSIT)
    outcome = search.outcomes["ndr"]
    (upper,) = (step for step in search.steps if step.trial == outcome.decided["upper"])
    assert outcome.placement == outcome.ports == outcome.port_reasons == upper.placement
    assert (outcome.accounting, outcome.evidence) == (upper.accounting, upper.evidence)
    (lower,) = (step for step in search.steps if step.trial == outcome.decided["lower"])
    assert outcome.values["delay_p50_ns"] == lower.values["delay_p50_ns"]


def test_its_effort_is_that_of_all_its_trials() -> None:
    search = searched(Made(KNEE_PPS), CSIT)
    values = search.outcomes["ndr"].values
    assert values["search_trials"] == len(search.steps)
    assert values["search_s"] == pytest.approx(sum(s.values["search_s"] for s in search.steps))


def test_a_burst_of_one_packet_may_be_too_long() -> None:
    outcomes = searched(Dropping(KNEE_PPS), BURSTS).outcomes
    assert outcomes["ndr"].status == "ok"
    assert (outcomes["burst"].status, outcomes["burst"].reason) == (
        "invalid",
        "a burst of one packet was lost already",
    )


def test_the_lowest_rate_may_be_too_fast() -> None:
    outcomes = searched(Made(50), Search(max_pps=10_000)).outcomes
    assert {goal: (outcome.status, outcome.reason) for goal, outcome in outcomes.items()} == {
        goal: (
            "invalid",
            f"at 100 packets/s, the lowest rate, more was lost than {lost}; "
            "set `min_pps` of [search] lower",
        )
        for goal, lost in (("ndr", "nothing"), ("pdr", "0.5 %"))
    }


def test_where_each_rate_loses_the_same_share_no_lower_one_is_advised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def lossy(record: Record, number: int) -> Record:
        rate = int(record.values["offered_pps"])
        lost = simulated.trial(Planted(nth=1000), rate, 1, random.Random(number)).evidence.loss
        return replace(record, evidence=replace(record.evidence, loss=lost))

    changed(monkeypatch, lossy)
    terms = Search(profile="rfc2544", goals=("ndr",), min_pps=2_000, max_pps=20_000, trial_s=0.5)
    made = Made(KNEE_PPS, hiccup=lambda _: 1)
    (outcome,) = searched(made, terms).outcomes.values()
    assert outcome.status == "invalid"
    assert outcome.reason.startswith("no rate without loss: it loses 0.")
    assert "not load" in outcome.reason


def test_a_search_whose_trial_was_skipped_skips_its_goals(monkeypatch: pytest.MonkeyPatch) -> None:
    why = "no such tool"
    changed(monkeypatch, lambda record, _: replace(record, status="skipped", reason=why))
    search = searched(Made(KNEE_PPS), CSIT)
    ends = {(outcome.status, outcome.reason) for outcome in search.outcomes.values()}
    assert (ends, len(search.steps)) == ({("skipped", why)}, 1)


def test_a_step_is_named_by_its_number_and_what_it_asks_for() -> None:
    search = searched(Made(KNEE_PPS, queue=50), BURSTS)
    names = [step.trial.rpartition("/")[2] for step in search.steps]
    assert names[:3] == ["01-overload", "02-60100", "03-29950"]
    longest = search.outcomes["burst"].values["burst_packets"]
    assert f"{len(names):02d}-{longest:g}" == names[-1]


def held(spec: TrialSpec, **values: float) -> Record:
    """What the search found that a trial follows."""
    return replace(searching.frame(spec), values=dict(values))


@pytest.mark.parametrize(
    ("values", "mbit"),
    [({"held_bps": 40e6}, 40), ({"held_bps": 40e6, "too_fast_bps": 42e6}, 42)],
)
def test_a_trial_after_it_is_shaped_just_too_fast(values: dict[str, float], mbit: int) -> None:
    cake = Arm(path="nat", name="cake", features=("shape:cake:100:wan",))
    terms = replace(PROFILES["shaper"], trial_s=19.0, min_mbit=1.0, max_mbit=100.0)
    outcome = next(s for s in order([plan(terms, arm=(cake,))], seed=1) if is_outcome(s))
    after = replace(outcome, pass_="instrumented")  # noqa: S106  not a password
    spec, why = following(after, [held(outcome, **values)])
    assert (spec.arm.features, why) == ((f"shape:cake:{mbit}:wan",), "")


def test_a_shapers_rate_takes_its_votes_at_each_halving() -> None:
    """Of 5 %: from twice the rate six halvings, and the highest before."""
    terms = replace(PROFILES["shaper"], trial_s=19.0)
    assert expected_s(terms) == pytest.approx(VOTED * 7 * (19 + OVERHEAD_S))
    assert left_s(terms, 0.1, spent_s=100.0) == pytest.approx(VOTED * (19 + OVERHEAD_S))
    assert left_s(terms, 0.2, spent_s=100.0) == pytest.approx(2 * VOTED * (19 + OVERHEAD_S))


def test_what_is_left_of_a_search_is_a_tenth_at_least() -> None:
    whole = expected_s(CSIT)
    assert left_s(CSIT, 1.0, spent_s=0.0) == whole
    assert left_s(CSIT, 1.0, spent_s=10.0) == pytest.approx(whole - 10 * (1 + OVERHEAD_S))
    assert left_s(CSIT, 1.0, spent_s=1000.0) == pytest.approx(0.1 * whole)


def test_a_first_attempt_that_was_tried_again_is_no_step() -> None:
    search = searched(Made(KNEE_PPS), CSIT)
    step = search.steps[0]
    again = replace(step, trial=step.trial + FIRST)
    assert steps_of(search.specs[0], [again, step]) == [step]
