# SPDX-License-Identifier: Apache-2.0
"""A change is told as often as it is promised, and no oftener."""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from math import log
from random import Random
from statistics import median

import pytest
from few import few
from hypothesis import given
from hypothesis import strategies as st

from gatemark.judge.change.compare import UNBOUNDED, compare, holm, untold
from gatemark.judge.judgement import Change

from ..conftest import seeded

Draw = Callable[[Random], float]
NOISES: dict[str, Draw] = {
    "normal": lambda chance: chance.gauss(1, 0.01),
    "skewed": lambda chance: 1 - 0.01 * chance.expovariate(1),
    "hiccups": lambda chance: chance.gauss(1, 0.002) - 0.05 * (chance.random() < 0.15),
}
SAMPLES = st.lists(st.floats(1, 1e5), min_size=1, max_size=12)
ANY = st.lists(st.floats(-10, 1e12), min_size=1, max_size=12)
TOLD = ("faster", "slower")
CASES = 1000
FEWER = few()


def drawn(draw: Draw, chance: Random, n: int, factor: float = 1.0) -> list[float]:
    return [factor * draw(chance) for _ in range(n)]


@cache
def changes(
    noise: str, n: int, factor: float = 1.0, within: float = 0.01, cases: int = CASES
) -> list[Change]:
    chance, draw = seeded(n), NOISES[noise]
    return [
        compare(drawn(draw, chance, n), drawn(draw, chance, n, factor), within)
        for _ in range(cases)
    ]


def share(found: Sequence[Change], verdicts: Sequence[str]) -> float:
    return sum(change.verdict in verdicts for change in found) / len(found)


# --- the estimate


@FEWER
@given(SAMPLES, SAMPLES)
def test_change_is_the_median_of_all_ratios(old: list[float], new: list[float]) -> None:
    middle = median(log(b) - log(a) for a, b in product(old, new))
    assert log(1 + compare(old, new).change.value) == pytest.approx(middle, abs=1e-6)


@FEWER
@given(ANY, ANY)
def test_any_samples_give_finite_numbers_in_order(old: list[float], new: list[float]) -> None:
    change = compare(old, new)
    assert -1 < change.change.lo <= change.change.value <= change.change.hi <= UNBOUNDED * 1.001
    assert 0 <= change.p <= 1
    assert 0 <= change.mde <= UNBOUNDED


@FEWER
@given(SAMPLES, SAMPLES)
def test_the_other_way_round_is_the_inverse(old: list[float], new: list[float]) -> None:
    there, back = compare(old, new), compare(new, old)
    flipped = {"faster": "slower", "slower": "faster"}
    assert (1 + there.change.lo) * (1 + back.change.hi) == pytest.approx(1, rel=1e-6)
    assert there.p == pytest.approx(back.p)
    assert there.verdict == flipped.get(back.verdict, back.verdict)


@FEWER
@given(SAMPLES, SAMPLES, st.integers(-20, 20))
def test_the_unit_does_not_matter(old: list[float], new: list[float], power: int) -> None:
    scaled = compare([x * 2.0**power for x in old], [x * 2.0**power for x in new])
    plain = compare(old, new)
    assert scaled.change.value == pytest.approx(plain.change.value, rel=1e-6, abs=1e-9)
    assert (scaled.p, scaled.verdict) == (plain.p, plain.verdict)


@pytest.mark.parametrize(
    ("noise", "n"),
    [
        ("normal", 6),
        pytest.param("skewed", 6, marks=pytest.mark.long),
        pytest.param("hiccups", 6, marks=pytest.mark.long),
        pytest.param("normal", 12, marks=pytest.mark.long),
        pytest.param("skewed", 12, marks=pytest.mark.long),
        pytest.param("hiccups", 12, marks=pytest.mark.long),
    ],
)
def test_interval_covers_the_true_change(noise: str, n: int) -> None:
    found = changes(noise, n, 1.05)
    covered = sum(c.change.lo <= 0.05 <= c.change.hi for c in found) / CASES
    assert covered >= 0.93


def test_interval_tells_the_level_that_it_reached() -> None:
    assert compare(range(1, 7), range(1, 7)).change.level == pytest.approx(0.9589, abs=1e-4)


def test_no_samples_are_no_change_either() -> None:
    with pytest.raises(ValueError, match="no samples"):
        compare([], [1.0])


