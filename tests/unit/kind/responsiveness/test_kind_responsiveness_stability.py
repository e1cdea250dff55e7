# SPDX-License-Identifier: Apache-2.0
"""The course of a test over intervals made by hand."""

import pytest
from few import few
from hypothesis import given
from hypothesis import strategies as st

from gatemark.kind.responsiveness.draft import LONGEST_PHASE, MAD
from gatemark.kind.responsiveness.stability import MEASURING, SATURATING, Course, is_stable

STEADY = 100.0


def course(rates: list[float], scores: list[float | None] | None = None) -> Course:
    made = Course()
    for at, rate in enumerate(rates):
        if not made.over:
            made.interval([rate], scores[at] if scores else 500.0)
    return made


@pytest.mark.parametrize(
    ("values", "stable"),
    [
        ([100, 100, 100, 100], True),
        ([100, 100, 100], False),  # a window that is not full
        ([1, 100, 100, 100, 100], True),  # what was before it counts no more
        ([100, 110, 100, 110], True),  # deviation 5 of 110
        ([110, 100, 110, 100], False),  # 5 of 100 is not below
        ([90, 100, 110, 100], False),
        ([0, 0, 0, 0], False),  # nothing came: no rate to be stable at
    ],
)
def test_values_are_alike_within_a_twentieth_of_the_newest(
    values: list[float], stable: bool
) -> None:
    assert is_stable(values) is stable


@few()
@given(st.floats(1e-3, 1e12), st.integers(4, 9))
def test_what_never_changes_is_stable(value: float, count: int) -> None:
    assert is_stable([value] * count)


@few()
@given(st.lists(st.integers(1, 100), min_size=4, max_size=4))
def test_the_newest_is_the_measure_whatever_the_order_of_the_others(values: list[int]) -> None:
    *others, newest = values
    assert is_stable([*sorted(others), newest]) == is_stable([*others, newest])
    assert not is_stable([*values, 2 * max(values)])


def test_a_steady_way_takes_eleven_intervals() -> None:
    """Four fill a window, four windows are alike after seven; then four scores."""
    made = course([STEADY] * 30)
    assert (made.intervals, made.saturated_after, made.over) == (11, 7, True)
    assert (made.goodput_stable, made.rpm_stable) == (True, True)
    assert made.confidence(100, 0) == "high"


def test_phase_2_begins_once_the_goodput_is_stable() -> None:
    made = course([STEADY] * 6)
    assert made.phase == SATURATING
    made.interval([STEADY], 500.0)
    assert (made.phase, made.scores) == (MEASURING, [])


def test_a_growing_goodput_ends_phase_1_at_its_limit() -> None:
    made = course([2.0**at for at in range(60)])
    assert made.saturated_after == LONGEST_PHASE
    assert not made.goodput_stable
    assert made.rpm_stable
    assert made.confidence(100, 0) == "medium"


def test_a_restless_score_ends_phase_2_at_its_limit() -> None:
    made = course([STEADY] * 60, [100.0 if at % 2 else 900.0 for at in range(60)])
    assert made.intervals == 7 + LONGEST_PHASE
    assert made.over
    assert made.confidence(100, 0) == "medium"


def test_without_a_score_there_is_no_confidence() -> None:
    made = course([STEADY] * 60, [None] * 60)
    assert made.intervals == 7 + LONGEST_PHASE
    assert made.confidence(100, 0) == "low"


def test_many_failed_probes_leave_no_confidence() -> None:
    made = course([STEADY] * 30)
    assert made.confidence(100, 5) == "high"
    assert made.confidence(100, 6) == "low"


def test_each_direction_has_to_be_stable() -> None:
    made = Course(ways=2)
    for at in range(MAD * 3):
        made.interval([STEADY, 2.0**at], 500.0)
    assert (made.phase, made.goodput_stable) == (SATURATING, False)


@few()
@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=45), st.floats(1, 1e5))
def test_a_test_always_ends(rates: list[float], score: float) -> None:
    made = course((rates * 45)[:45], [score] * 45)
    assert made.over
    assert 11 <= made.intervals <= 2 * LONGEST_PHASE
