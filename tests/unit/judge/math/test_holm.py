# SPDX-License-Identifier: Apache-2.0
"""Holm's adjustment by its definition."""

from gatemark.judge.math.holm import adjusted


def test_the_smallest_is_multiplied_by_the_rows_the_next_by_one_less() -> None:
    assert adjusted([0.03, 0.01, 0.5]) == [0.06, 0.03, 0.5]


def test_none_is_smaller_than_one_that_was_more_certain() -> None:
    assert adjusted([0.02, 0.021]) == [0.04, 0.04]


def test_nothing_is_more_than_certain() -> None:
    assert adjusted([0.9, 0.8]) == [1.0, 1.0]


def test_a_table_without_rows() -> None:
    assert adjusted([]) == []
