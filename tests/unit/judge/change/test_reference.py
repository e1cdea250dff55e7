# SPDX-License-Identifier: Apache-2.0
"""Published values beside ours: which of our points, and what is told of the difference."""

from collections.abc import Sequence
from typing import Any

import builder
import msgspec
import pytest

from gatemark.judge.change.reference import Beside, beside
from gatemark.judge.judgement import Change, Comparison, Judgement, Knee, PointResult, Watched
from gatemark.judge.math.interval import Interval
from gatemark.judge.subject import Subject
from gatemark.store.published import Published
from gatemark.store.record import Definition, Scalar
from gatemark.tell.fact import say

TCP = Definition(
    path="nat",
    l4="tcp",
    quantity="goodput",
    write_bytes=8192,
    streams=1,
    socket_buffer_bytes=0,
    duration_s=2.0,
)
UDP = Definition(path="endpoint", direction="send", frame_bytes=1496, duration_s=2.0)
SAID = {"path": "nat", "features": (), "direction": "up", "l4": "tcp", "family": "ipv4"}
UDP_SAID = {"path": "endpoint", "direction": "send", "l4": "udp", "frame_bytes": 1496}


def interval(value: float) -> Interval:
    return Interval(value, value * 0.99, value * 1.01, 6, 0.969)


def point(
    definition: Definition = TCP,
    rate: float = 50e6,
    *,
    arm: str = "",
    levels: dict[str, Scalar] | None = None,
    **fields: Any,
) -> PointResult:
    made = PointResult(
        subject=Subject(
            plan="wrt54/paths",
            arm=arm or definition.path,
            setup=definition.path,
            point=levels or {},
            definition=definition,
        ),
        values={definition.headline: interval(rate), "cpu_busy": interval(0.9)},
        limit="cpu",
        why="",
        at_least=False,
        invalid=0,
    )
    return msgspec.structs.replace(made, **fields)


def written(*sizes: int) -> list[PointResult]:
    return [
        point(msgspec.structs.replace(TCP, write_bytes=size), levels={"write_bytes": size})
        for size in sizes
    ]


def sent(rate_pps: int, got: float, **fields: Any) -> PointResult:
    levels: dict[str, Scalar] = {"rate_pps": rate_pps}
    return point(UDP, levels=levels, values={"received_l4_bps": interval(got)}, **fields)


def knee(definition: Definition, peak_pps: float) -> Knee:
    made = builder.judgement().knees[0]
    made = made.about(definition=definition)
    return msgspec.structs.replace(made, peak_pps=interval(peak_pps))


def judged(points: Sequence[PointResult] = (), knees: Sequence[Knee] = ()) -> Judgement:
    return msgspec.structs.replace(builder.nothing(), points=tuple(points), knees=tuple(knees))


def published(quantity: str = "goodput_bps", **fields: Any) -> Published:
    made = Published(
        study="wrt54",
        device="box",
        experiment="nat.tcp",
        parameter="throughput",
        quantity=quantity,
        value=47.5e6,
        printed="47.5 Mbit/s",
        kind="printed",
        note="printed; table",
        stated=SAID,
    )
    return msgspec.structs.replace(made, **fields)


CPU = published("cpu_busy", value=0.9)


def only(judgement: Judgement, value: Published) -> Beside:
    (found,) = beside(judgement, [value])
    return found


def test_a_like_value_stands_beside_ours() -> None:
    assert only(judged([point()]), published()).measured == interval(50e6)


def test_an_unlike_value_does_not() -> None:
    assert beside(judged([point()]), [published(stated=SAID | {"path": "route"})]) == ()


def test_only_its_own_quantity_is_shown() -> None:
    assert only(judged([point()]), published("cpu_busy")).measured == interval(0.9)


def test_the_tester_alone_stands_beside_a_tester_alone() -> None:
    ceiling = point(msgspec.structs.replace(TCP, path="direct"))
    judgement = msgspec.structs.replace(builder.nothing(), ceilings=(ceiling,))
    assert only(judgement, published(stated=SAID | {"path": "direct"})).arm == "direct"


def test_a_tester_with_offload_is_never_beside_a_gateway() -> None:
    ceiling = point(msgspec.structs.replace(TCP, path="direct", offload=True))
    judgement = msgspec.structs.replace(builder.nothing(), ceilings=(ceiling,))
    assert beside(judgement, [published()]) == ()


