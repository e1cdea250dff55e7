# SPDX-License-Identifier: Apache-2.0
"""The window of a watch: only samples wholly inside the sending time are used."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatemark.probe.window import Window, whole, window

REPORT = {"t_ns": [0, 100, 200, 300, 400]}


@pytest.mark.parametrize(
    ("t0_ns", "t1_ns", "ends"),
    [
        (0, 400, (0, 4)),
        (1, 399, (1, 3)),  # not interpolated
        (100, 300, (1, 3)),  # the borders themselves are inside
        (-50, 700, (0, 4)),
    ],
)
def test_window(t0_ns: int, t1_ns: int, ends: tuple[int, int]) -> None:
    seen = window(REPORT, t0_ns, t1_ns)
    assert seen is not None
    assert (seen.first, seen.last) == ends


NONE = [(401, 900), (150, 250), (101, 199), (300, 100)]


@pytest.mark.parametrize(("t0_ns", "t1_ns"), [*NONE, (-500, 400), (250, 1000)])
def test_samples_of_less_than_half_of_it_are_no_window(t0_ns: int, t1_ns: int) -> None:
    assert window(REPORT, t0_ns, t1_ns) is None


@settings(max_examples=settings().max_examples // 4)
@given(
    times=st.lists(st.integers(0, 10**12), min_size=2, max_size=20, unique=True).map(sorted),
    ends=st.tuples(st.integers(0, 10**12), st.integers(0, 10**12)).map(sorted),
)
def test_a_window_is_the_longest_inside(times: list[int], ends: list[int]) -> None:
    inside = [at for at in times if ends[0] <= at <= ends[1]]
    seen = window({"t_ns": times}, *ends)
    got = None if seen is None else (times[seen.first], times[seen.last], seen.seconds)
    span = inside[-1] - inside[0] if inside[1:] else -1
    enough = span >= 0 and 2 * span >= ends[1] - ends[0]
    assert got == ((inside[0], inside[-1], span / 1e9) if enough else None)


def test_change_is_between_the_ends_of_the_window() -> None:
    seen = window(REPORT, 100, 300)
    assert seen is not None
    assert seen.change([1, 10, 11, 30, 99]) == 20


def test_the_whole_is_from_the_first_sample_to_the_last() -> None:
    assert whole({"t_ns": [0, 3_000_000_000]}) == Window(0, 1, 3.0)
    assert whole({"t_ns": [0]}) is None
    assert whole({}) is None
