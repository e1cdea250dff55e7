# SPDX-License-Identifier: Apache-2.0
"""A bisection names the build that brought the step, in few boots, counted and timed."""

import random
from math import log

import pytest

from gatemark.judge.change.bisect import (
    ENDS,
    boots,
    next_counted,
    of_ends,
    spot,
    steps,
)

SKIPPED = {30, 31, 32, 33}


def counted(values: list[float], skipped: set[int], allow: float = 0.0) -> dict[int, float]:
    """What was counted until nothing was left to count."""
    known: dict[int, float] = {}
    while (at := next_counted(len(values), known, allow, skipped)) is not None:
        assert at not in known
        known[at] = values[at]
    return known


def test_of_64_builds_the_slower_is_known_after_eight_boots() -> None:
    named, most = {}, 0
    for first in range(1, 64):
        known = counted([1000.0] * first + [1010.0] * (64 - first), set())
        most = max(most, len(known))
        named[first] = [
            (step.before, step.after, round(step.change, 9)) for step in steps(64, known)
        ]
    assert named == {first: [(first - 1, first, 0.01)] for first in range(1, 64)}
    assert most == 8


def test_two_steps_are_both_named() -> None:
    values = [1000.0] * 10 + [1010.0] * 20 + [1030.0] * 34
    known = counted(values, set())
    assert [(step.before, step.after) for step in steps(64, known)] == [(9, 10), (29, 30)]


def test_steps_up_to_what_is_allowed_are_not_searched() -> None:
    values = [1000.0] * 10 + [1004.0] * 20 + [1030.0] * 34
    known = counted(values, set(), 0.005)
    assert [(step.before, step.after) for step in steps(64, known, 0.005)] == [(29, 30)]


def test_alike_ends_are_two_boots() -> None:
    known = counted([7.0] * 64, set())
    assert (len(known), steps(64, known)) == (2, [])


def test_builds_that_do_not_boot_leave_a_range() -> None:
    values = [1000.0] * 32 + [1010.0] * 32
    known = counted(values, SKIPPED)
    assert [(step.before, step.after) for step in steps(64, known, 0.0, SKIPPED)] == [(29, 34)]


def timed(builds: int, first: int, effect: float, rng: random.Random) -> tuple[int, int]:
    """The build that is named and the boots that it took; noise of a boot is 1 %."""

    def boot(at: int) -> float:
        return rng.gauss(effect if at >= first else 0.0, 0.01)

    ends = [[boot(at) for _ in range(ENDS)] for at in (0, builds - 1)]
    shift, spread = of_ends(*ends)
    each, used = boots(shift, spread), 2 * ENDS
    measured = [
        (at, sum(values) / ENDS, ENDS) for at, values in zip((0, builds - 1), ends, strict=True)
    ]
    while not (known := spot(builds, measured, spread)).is_certain and used < 400:
        at = known.next()
        measured.append((at, sum(boot(at) for _ in range(each)) / each, each))
        used += each
    return known.likeliest, used


@pytest.mark.long
def test_timed_at_twice_the_noise_it_is_right_in_19_of_20_within_40_boots() -> None:
    rng = random.Random(5)
    ends = []
    for _ in range(60):
        first = rng.randrange(1, 64)
        named, used = timed(64, first, 0.02, rng)
        ends.append((named == first, used))
    assert sum(right for right, _ in ends) >= 57
    assert sorted(used for _, used in ends)[30] <= 40


def test_ends_tell_the_effect_and_the_spread_of_both_together() -> None:
    """By hand: squares of 2 and 6 about the means 1 and 6, by three degrees of freedom."""
    assert of_ends([0.0, 2.0], [5.0, 5.0, 8.0]) == pytest.approx((5.0, (8 / 3) ** 0.5))


def test_a_large_step_is_found_at_once() -> None:
    named, used = timed(8, 5, log(1.2), random.Random(1))
    assert (named, used <= 2 * ENDS + 4) == (5, True)


def test_a_posterior_adds_up() -> None:
    measured = [(0, 0.0, 6), (7, 0.05, 6), (3, 0.049, 1)]
    known = spot(8, measured, 0.01)
    assert sum(known.chances) == pytest.approx(1.0)
    assert known.chances[0] == 0.0
    assert sum(known.chances[1:4]) > 0.99


def test_more_boots_are_taken_for_a_small_effect() -> None:
    assert [boots(effect, 0.01) for effect in (0.04, 0.02, 0.01, 0.005, 0.0)] == [1, 1, 4, 16, 64]


def test_a_pair_beside_each_other_is_evidence() -> None:
    measured = [(0, 0.0, 6), (7, 0.05, 6)]
    at_four = spot(8, measured, 0.01, (), [(3, 4, 0.05, 6)])
    assert (at_four.likeliest, at_four.is_certain) == (4, True)
    elsewhere = spot(8, measured, 0.01, (), [(3, 4, 0.0, 6)])
    assert elsewhere.chances[4] < 0.001
    assert sum(elsewhere.chances) == pytest.approx(1.0)
