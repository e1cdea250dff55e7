# SPDX-License-Identifier: Apache-2.0
"""Least squares: what was planted comes out, what rows do not tell is said."""

from statistics import fmean

import pytest
from few import few
from hypothesis import given
from hypothesis import strategies as st

from gatemark.judge.capacity.linear import independent, relative, total, weighted

FEWER = few()
NUMBER = st.floats(-100, 100).map(lambda x: round(x, 2))
ROWS = [[1.0, x, x * x] for x in (1.0, 2.0, 3.0, 5.0, 8.0)]


def test_a_sum_without_error_is_found() -> None:
    planted = [1000.0, 20.0, 0.5]
    found = relative(ROWS, [total(planted, row) for row in ROWS])
    assert found == pytest.approx(planted)


@FEWER
@given(st.lists(st.tuples(NUMBER, NUMBER), min_size=4, max_size=9, unique_by=lambda p: p[0]))
def test_a_weighted_line_is_that_of_the_weighted_means(points: list[tuple[float, float]]) -> None:
    rows = [[1.0, x] for x, _ in points]
    if max(x for x, _ in points) - min(x for x, _ in points) < 1:
        return
    weights = [1.0 + at for at in range(len(points))]
    found = weighted(rows, [y for _, y in points], weights)
    middle_x, middle_y = (fmean(values, weights) for values in zip(*points, strict=True))
    weighed = list(zip(points, weights, strict=True))
    slope = sum(w * (x - middle_x) * (y - middle_y) for (x, y), w in weighed)
    slope /= sum(w * (x - middle_x) ** 2 for (x, _), w in weighed)
    assert found == pytest.approx([middle_y - slope * middle_x, slope], rel=1e-5, abs=1e-5)


def test_relative_errors_count_not_absolute_ones() -> None:
    """100 ns off at 1 000 is as bad as 10 000 off at 100 000: they pull equally."""
    found = relative([[1.0], [100.0]], [1100.0, 90_000.0])
    assert found is not None
    assert found[0] == pytest.approx(1010, rel=0.01)


def test_columns_that_others_make_up_are_seen() -> None:
    rows = [[1.0, x, 2 * x, 1 + x, x * x] for x in (1.0, 2.0, 3.0, 4.0)]
    assert independent(rows) == [0, 1, 4]


@pytest.mark.parametrize("rows", [[[1.0, 2.0]], [[1.0, 2.0], [2.0, 4.0]], [[1.0, 0.0], [2.0, 0.0]]])
def test_what_rows_do_not_tell_has_no_answer(rows: list[list[float]]) -> None:
    assert weighted(rows, [1.0] * len(rows), [1.0] * len(rows)) is None