def test_of_several_alike_the_nearest_to_the_default_is_shown() -> None:
    value = published(unstated=("write_bytes",), assumed={"write_bytes": 8192})
    assert only(judged(written(1024, 8192, 131_072)), value).point == {"write_bytes": 8192}


def test_that_one_of_several_was_taken_is_told() -> None:
    value = published(unstated=("write_bytes",), assumed={"write_bytes": 8192})
    found = only(judged(written(1024, 8192, 131_072)), value)
    assert "the nearest of 3 points of ours" in map(say.words, found.differs)


def test_points_are_counted_and_not_how_far_they_are() -> None:
    sizes = written(4096, 16_384, 8192)
    levels: dict[str, Scalar] = {"write_bytes": 8192, "case": 2}
    again = point(msgspec.structs.replace(TCP, write_bytes=8192), levels=levels)
    value = published(unstated=("write_bytes",), assumed={"write_bytes": 8192})
    assert "the nearest of 4 points of ours" in map(
        say.words, only(judged([*sizes, again]), value).differs
    )


def test_the_assumed_load_is_shown_also_where_it_is_shorter() -> None:
    def loaded(congestion: str) -> PointResult:
        text = f"upload: tcp duration_s=16.0 start_s=4.0{congestion}"
        levels: dict[str, Scalar] = {"upload.congestion": congestion}
        return point(msgspec.structs.replace(TCP, beside=(text,)), levels=levels)

    assumed = {"beside": ("upload: tcp duration_s=40.0 start_s=10.0 congestion=reno",)}
    points = [loaded(text) for text in (" congestion=bbr", "", " congestion=reno")]
    shown = only(judged(points), published(assumed=assumed))
    assert shown.point == {"upload.congestion": " congestion=reno"}
    assert tuple(map(say.words, shown.differs)) == (
        "the nearest of 3 points of ours",
        "upload's duration 40 s assumed, 16 s here",
        "upload's start 10 s assumed, 4 s here",
    )


def test_without_a_default_all_that_are_alike_are_shown() -> None:
    value = published(stated=SAID | {"write_bytes": {"min": 8192}})
    found = beside(judged(written(1024, 8192, 131_072)), [value])
    assert [row.point["write_bytes"] for row in found] == [8192, 131_072]


def test_each_slowdown_is_a_gateway_of_its_own() -> None:
    slowed = msgspec.structs.replace(TCP, slow_to_pps=30_000)
    value = published(assumed={"write_bytes": 8192})
    assert len(beside(judged([point(), point(slowed)]), [value])) == 2


def test_an_arm_measured_twice_is_shown_once() -> None:
    twin = point(arm="nat (A/A)", rate=60e6)
    assert only(judged([point(), twin]), published()).arm == "nat"


def test_of_udp_at_several_rates_the_most_received_counts() -> None:
    points = [sent(1000, 12e6), sent(9000, 100e6), sent(20_000, 90e6)]
    value = published("received_l4_bps", stated=UDP_SAID)
    assert only(judged(points), value).measured.value == 100e6


def test_a_rate_that_came_through_whole_is_a_lower_bound() -> None:
    value = published("received_l4_bps", stated=UDP_SAID)
    assert only(judged([sent(1000, 12e6, limit="none")]), value).at_least


def test_what_something_held_back_is_no_bound() -> None:
    value = published("received_l4_bps", stated=UDP_SAID)
    assert not only(judged([sent(1000, 12e6)]), value).at_least
    assert not only(judged([point(limit="none")]), published()).at_least


def test_of_tcp_at_several_rates_the_first_counts() -> None:
    rates = [point(rate=rate, levels={"rate_bps": rate}) for rate in (40e6, 60e6, 50e6)]
    assert only(judged(rates), published()).measured.value == 40e6


def test_a_bound_of_the_tester_is_told() -> None:
    assert only(judged([point(at_least=True)]), published()).at_least


def test_the_cpu_has_no_bound() -> None:
    assert not only(judged([point(at_least=True)]), published("cpu_busy")).at_least


@pytest.mark.parametrize("quantity", ["concurrent connections", "concurrent flows"])
def test_the_cpu_load_of_no_traffic_stands_beside_none(quantity: str) -> None:
    held = msgspec.structs.replace(TCP, quantity=quantity)
    assert beside(judged([point(held, values={"cpu_busy": interval(0.69)})]), [CPU]) == ()


