# SPDX-License-Identifier: Apache-2.0
"""The letter of an added delay: its limits, and that more delay is never a better one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatemark.stats.verdict.grade import LETTERS, letter

NS = st.floats(-1e8, 1e10)


@pytest.mark.parametrize(
    ("added_ms", "expected"),
    [
        (-1, "A+"),
        (4.9, "A+"),
        (5, "A"),
        (29.9, "A"),
        (30, "B"),
        (60, "C"),
        (200, "D"),
        (400, "F"),
    ],
)
def test_a_grade_changes_at_its_limit(added_ms: float, expected: str) -> None:
    assert letter(added_ms * 1e6) == expected


@given(NS, NS)
def test_more_delay_is_never_a_better_letter(a: float, b: float) -> None:
    less, more = sorted((a, b))
    assert LETTERS.index(letter(less)) <= LETTERS.index(letter(more))
