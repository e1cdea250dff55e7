# SPDX-License-Identifier: Apache-2.0
"""Student's t in closed form agrees with scipy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as reference

from gatemark.stats.math import student


@given(st.floats(-60, 60), st.integers(1, 400))
def test_tail_agrees_with_scipy(t: float, df: int) -> None:
    # Near 0 it is scipy that rounds: its tail of 6e-10 at one degree of freedom is a half.
    assert student.two_sided(t, df) == pytest.approx(2 * reference.sf(abs(t), df), abs=1e-9)


@given(st.floats(1e-8, 1), st.integers(1, 200))
def test_quantile_agrees_with_scipy(p: float, df: int) -> None:
    assert student.quantile(p, df) == pytest.approx(reference.isf(p / 2, df), rel=1e-3, abs=1e-6)


def test_infinite_t_has_no_tail() -> None:
    assert student.two_sided(float("inf"), 10) == 0.0