# --- the verdict


@pytest.mark.parametrize(
    ("noise", "n"),
    [
        ("hiccups", 6),
        pytest.param("normal", 6, marks=pytest.mark.long),
        pytest.param("skewed", 6, marks=pytest.mark.long),
        pytest.param("normal", 12, marks=pytest.mark.long),
        pytest.param("skewed", 12, marks=pytest.mark.long),
        pytest.param("hiccups", 12, marks=pytest.mark.long),
    ],
)
def test_same_setup_twice_is_called_different_in_5_percent_at_most(noise: str, n: int) -> None:
    assert share(changes(noise, n, within=0.0), TOLD) <= 0.05 + 0.015


def test_a_change_of_5_percent_at_a_spread_of_1_is_always_found() -> None:
    assert share(changes("normal", 6, 1.05), ["faster"]) == 1.0


def test_a_change_below_the_noise_is_never_called_faster() -> None:
    chance = seeded(3)
    draw: Draw = lambda chance: chance.gauss(1, 0.002)  # noqa: E731
    found = [compare(drawn(draw, chance, 6), drawn(draw, chance, 6, 1.005)) for _ in range(200)]
    assert share(found, TOLD) == 0.0


def test_a_change_below_the_noise_is_seldom_called_faster_where_spread_is_twice_it() -> None:
    assert share(changes("normal", 6, 1.005), TOLD) <= 0.12


@pytest.mark.parametrize(
    ("factor", "higher_is_better", "verdict"),
    [(1.1, True, "faster"), (0.9, True, "slower"), (1.1, False, "slower"), (0.9, False, "faster")],
)
def test_faster_is_what_is_better(factor: float, higher_is_better: bool, verdict: str) -> None:
    old = [100, 101, 102, 103, 104, 105]
    new = [factor * x for x in old]
    assert compare(old, new, higher_is_better=higher_is_better).verdict == verdict


def test_found_but_small_is_within_noise() -> None:
    old = [1000.0, 1000.1, 1000.2, 1000.3, 1000.4, 1000.5]
    assert compare(old, [x * 1.005 for x in old]).verdict == "within noise"


def test_narrow_interval_around_nothing_is_no_change() -> None:
    assert compare([1000, 1001, 1002, 1003], [1000, 1001, 1002, 1003]).verdict == "no change"


def test_narrow_interval_that_reaches_beyond_the_noise_is_inconclusive() -> None:
    old, new = [1000, 1001, 1002, 1003, 1012, 1013], [1000.5, 1010, 1011, 1012.5, 1013.5, 1014]
    change = compare(old, new)
    assert change.change.lo <= 0
    assert change.change.hi > 0.01
    assert change.verdict == "inconclusive"


def test_three_repeats_say_nothing_and_ask_for_one_more() -> None:
    change = compare([100, 101, 102], [200, 201, 202])
    assert (change.verdict, change.more, change.mde) == ("inconclusive", 1, UNBOUNDED)


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [(0, 0, "no change"), (0, 5, "faster"), (5, 0, "slower"), (-5, 0, "no change")],
)
def test_nothing_is_a_rate_too(old: float, new: float, verdict: str) -> None:
    assert compare([old] * 6, [new] * 6).verdict == verdict


def test_what_the_tester_stood_in_the_way_of_has_no_verdict() -> None:
    change = untold(compare([100, 101, 102, 103], [200, 201, 202, 203]))
    assert (change.verdict, change.more) == ("inconclusive", 0)


# --- how much would be seen


def test_the_mde_change_is_that_of_scipys_t() -> None:
    """By the docstring of `compare`, with quantiles of scipy; then in a table of ten rows."""
    change = compare([100, 101, 102, 103], [100, 101, 102, 103])
    assert change.mde == pytest.approx(0.0520857663)
    assert holm([change] * 10)[0].mde == pytest.approx(0.0707279666)


