# SPDX-License-Identifier: Apache-2.0
"""Runs of losses against a slow way of counting them."""

from itertools import groupby

import pytest
from few import few
from hypothesis import given
from hypothesis import strategies as st

from gatemark.judge.math.runs import Runs, runs

FEWER = few()
LOST = st.lists(st.booleans())


@FEWER
@given(LOST)
def test_runs_are_those_that_grouping_finds(lost: list[bool]) -> None:
    lengths = [len(list(run)) for is_lost, run in groupby(lost) if is_lost]
    counted = runs(lost)
    assert (counted.packets, counted.lost) == (len(lost), sum(lengths))
    assert (counted.count, counted.longest) == (len(lengths), max(lengths, default=0))


@FEWER
@given(LOST, LOST)
def test_flows_are_added_and_never_joined(first: list[bool], second: list[bool]) -> None:
    both = runs(first) + runs(second)
    assert both.count == runs(first).count + runs(second).count
    assert both.lost == sum(first) + sum(second)


def test_losses_in_bursts_have_a_higher_burst_r_than_single_ones() -> None:
    single, burst = [False, True] * 10, [False] * 10 + [True] * 10
    assert runs(single).burst_r == pytest.approx(0.5)
    assert runs(burst).burst_r == pytest.approx(5.0)
    assert Runs(packets=9).burst_r == 1.0
