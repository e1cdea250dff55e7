# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of a drop-tail queue, at numbers that were worked out by hand."""

import pytest

from gatemark.judge.queue.formula import Bottleneck, expected, mean_bytes


def test_the_mean_frame_of_a_game_beside_an_upload() -> None:
    assert mean_bytes(1e6, 1514, [(25, 87)]) == pytest.approx(1178, abs=1)
    assert mean_bytes(15e6, 1514, []) == 1514


@pytest.mark.parametrize(
    ("rate_bps", "packets", "congestion", "full", "trough", "mean"),
    [
        (1e6, 50, "reno", 471, 236, 353),
        (1e6, 50, "cubic", 471, 330, 400),
        (15e6, 50, "reno", 39.6, 19.8, 29.7),
        (15e6, 50, "cubic", 39.6, 27.7, 33.7),
        (15e6, 100, "reno", 79.2, 39.6, 59.4),
    ],
)
def test_delays_in_ms(
    rate_bps: float, packets: int, congestion: str, full: float, trough: float, mean: float
) -> None:
    mean_frame = mean_bytes(rate_bps, 1514, [(25, 87)])
    line = Bottleneck(rate_bps, packets, mean_bytes=mean_frame, congestion=congestion)
    should = expected(line)
    assert should.full_ns / 1e6 == pytest.approx(full, rel=0.003)
    assert should.trough_ns is not None
    assert should.mean_ns is not None
    assert should.trough_ns / 1e6 == pytest.approx(trough, rel=0.003)
    assert should.mean_ns / 1e6 == pytest.approx(mean, rel=0.003)


def test_a_longer_path_empties_the_buffer() -> None:
    # 100 segments under way on the path, 100 in the buffer: half of both is the path alone.
    line = Bottleneck(10e6, 100, round_trip_ns=100 * 1514 * 8 / 10e6 * 1e9)
    assert expected(line).trough_ns == 0


def test_the_period_of_reno() -> None:
    # 3/8 of W^2 T: 50 segments of 0.807 ms.
    should = expected(Bottleneck(15e6, 50))
    assert should.period_ns == pytest.approx(3 / 8 * 50**2 * 1514 * 8 / 15e6 * 1e9)


def test_cubic_takes_its_own_time_where_round_trips_are_long() -> None:
    should = expected(Bottleneck(1e6, 50, congestion="cubic"))
    assert should.period_ns == pytest.approx((0.3 * 50 / 0.4) ** (1 / 3) * 1e9 + should.full_ns)


def test_cubic_grows_as_reno_would_where_they_are_short() -> None:
    # By 0.529 segments a round trip from 35 to 50 of them, each 34 ms on average.
    should = expected(Bottleneck(15e6, 50, congestion="cubic"))
    assert should.period_ns == pytest.approx(
        15 / 0.529 * 0.85 * 50 * 1514 * 8 / 15e6 * 1e9, rel=0.01
    )


def test_a_buffer_of_bytes_is_full_at_these() -> None:
    assert expected(Bottleneck(8e6, buffer_bytes=64_000)).full_ns == pytest.approx(64e6)
