# SPDX-License-Identifier: Apache-2.0
"""Percentiles of log-linear histograms: within the bucket of the packet that they are of."""

from collections import Counter
from statistics import fmean

import pytest
from few import few
from hypothesis import given
from hypothesis import strategies as st

from gatemark.judge.math.histogram import (
    RESOLUTION,
    is_told,
    mean,
    merged,
    percentile,
    reached,
    width,
    within,
)

FEWER = few()


def low(value: int) -> int:
    """Bucket of a value, shifted until 32 to 63 are left (agent/src/count/histogram.h)."""
    shift = 0
    while value >> shift >= 64:
        shift += 1
    return value >> shift << shift


@FEWER
@given(st.integers(0, 2**36 - 1))
def test_a_bucket_ends_where_the_next_one_begins(value: int) -> None:
    begins = low(value)
    assert low(begins + width(begins) - 1) == begins
    assert low(begins + width(begins)) == begins + width(begins)
    assert width(begins) <= max(1, begins * RESOLUTION)


@FEWER
@given(
    delays=st.lists(st.integers(0, 10**9), min_size=1, max_size=200),
    share=st.sampled_from([0.5, 0.9, 0.99, 0.999]),
)
def test_a_percentile_is_in_the_bucket_of_the_nearest_rank(delays: list[int], share: float) -> None:
    counts = merged([([low(delay) for delay in delays], [1] * len(delays))])
    place = -(-round(share * 1000) * len(delays) // 1000)
    begins = low(sorted(delays)[place - 1])
    assert begins <= percentile(counts, share) <= begins + width(begins) - 1


def test_inside_a_bucket_packets_are_evenly_spread() -> None:
    counts = {1024: 100.0}  # 32 values
    assert percentile(counts, 0.5) == pytest.approx(1024 + 15.5, abs=0.5)


def test_a_rank_lies_in_the_middle_of_its_share_of_a_bucket() -> None:
    counts = {1024: 4.0, 2048: 4.0}  # 32 and 64 values wide
    found = [percentile(counts, at / 8) for at in range(9)]
    places = [(rank + 0.5) / 4 for rank in range(4)]
    assert found[0] == 1024
    assert found[1:5] == [1024 + 31 * place for place in places]
    assert found[5:] == [2048 + 63 * place for place in places]


def test_nothing_has_no_percentile() -> None:
    with pytest.raises(ValueError, match="empty"):
        percentile({}, 0.5)


def test_a_percentile_needs_ten_packets_above_it() -> None:
    needed = {0.9: 100, 0.99: 1_000, 0.999: 10_000, 0.9999: 100_000}
    told = {
        share: [is_told(share, packets) for packets in (least - 1, least)]
        for share, least in needed.items()
    }
    assert told == {share: [False, True] for share in needed}


def test_a_median_is_told_by_one_packet() -> None:
    assert is_told(0.5, 1)


def test_reached_is_the_share_that_took_so_long_or_longer() -> None:
    assert list(reached({30: 5, 100: 4, 4992: 1})) == [(30, 1.0), (100, 0.5), (4992, 0.1)]


@FEWER
@given(st.lists(st.integers(0, 1 << 30), min_size=1), st.integers(0, 1 << 30))
def test_the_share_within_a_limit_is_right_to_a_bucket(values: list[int], limit: int) -> None:
    counts = Counter(low(value) for value in values)
    surely = sum(low(value) + width(low(value)) <= limit for value in values)
    perhaps = sum(low(value) <= limit for value in values)
    assert surely - 1e-9 <= within(counts, limit) * len(values) <= perhaps + 1e-9


@FEWER
@given(st.lists(st.integers(0, 1 << 30), min_size=1))
def test_a_mean_is_right_to_a_32nd(values: list[int]) -> None:
    counts = Counter(low(value) for value in values)
    assert mean(counts) == pytest.approx(fmean(values), rel=1 / 32, abs=1)


def test_of_no_packets_none_is_within_a_limit() -> None:
    assert within({}, 10) == 0
