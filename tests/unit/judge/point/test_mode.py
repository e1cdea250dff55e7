# SPDX-License-Identifier: Apache-2.0
"""The shift between two arms is found where no mode of either is far ahead of the others."""

import random

import pytest

from gatemark.judge.point.mode import first, pooled, shift

# What walks meet besides, and how likely: nothing, a page that is freed, one that is cleared.
MET = ((0, 0.3), (237, 0.28), (880, 0.2), (-537, 0.12), (1200, 0.1))


def walks(own: int, chance: random.Random, count: int = 100) -> dict[int, int]:
    numbers, weights = zip(*MET, strict=True)
    return pooled({own + int(by): 1} for by in chance.choices(numbers, weights, k=count))


def test_the_first_mode_is_the_most_frequent_and_the_smaller() -> None:
    assert first({5: 3, 4: 3, 9: 1}) == 4


@pytest.mark.parametrize("planted", [0, 68, -163])
def test_a_planted_difference_is_found_whichever_mode_is_first(planted: int) -> None:
    chance = random.Random(3)
    shifts = [shift(walks(9000, chance), walks(9000 + planted, chance)) for _ in range(60)]
    assert shifts == [planted] * 60


def test_first_modes_alone_would_not_find_it() -> None:
    chance = random.Random(3)
    plain = [first(walks(9068, chance)) - first(walks(9000, chance)) for _ in range(60)]
    assert plain.count(68) < 48


def test_unlike_numbers_of_walks_are_shares() -> None:
    assert shift({10: 90, 12: 10}, {20: 3, 25: 2}) == 10
