# SPDX-License-Identifier: Apache-2.0
"""Round trips a minute, by hand and by property; the rate of probes."""

from statistics import mean

import pytest
from few import few
from hypothesis import given
from hypothesis import strategies as st

from gatemark.kind.responsiveness import draft
from gatemark.kind.responsiveness.draft import pairs_per_s
from gatemark.kind.responsiveness.formula import Score, Times, trimmed_mean
from gatemark.kind.responsiveness.plan import MOST_INTERVALS

MS = st.lists(st.floats(0.01, 10_000), min_size=1, max_size=60)


def test_the_largest_twentieth_is_cut_off() -> None:
    assert trimmed_mean([*range(1, 20), 1_000_000]) == mean(range(1, 20))


def test_fewer_than_twenty_lose_the_largest_and_one_stays() -> None:
    assert trimmed_mean([1.0, 2.0, 90.0]) == 1.5
    assert trimmed_mean([90.0]) == 90.0


def test_no_values_have_no_mean() -> None:
    with pytest.raises(ValueError, match="no values"):
        trimmed_mean([])


@few()
@given(MS)
def test_a_trimmed_mean_is_no_more_than_the_mean(values: list[float]) -> None:
    assert min(values) <= trimmed_mean(values) * (1 + 1e-9)
    assert trimmed_mean(values) <= mean(values) * (1 + 1e-9)


def test_foreign_and_loaded_are_means_of_rates_not_of_times() -> None:
    """Foreign probes of 20 ms and self probes of 200 ms: 1650 by -09, 545 by -03."""
    score = Score.of(Times([20.0], [20.0], [20.0], [200.0]))
    assert (score.foreign, score.loaded) == (3000, 300)
    assert score.rpm == 1650
    assert score.harmonic == pytest.approx(545.45, abs=0.01)


def test_without_tls_a_foreign_probe_has_two_parts() -> None:
    assert Score.of(Times([10.0], (), [30.0], [20.0])).foreign == 3000


@few()
@given(MS, MS, MS, MS)
def test_the_harmonic_score_is_never_the_higher_one(
    tcp: list[float], tls: list[float], http: list[float], own: list[float]
) -> None:
    score = Score.of(Times(tcp, tls, http, own))
    assert score.harmonic <= score.rpm * (1 + 1e-9)
    assert min(score.foreign, score.loaded) <= score.rpm * (1 + 1e-9)


@pytest.mark.parametrize(("mbps", "pairs"), [(0, 1.0), (1, 1.04), (15, 15.6), (48, 50), (1000, 50)])
def test_probes_take_a_twentieth_of_the_way_and_no_more_than_a_hundred_a_second(
    mbps: float, pairs: float
) -> None:
    assert pairs_per_s(mbps * 1e6 / 8) == pytest.approx(pairs, abs=0.05)


def test_without_tls_there_are_three_times_as_many() -> None:
    assert pairs_per_s(125_000, tls=False) == 3 * pairs_per_s(125_000)


def test_a_plan_reckons_with_as_many_intervals_as_the_draft_has_at_most() -> None:
    assert draft.most_intervals() == MOST_INTERVALS
