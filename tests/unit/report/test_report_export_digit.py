# SPDX-License-Identifier: Apache-2.0
"""Digits of a value in a text."""

from functools import cache

import builder
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from gatemark.report.export.digit import rounded
from gatemark.stats.judgement import Value
from gatemark.stats.values import values

NUMBERS = st.floats(-1e12, 1e12)


@cache
def plain() -> Value:
    return values(builder.judgement())[0]


def digits(value: float, lo: float, hi: float) -> tuple[str, ...]:
    made = rounded(replace(plain(), value=value, lo=lo, hi=hi))
    return tuple(map(str, (made.value, made.lo, made.hi)))


@pytest.mark.parametrize(
    ("interval", "printed"),
    [
        ((26214.34, 26014.1, 26414.9), ("26210", "26010", "26410")),
        ((26214.34, 25814.1, 26614.9), ("26200", "25800", "26600")),
        ((0.98123456, 0.97923, 0.98334), ("0.9812", "0.9792", "0.9833")),
        ((1.0, 0.004, 40.0), ("1.0", "0.004", "40.0")),  # an end that is not zero
        ((410808.55421, 410808.55421, 410808.55421), ("410809",) * 3),  # no interval
        ((0.98571428571, 0.98571428571, 0.98571428571), ("0.985714",) * 3),
        ((12345678.0, 12345678.0, 12345678.0), ("12345678",) * 3),
        ((0.0, 0.0, 0.0), ("0.0",) * 3),
        ((5.0, 1.0, float("inf")), ("5.0", "1.0", "inf")),
    ],
)
def test_a_value_ends_where_its_error_ends(
    interval: tuple[float, float, float], printed: tuple[str, ...]
) -> None:
    assert digits(*interval) == printed


def test_the_smallest_change_ends_there_too() -> None:
    made = rounded(replace(plain(), value=5.0123, lo=4.5, hi=5.5, mde=0.43219))
    assert made.mde == 0.4


def test_probabilities_have_six_figures() -> None:
    made = rounded(replace(plain(), level=0.9572260547429323, p=0.0021645021645))
    assert (made.level, made.p) == (0.957226, 0.0021645)


@given(st.tuples(NUMBERS, NUMBERS, NUMBERS).map(sorted))
def test_rounding_moves_nothing_by_a_fifth_of_the_error(ends: list[float]) -> None:
    value: Value = replace(plain(), lo=ends[0], value=ends[1], hi=ends[2])
    made, error = rounded(value), max(ends[1] - ends[0], ends[2] - ends[1])
    for exact, whole in zip(
        (value.lo, value.value, value.hi), (made.lo, made.value, made.hi), strict=True
    ):
        assert abs(exact - whole) <= (error / 5 or 6e-6 * abs(exact)) + 1e-9 * abs(exact)
    assert made.lo <= made.value <= made.hi
