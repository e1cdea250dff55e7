# SPDX-License-Identifier: Apache-2.0
"""Packets of a flow: their order by sending, the curve that lost ones keep below 1, medians."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatemark.judge.math.nearest import percentile
from gatemark.judge.queue.flow import Flow, pooled, within

TIMES = st.lists(st.integers(0, 10**12), max_size=30)
DELAYS = st.lists(st.integers(1, 10**9), min_size=1, max_size=60)


@given(DELAYS, TIMES)
def test_the_curve_ends_where_the_loss_begins(delays: list[int], lost: list[int]) -> None:
    flow = Flow(list(range(len(delays))), [float(delay) for delay in delays], sorted(lost))
    steps = within(flow)
    assert steps[-1][0] == max(delays)
    assert steps[-1][1] == pytest.approx(1 - flow.loss_ratio)
    assert [delay for delay, _ in steps] == sorted(set(delays))
    assert all(low < high for (_, low), (_, high) in pairwise(steps))


@given(DELAYS, st.floats(0.001, 1))
def test_a_percentile_is_the_least_that_so_many_keep(delays: list[int], share: float) -> None:
    value = percentile(delays, share)
    kept = sum(delay <= value for delay in delays)
    below = sum(delay < value for delay in delays)
    assert below < share * len(delays) <= kept + 1e-9


def test_no_values_have_no_percentile() -> None:
    with pytest.raises(ValueError, match="no percentile"):
        percentile([], 0.5)


def test_packets_that_overtook_stand_by_their_sending() -> None:
    flow = Flow.of(([100, 110], [60.0, 5.0]), ([70, 20], [0.0, 0.0]))
    assert list(flow.sent_ns) == [40, 105]
    assert list(flow.delay_ns) == [60.0, 5.0]
    assert list(flow.lost_ns) == [20, 70]


@given(DELAYS, TIMES, st.integers(0, 60), st.integers(0, 60))
def test_parts_hold_all_packets(delays: list[int], lost: list[int], a: int, b: int) -> None:
    flow = Flow(list(range(len(delays))), [float(d) for d in delays], sorted(lost))
    low, high = sorted((a, b))
    edges = [float("-inf"), low, high, float("inf")]
    parts = [flow.between(*pair) for pair in pairwise(edges)]
    assert sum(part.packets for part in parts) == flow.packets
    assert pooled(parts) == pooled([flow])


def test_a_step_without_packets_is_like_the_one_before() -> None:
    flow = Flow([0, 1, 25], [4.0, 8.0, 9.0])
    assert flow.medians(0, 39, 10) == [6.0, 6.0, 9.0]
    assert flow.medians(-20, 10, 10) == [6.0]