@pytest.mark.parametrize(
    ("noise", "n", "least"),
    [
        ("normal", 6, 0.75),
        pytest.param("normal", 4, 0.73, marks=pytest.mark.long),
        pytest.param("normal", 12, 0.75, marks=pytest.mark.long),
        pytest.param("skewed", 6, 0.68, marks=pytest.mark.long),
        pytest.param("skewed", 12, 0.7, marks=pytest.mark.long),
        pytest.param("hiccups", 6, 0.6, marks=pytest.mark.long),
        pytest.param("hiccups", 12, 0.7, marks=pytest.mark.long),
    ],
)
def test_visible_change_is_found_in_about_four_of_five(noise: str, n: int, least: float) -> None:
    mde = median(change.mde for change in changes(noise, n))
    assert least <= share(changes(noise, n, 1 + mde), ["faster"]) <= 0.85


def test_more_repeats_make_an_inconclusive_change_visible() -> None:
    chance, draw = seeded(9), NOISES["normal"]
    unclear = [c for c in changes("normal", 6, 1.012, 0.0, 300) if c.verdict == "inconclusive"]
    asked = median(c.more for c in unclear)
    n = 6 + round(asked)
    found = [compare(drawn(draw, chance, n), drawn(draw, chance, n, 1.012), 0.0) for _ in range(99)]
    assert share(found, ["faster"]) >= 0.7


# --- tables


def table(noise: str, rows: int, chance: Random, last: float = 1.0) -> list[Change]:
    draw = NOISES[noise]
    factors = [1.0] * (rows - 1) + [last]
    pairs = [(drawn(draw, chance, 6), drawn(draw, chance, 6, factor)) for factor in factors]
    return holm([compare(old, new, 0.0) for old, new in pairs])


@pytest.mark.parametrize(
    ("noise", "rows"),
    [
        ("normal", 5),
        pytest.param("skewed", 5, marks=pytest.mark.long),
        pytest.param("hiccups", 5, marks=pytest.mark.long),
        pytest.param("normal", 40, marks=pytest.mark.long),
        pytest.param("skewed", 40, marks=pytest.mark.long),
        pytest.param("hiccups", 40, marks=pytest.mark.long),
    ],
)
def test_a_table_without_change_has_a_false_row_in_5_percent_at_most(noise: str, rows: int) -> None:
    chance = seeded(rows)
    wrong = sum(share(table(noise, rows, chance), TOLD) > 0 for _ in range(100))
    assert wrong / 100 <= 0.05 + 0.05


def test_one_large_change_is_found_in_a_table_that_ranks_alone_could_not_serve() -> None:
    assert table("normal", 60, seeded(2), 1.5)[-1].verdict == "faster"


def test_holm_multiplies_the_smallest_p_by_the_rows() -> None:
    found = [compare([1, 2, 3, 4, 5, 6.5], [x + shift for x in range(1, 7)]) for shift in (2, 0, 0)]
    assert holm(found)[0].p == pytest.approx(3 * found[0].p)


@FEWER
@given(st.lists(st.tuples(ANY, ANY), min_size=1, max_size=6))
def test_holm_never_lowers_p_and_keeps_the_order(pairs: list[tuple[list[float], ...]]) -> None:
    found = [compare(old, new) for old, new in pairs]
    adjusted = holm(found)
    assert all(after.p >= before.p for before, after in zip(found, adjusted, strict=True))
    assert [c.change for c in adjusted] == [c.change for c in found]


def test_a_table_of_one_row_is_that_row() -> None:
    change = compare([1, 2, 3, 4, 5, 6], [11, 12, 13, 14, 15, 16])
    assert holm([change])[0].verdict == change.verdict


def test_a_row_of_a_wide_table_needs_a_larger_change() -> None:
    change = compare([100, 101, 102, 103, 104, 105], [100, 101, 102, 103, 104, 105])
    assert holm([change] * 10)[0].mde > change.mde


OLD = [100.0, 101.0, 103.0, 104.0, 99.0]
NEW = [120.0, 131.0, 126.0, 140.0, 122.0, 129.0]


@pytest.mark.parametrize(("old", "new"), [(OLD, NEW), (NEW, OLD)])
def test_where_ranks_can_tell_no_more_p_is_that_of_welch(
    old: list[float], new: list[float]
) -> None:
    """By scipy's ttest_ind: t = 9.5073 and 6.547 degrees of freedom, which we round down."""
    assert compare(old, new).tail == pytest.approx(7.720182049782323e-05)


def test_samples_that_touch_are_told_by_ranks_alone() -> None:
    change = compare([*OLD, 120.0], NEW)
    assert change.tail == change.p
    assert compare([5.0] * 6, [7.0] * 6).tail == 0.0
