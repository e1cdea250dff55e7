# SPDX-License-Identifier: Apache-2.0
"""Deadlines: what misses them, and for how long all does."""

from few import few
from hypothesis import given
from hypothesis import strategies as st

from gatemark.judge.math.deadline import longest_streak_ns, misses

FEWER = few()
DELAYS = st.lists(st.one_of(st.none(), st.integers(0, 200)))


@FEWER
@given(DELAYS, st.integers(0, 200), st.integers(0, 200))
def test_a_later_deadline_is_missed_by_no_more(
    delays: list[int | None], deadline_ns: int, more_ns: int
) -> None:
    strict, mild = (misses(delays, at) for at in (deadline_ns, deadline_ns + more_ns))
    assert all(is_strict or not is_mild for is_strict, is_mild in zip(strict, mild, strict=True))
    assert sum(mild) >= delays.count(None)


def test_a_streak_lasts_until_the_next_packet_in_time_is_sent() -> None:
    sent = [0, 10, 20, 30, 40, 55]
    assert longest_streak_ns(sent, [False, True, True, False, True, True]) == 20
    assert longest_streak_ns(sent, [False, False, False, True, True, True]) == 25
    assert longest_streak_ns(sent, [False] * 6) == 0


@FEWER
@given(st.lists(st.booleans(), min_size=1))
def test_no_streak_is_longer_than_the_flow(missed: list[bool]) -> None:
    sent = [7.0 * at for at in range(len(missed))]
    assert longest_streak_ns(sent, missed) <= sent[-1]
    assert longest_streak_ns(sent, [True] * len(missed)) == sent[-1]
