# SPDX-License-Identifier: Apache-2.0
"""What is best over the sizes of a sweep: planted, and found."""

from collections.abc import Iterable, Mapping

import builder
import pytest
from msgspec.structs import replace

from gatemark.judge.change.best import best
from gatemark.judge.judgement import Judgement, PointResult
from gatemark.judge.math.interval import Interval
from gatemark.judge.subject import Subject
from gatemark.store.record import Definition, Scalar


def interval(value: float) -> Interval:
    return Interval(value, value * 0.99, value * 1.01, 6, 0.969)


def point(levels: Mapping[str, Scalar], quantity: str, value: float) -> PointResult:
    names = ("frame_bytes", "write_bytes", "direction")
    fields = {name: level for name, level in levels.items() if name in names}
    definition = Definition(path="endpoint", **fields)  # type: ignore[arg-type]
    subject = Subject(
        plan="p/q", arm="own", setup="endpoint", point=dict(levels), definition=definition
    )
    return PointResult(
        subject=subject,
        values={quantity: interval(value)},
        limit="cpu",
        why="",
        at_least=False,
        invalid=0,
    )


def judgement(points: Iterable[PointResult]) -> Judgement:
    return replace(builder.nothing(), points=tuple(points))


def of(points: Iterable[PointResult], name: str) -> list[float]:
    return [value.value for _, quantity, value in best(judgement(points)) if quantity == name]


def frames(rates: Mapping[int, float], quantity: str) -> list[PointResult]:
    return [point({"frame_bytes": size}, quantity, rate) for size, rate in rates.items()]


def test_the_frame_with_the_most_payload() -> None:
    rates = {512: 80e6, 1024: 120e6, 1500: 90e6}
    assert of(frames(rates, "received_l4_bps"), "best_payload_frame_bytes") == [1024]


def test_the_frame_with_the_most_packets_of_a_search() -> None:
    rates = {128: 29e3, 256: 31e3, 512: 29e3}
    assert of(frames(rates, "throughput_pps"), "best_rate_frame_bytes") == [256]


def test_a_best_frame_is_not_told_where_the_tester_limited_one_below_it() -> None:
    size, rates = 512, {512: 80e6, 1024: 120e6, 1500: 90e6}
    points = [
        replace(p, at_least=p.point["frame_bytes"] == size)
        for p in frames(rates, "received_l4_bps")
    ]
    assert of(points, "best_payload_frame_bytes") == []


def test_two_sizes_have_no_best() -> None:
    assert of(frames({512: 1e6, 1024: 2e6}, "received_l4_bps"), "best_payload_frame_bytes") == []


def test_the_smallest_write_that_is_enough() -> None:
    rates = {1024: 76e6, 8192: 142e6, 32768: 200e6, 131072: 217e6}
    points = [point({"write_bytes": n}, "goodput_bps", bps) for n, bps in rates.items()]
    assert of(points, "enough_write_bytes") == [32768]


@pytest.mark.parametrize(("size", "told"), [(131_072, []), (8192, []), (65_536, [32_768])])
def test_a_write_that_the_tester_limited_decides_nothing(size: int, told: list[float]) -> None:
    rates = {1024: 76e6, 8192: 142e6, 32768: 200e6, 65_536: 210e6, 131072: 217e6}
    points = [
        replace(point({"write_bytes": n}, "goodput_bps", bps), at_least=n == size)
        for n, bps in rates.items()
    ]
    assert of(points, "enough_write_bytes") == told


@pytest.mark.parametrize("way", ["send", "receive"])
def test_what_the_tester_limited_is_not_received_more(way: str) -> None:
    rates = {"send": 350e6, "receive": 450e6}
    points = [
        replace(point({"direction": name}, "goodput_bps", bps), at_least=name == way)
        for name, bps in rates.items()
    ]
    assert of(points, "received_more_bps") == []


def test_what_is_received_more_than_sent() -> None:
    rates = {"send": 350e6, "receive": 450e6}
    points = [point({"direction": way}, "goodput_bps", bps) for way, bps in rates.items()]
    ((_, name, more),) = best(judgement(points))
    assert (name, more.value) == ("received_more_bps", 100e6)
    assert (more.lo, more.hi) == pytest.approx((92e6, 108e6))


def test_a_rate_that_was_set_tells_of_no_size() -> None:
    rates = {512: 80e6, 1024: 120e6, 1500: 90e6}
    for factor in ("rate_pps", "rate_bps"):
        points = [
            p.about(point={**p.point, factor: 1000}) for p in frames(rates, "received_l4_bps")
        ]
        assert list(best(judgement(points))) == []
