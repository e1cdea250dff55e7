# SPDX-License-Identifier: Apache-2.0
"""NaN: no function of statistics makes a number of it, wherever among its values it stands."""

from collections.abc import Callable, Sequence
from math import inf, nan
from typing import Any

import pytest

from gatemark.judge.math import (
    deadline,
    emodel,
    histogram,
    holm,
    interval,
    nearest,
    ranks,
    signed,
    student,
    variation,
)

FUNCTIONS: dict[str, Callable[[Sequence[float]], Any]] = {
    "signed.p_value": signed.p_value,
    "signed.middle": signed.middle,
    "ranks.p_value of old": lambda values: ranks.p_value(values, [1.0, 2.0]),
    "ranks.p_value of new": lambda values: ranks.p_value([1.0, 2.0], values),
    "ranks.doubled": ranks.doubled,
    "interval.median_interval": interval.median_interval,
    "nearest.percentile": lambda values: nearest.percentile(values, 0.5),
    "holm.adjusted": holm.adjusted,
    "student.two_sided": lambda values: [student.two_sided(value, 5) for value in values],
    "student.quantile": lambda values: [student.quantile(value / 100, 5) for value in values],
    "variation.pdv": variation.pdv,
    "deadline.misses": lambda values: deadline.misses(values, 1e9),
    "emodel.best_playout": lambda values: emodel.best_playout([values]),
    "histogram.percentile": lambda values: histogram.percentile(dict(enumerate(values)), 0.5),
    "histogram.within": lambda values: histogram.within(dict(enumerate(values)), 1.0),
}


@pytest.mark.parametrize("at", range(7))
@pytest.mark.parametrize("name", FUNCTIONS)
def test_nan_is_refused_at_any_place(name: str, at: int) -> None:
    values = [3.0, 1.0, 2.0, 6.0, 5.0, 4.0]
    FUNCTIONS[name](values)
    with pytest.raises(ValueError, match="NaN"):
        FUNCTIONS[name]([*values[:at], nan, *values[at:]])


def test_infinite_values_have_a_place_in_an_order() -> None:
    assert interval.median_interval([inf, 1.0, 2.0]).value == 2.0
