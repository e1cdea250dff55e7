# SPDX-License-Identifier: Apache-2.0
"""A walk into which a tick fell, or two interrupts at once, is told from one of a packet alone."""

import pytest

from gatemark.probe.disturbed import Met, met, undisturbed

WHOLE, SHORT, TICKED = Met(False, 2), Met(False, 1), Met(True, 2)
NAMES = ["handle_int", "handle_softirqs", "net_rx_action", "handle_softirqs", "tick_sched_timer"]
BEGUN = {0, 1, 2}  # the third slot goes on in the midst of its function


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ([0, 1, 2], SHORT),
        ([0, 1, 2, 3, 0, 1], WHOLE),
        ([0, 1, 4, 1], TICKED),
        ([0, 3], Met(False, 0)),
    ],
)
def test_ticks_and_rounds_are_read_of_the_functions(path: list[int], expected: Met) -> None:
    assert met(path, NAMES.__getitem__, BEGUN.__contains__) == expected


def test_walks_with_a_tick_or_a_round_less_are_left_out() -> None:
    assert undisturbed([WHOLE, TICKED, SHORT, WHOLE]) == [True, False, False, True]


def test_the_longer_way_is_kept_where_most_went_the_shorter() -> None:
    """So records of a quiet and of a busy machine keep the same."""
    assert undisturbed([WHOLE, *[SHORT] * 8, TICKED]) == [True, *[False] * 9]


def test_a_way_that_hardly_any_went_is_not_judged_by() -> None:
    assert undisturbed([WHOLE, *[SHORT] * 10]) == [False, *[True] * 10]


def test_all_are_kept_where_nearly_each_has_a_tick() -> None:
    assert undisturbed([WHOLE, *[TICKED] * 10]) == [True] * 11