@pytest.mark.parametrize(
    ("quantity", "count"), [("goodput", 1), ("connection rate", 0), ("concurrent connections", 0)]
)
def test_what_arms_gain_in_connections_is_no_gain_in_traffic(quantity: str, count: int) -> None:
    made = point(msgspec.structs.replace(TCP, quantity=quantity))
    gained = Comparison(
        subject=made.subject,
        baseline="route",
        quantity=made.definition.headline,
        change=Change(change=interval(0.4), p=0.002, mde=0.01, noise=0.01, verdict="faster"),
        at_least=False,
    )
    judgement = msgspec.structs.replace(judged([made]), comparisons=(gained,))
    assert len(beside(judgement, [published("gain_ratio", value=0.5)])) == count


def test_the_peak_of_a_sweep_is_in_bits_of_payload() -> None:
    swept = knee(msgspec.structs.replace(UDP, path="route", direction="up"), 10_000)
    value = published("peak_l4_bps", stated={"path": "route", "l4": "udp", "frame_bytes": 1496})
    found = only(judged(knees=[swept]), value)
    bits = 1450 * 8
    assert found.measured == Interval(10_000 * bits, 9_900 * bits, 10_100 * bits, 6, 0.969)


@pytest.mark.parametrize("at_least", [False, True])
def test_a_share_of_a_link_is_a_bound_where_the_tester_was_the_limit(at_least: bool) -> None:
    linked = point(rate=94e6, link_bps=100_000_000, at_least=at_least)
    found = only(judged([linked]), published("link_share"))
    assert found.measured.value == pytest.approx(0.94)
    assert found.at_least == at_least


@pytest.mark.parametrize("at_least", [False, True])
def test_a_peaks_share_of_a_link_is_the_bound_that_its_knee_is(at_least: bool) -> None:
    routed = msgspec.structs.replace(UDP, path="route", direction="up")
    swept = msgspec.structs.replace(knee(routed, 8_000), at_least=at_least)
    linked = point(routed, link_bps=100_000_000).about(plan=swept.plan, arm=swept.arm)
    value = published("peak_link_share", stated={"path": "route", "l4": "udp"})
    found = only(judged([linked], [swept]), value)
    assert found.measured.value == pytest.approx(0.928)
    assert found.at_least == at_least


def test_a_sweep_without_one_size_has_no_peak_in_bits() -> None:
    swept = knee(msgspec.structs.replace(UDP, path="route", frame_bytes=None), 10_000)
    value = published("peak_l4_bps", stated={"path": "route", "l4": "udp"})
    assert beside(judged(knees=[swept]), [value]) == ()


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"unstated": ("write_bytes",)}, ("write size not said there",)),
        ({"implied": ("family",)}, ("IP version only implied there",)),
        ({"stated": SAID | {"duration_s": 20}}, ("duration 20 s there, 2 s here",)),
        ({"stated": SAID | {"duration_s": 2}}, ()),
        ({"remark": "by a chip there"}, ("by a chip there",)),
        (
            {"stated": SAID | {"socket_buffer_bytes": 65_536}},
            ("socket buffer 65536 B there, tuned by the kernel here",),
        ),
        (
            {"note": "printed; text; INCONSISTENT: table has 93.7"},
            ("the source contradicts itself: table has 93.7",),
        ),
    ],
)
def test_a_difference_is_told_in_words(fields: dict[str, Any], said: tuple[str, ...]) -> None:
    differs = only(judged([point()]), published(**fields)).differs
    assert tuple(map(say.words, differs)) == said


def test_rows_are_in_the_order_of_our_points() -> None:
    routed = point(msgspec.structs.replace(TCP, path="route"))
    values = [published(), published(stated=SAID | {"path": "route"})]
    assert [row.arm for row in beside(judged([routed, point()]), values)] == ["route", "nat"]


def test_a_value_at_a_rate_stands_beside_that_rate_alone() -> None:
    rates = [point(levels={"rate_bps": bps}) for bps in (20_000_000, 100_000_000)]
    value = published("cpu_busy", value=0.5, at_bps=20e6)
    assert only(judged(rates), value).point == {"rate_bps": 20_000_000}


def test_a_safe_rate_is_that_of_an_arm() -> None:
    one = Watched(
        subject=Subject(
            plan="wrt54/paths",
            arm="nat",
            setup="nat",
            definition=TCP,
        ),
        baseline="",
        safe_bps=100e6,
        at_least=True,
        loss_bps=None,
        missed_bps=None,
        order="",
        livelock_bps=None,
        cpu=None,
        rank=None,
    )
    found = only(
        msgspec.structs.replace(judged(), watched=(one,)), published("safe_l4_bps", value=200e6)
    )
    assert (found.measured.value, found.at_least) == (100e6, True)
