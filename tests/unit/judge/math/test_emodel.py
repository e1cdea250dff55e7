# SPDX-License-Identifier: Apache-2.0
"""The E-model against values that were worked out from G.107's formulas by hand."""

import pytest
from few import few
from hypothesis import given
from hypothesis import strategies as st

from gatemark.judge.math.emodel import (
    BUFFERS_MS,
    UNCONCEALED,
    best_playout,
    delay_impairment,
    loss_impairment,
    mos,
    rating,
)

FEWER = few()
MS = 1e6
SHARES = st.floats(0, 1)
DELAYS = st.one_of(st.none(), st.integers(0, 10**9))


def test_an_opinion_is_that_of_annex_b() -> None:
    opinions = {93.2: 4.41, 80: 4.02, 70: 3.60, 60: 3.10, 3: 1.0, -5: 1.0, 100: 4.5}
    assert {r: mos(r) for r in opinions} == pytest.approx(opinions, abs=0.005)


def test_delay_impairs_from_100_ms_on() -> None:
    impairments = {0: 0, 100: 0, 150: 0.16, 200: 3.04, 300: 14.8, 400: 24.1}
    made = {one_way_ms: delay_impairment(one_way_ms) for one_way_ms in impairments}
    assert made == pytest.approx(impairments, abs=0.05)


def test_loss_impairs_a_call_that_conceals_it() -> None:
    impairments = {0: 0, 1: 3.6, 3: 10.1, 5: 15.8}
    made = {percent: loss_impairment(percent / 100) for percent in impairments}
    assert made == pytest.approx(impairments, abs=0.05)


@FEWER
@given(st.floats(-200, 200))
def test_an_opinion_is_from_1_to_four_and_a_half(r: float) -> None:
    assert 1 <= mos(r) <= 4.5


@FEWER
@given(st.floats(10, 92), st.floats(0, 8))
def test_a_better_rating_is_no_worse_an_opinion(r: float, more: float) -> None:
    assert mos(r + more) >= mos(r)


@FEWER
@given(st.floats(0, 2000), st.floats(0, 500), SHARES, SHARES, st.floats(1, 50))
def test_more_delay_or_loss_rates_no_better(
    one_way_ms: float, more_ms: float, lost: float, more: float, burst_r: float
) -> None:
    best = rating(one_way_ms, lost, burst_r)
    assert rating(one_way_ms + more_ms, lost, burst_r) <= best + 1e-9
    assert rating(one_way_ms, min(1.0, lost + more), burst_r) <= best + 1e-9


@FEWER
@given(SHARES, st.floats(1, 50))
def test_bursts_and_bare_losses_rate_no_better(lost: float, burst_r: float) -> None:
    assert loss_impairment(lost, burst_r) >= loss_impairment(lost)
    assert loss_impairment(lost, 1.0, UNCONCEALED) >= loss_impairment(lost)


def test_an_even_call_is_played_as_soon_as_can_be() -> None:
    heard = best_playout([[5 * MS] * 100])
    assert heard is not None
    assert (heard.delay_ns, heard.lost_ratio) == (25 * MS, 0.0)
    assert mos(heard.rating) == pytest.approx(4.41, abs=0.005)


def test_a_buffer_grows_until_what_it_saves_is_not_worth_the_wait() -> None:
    """A tenth of the packets is 75 ms behind: 80 ms of buffer play all of them."""
    heard = best_playout([([0.0] * 9 + [75 * MS]) * 10])
    assert heard is not None
    assert (heard.delay_ns, heard.lost_ratio) == (80 * MS, 0.0)


def test_nothing_that_arrived_is_no_call() -> None:
    assert best_playout([[None, None]]) is None


@FEWER
@given(st.lists(st.lists(DELAYS, max_size=30), max_size=3))
def test_no_buffer_is_better_than_the_chosen_one(flows: list[list[int | None]]) -> None:
    """Against all choices, each rated anew."""
    heard = best_playout(flows)
    came = [delay for flow in flows for delay in flow if delay is not None]
    if heard is None:
        assert not came
        return
    packets = sum(map(len, flows))
    for buffer_ms in BUFFERS_MS:
        playout_ns = min(came) + buffer_ms * MS
        gone = packets - sum(delay <= playout_ns for delay in came)
        least = rating(playout_ns / MS + 20, gone / packets, packets)
        assert heard.rating >= least - 1e-9
