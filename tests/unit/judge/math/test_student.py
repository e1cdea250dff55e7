# SPDX-License-Identifier: Apache-2.0
"""Student's t in closed form is that of scipy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatemark.judge.math import student

# Degrees of freedom, and how likely |T| is at least 0.5 and 2.
TAILS = {
    1: (0.7048327646991335, 0.2951672353008665),
    2: (0.6666666666666667, 0.18350341907227397),
    3: (0.651447964848151, 0.13932596855884305),
    4: (0.6433299631818633, 0.11611652351681556),
    31: (0.6206059512477189, 0.05432721536717571),
    400: (0.6173500219035637, 0.04617594517356813),
    401: (0.6173493365222263, 0.04617425822511381),
    9_000: (0.617087301732359, 0.04553026046018522),
}
# The same, and the t of 1e-6, 5 % and 80 %.
QUANTILES = {
    1: (636619.7723670577, 12.706204736174705, 0.32491969623290634),
    2: (999.9992499998438, 4.302652729749464, 0.2886751345948128),
    3: (130.15458955835794, 3.1824463052837086, 0.2766706623326898),
    31: (6.0719759247184, 2.039513446396408, 0.2555321683175276),
    401: (4.968700383067517, 1.9658974653365162, 0.25351525428763383),
    100_000: (4.891943340715112, 1.95998770753461, 0.25334777715718015),
}


@pytest.mark.parametrize("df", TAILS)
def test_tail_is_scipys(df: int) -> None:
    assert [student.two_sided(t, df) for t in (0.5, 2.0)] == pytest.approx(TAILS[df], abs=1e-12)
    assert student.two_sided(-2.0, df) == student.two_sided(2.0, df)


def test_less_than_one_degree_of_freedom_is_one() -> None:
    assert student.two_sided(2.0, 0) == student.two_sided(2.0, 1)


@pytest.mark.parametrize("df", QUANTILES)
def test_quantile_is_scipys(df: int) -> None:
    made = [student.quantile(p, df) for p in (1e-6, 0.05, 0.8)]
    assert made == pytest.approx(QUANTILES[df], rel=1e-5)


def test_what_is_certain_is_exceeded_by_no_t_above_0() -> None:
    assert student.quantile(1.0, 5) == pytest.approx(0, abs=1e-9)


@pytest.mark.long
@given(st.floats(-60, 60), st.integers(1, 1_000_000))
def test_any_tail_agrees_with_scipy(t: float, df: int) -> None:
    from scipy.stats import t as reference

    # Near 0 it is scipy that rounds: its tail of 6e-10 at one degree of freedom is a half.
    assert student.two_sided(t, df) == pytest.approx(2 * reference.sf(abs(t), df), abs=1e-9)


@pytest.mark.long
@given(st.floats(1e-9, 1), st.integers(1, 1_000_000))
def test_any_quantile_agrees_with_scipy(p: float, df: int) -> None:
    from scipy.stats import t as reference

    assert student.quantile(p, df) == pytest.approx(reference.isf(p / 2, df), rel=1e-3, abs=1e-6)


def test_infinite_t_has_no_tail() -> None:
    assert student.two_sided(float("inf"), 10) == 0.0
