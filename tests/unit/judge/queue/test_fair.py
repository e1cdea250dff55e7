# SPDX-License-Identifier: Apache-2.0
"""Who gets what of a line: Jain's index and its bounds, harm, what frames take."""

import pytest

from gatemark.judge.queue import fair


@pytest.mark.parametrize(
    ("rates", "value"),
    [
        ([5, 5, 5], 1),
        ([9, 0, 0], 1 / 3),
        ([1, 2, 3], 6 / 7),
        ([0], None),
        ([1e-200] * 2, None),  # so little that its square is 0
    ],
)
def test_known_fairness(rates: list[float], value: float | None) -> None:
    assert fair.jain(rates) == (value if value is None else pytest.approx(value))


def test_streams_that_take_turns_are_fair_on_the_whole_and_not_each_second() -> None:
    s = 1_000_000_000
    times = [place * s for place in range(5)]
    turns = [(times, [0.0, 8, 8, 16, 16]), (times, [0.0, 0, 8, 8, 16])]
    whole, worst = fair.shares(turns, 0, 4 * s)
    assert whole == pytest.approx(1)
    assert worst == pytest.approx(0.5)


def test_one_stream_has_nobody_to_share_with() -> None:
    assert fair.shares([([0, 1], [0.0, 8.0])], 0, 10**10) == (None, None)


@pytest.mark.parametrize(
    ("when", "value"), [(-5, 0.0), (5, 10.0), (10, 20.0), (15, 50.0), (99, 80.0)]
)
def test_a_count_between_two_readings(when: float, value: float) -> None:
    assert fair.at(([0, 10, 20], [0.0, 20.0, 80.0]), when) == value


@pytest.mark.parametrize(
    ("alone", "together", "harm"), [(1, 4, 0.75), (4, 1, 0), (0, 0, 0), (0, 3, 1)]
)
def test_harm(alone: float, together: float, harm: float) -> None:
    assert fair.harm(alone, together) == harm


def test_what_a_frame_takes() -> None:
    assert fair.line_bytes(1514) == 1514
    assert fair.line_bytes(1514, 24) == 1538
    assert fair.line_bytes(60, -14, atm=True) == 53
    assert fair.line_bytes(1514, atm=True) == 32 * 53


def test_goodput_with_its_headers_fills_the_line() -> None:
    payloads = {1448.0: 1448 / 1514 * 0.8e6, 1398.0: 1398 / 1464 * 0.2e6}
    assert fair.line_share(payloads, 1e6, 66) == pytest.approx(1)
