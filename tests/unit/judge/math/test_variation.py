# SPDX-License-Identifier: Apache-2.0
"""Delay variation: against the shortest, and from packet to packet."""

from few import few
from hypothesis import given
from hypothesis import strategies as st

from gatemark.judge.math.variation import ipdv, pdv

FEWER = few()
DELAYS = st.lists(st.integers(0, 10**9))


def test_a_lost_packet_has_no_difference_to_either_neighbour() -> None:
    assert ipdv([10, 30, None, 100, 70]) == [20, -30]


@FEWER
@given(DELAYS)
def test_differences_of_what_all_came_add_up_to_the_last_less_the_first(delays: list[int]) -> None:
    assert sum(ipdv(delays)) == (delays[-1] - delays[0] if delays else 0)


@FEWER
@given(st.lists(st.one_of(st.none(), st.integers(0, 10**9))), st.integers(0, 10**9))
def test_a_delay_that_all_have_more_varies_nothing(delays: list[int | None], more_ns: int) -> None:
    later = [None if delay is None else delay + more_ns for delay in delays]
    assert ipdv(later) == ipdv(delays)


@FEWER
@given(DELAYS)
def test_pdv_is_zero_of_the_shortest_and_the_range_of_the_longest(delays: list[int]) -> None:
    above = pdv(delays)
    assert above == sorted(above)
    if delays:
        assert (above[0], above[-1]) == (0, max(delays) - min(delays))
