# SPDX-License-Identifier: Apache-2.0
"""Steps of a trial's time: how steady a rate is, and a delay where nothing arrived."""

import pytest

from gatemark.judge.point.steps import even, medians, steady


def test_a_step_without_a_value_has_no_median() -> None:
    assert medians([[3.0, 1.0, 2.0], []]) == [2.0, None]


@pytest.mark.parametrize(
    ("rates", "share"),
    [
        ([100.0, 100.0, 110.0, 90.0], 1.0),  # a tenth away is near
        ([100.0, 100.0, 100.0, 111.0], 0.75),
        ([100.0, None, 50.0, 100.0, 100.0], 0.75),  # of those that are known
        ([100.0], 1.0),
        ([None], 0.0),
        ([], 0.0),
    ],
)
def test_a_rate_is_as_steady_as_its_share_near_the_median(
    rates: list[float | None], share: float
) -> None:
    assert steady(rates) == share


def test_delays_are_averaged_by_packets_and_a_silent_step_repeats_the_last() -> None:
    readings = [(100.0, 10.0, 0.0, 1.0), (101.0, 40.0, 0.0, 2.0), (120.0, 7.0, 0.0, 5.0)]
    assert even(readings, began=100.0, step_ns=10.0) == [30.0, 30.0, 7.0]
    assert even([], began=100.0, step_ns=10.0) == []
