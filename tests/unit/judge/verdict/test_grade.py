# SPDX-License-Identifier: Apache-2.0
"""The letter of an added delay changes at its limits, and there alone."""

import pytest

from gatemark.judge.verdict.grade import letter


@pytest.mark.parametrize(
    ("added_ms", "expected"),
    [
        (-1, "A+"),
        (4.9, "A+"),
        (5, "A"),
        (29.9, "A"),
        (30, "B"),
        (59.9, "B"),
        (60, "C"),
        (199.9, "C"),
        (200, "D"),
        (399.9, "D"),
        (400, "F"),
    ],
)
def test_a_grade_changes_at_its_limit(added_ms: float, expected: str) -> None:
    assert letter(added_ms * 1e6) == expected
