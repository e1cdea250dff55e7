# SPDX-License-Identifier: Apache-2.0
"""Captures judged: how far an arm is whole, what gives way first, who is pushed over its limit."""

from msgspec.structs import replace

from gatemark.judge.judgement import PointResult, Watched
from gatemark.judge.math.interval import Interval
from gatemark.judge.point.capture import ranked, watched
from gatemark.judge.subject import Subject
from gatemark.store.record import Definition

RATES = (1e6, 20e6, 100e6, 500e6)
TCPDUMP = ("capture:tcpdump:68",)


def point(
    arm: str, bps: float, loss: float, captured: float | None = None, cpu: float = 0.1
) -> PointResult:
    values = {"loss_ratio": sure(loss), "cpu_busy": sure(cpu)}
    if captured is not None:
        values["captured_share"] = sure(captured)
    features = () if captured is None else TCPDUMP
    return PointResult(
        subject=Subject(
            plan="capture/p",
            arm=arm,
            setup=arm,
            point={"rate_bps": bps},
            definition=Definition(path="nat", features=features, frame_bytes=1518),
        ),
        values=values,
        limit="none",
        why="",
        at_least=False,
        invalid=0,
    )


def sure(value: float) -> Interval:
    return Interval(value, value, value, 6, 0.97)


def judged(
    losses: tuple[float, ...], captured: tuple[float, ...], bare: tuple[float, ...] = (0, 0, 0, 0)
) -> Watched:
    points = [point("none", bps, loss, cpu=0.05) for bps, loss in zip(RATES, bare, strict=True)]
    points += [
        point("68", bps, loss, share)
        for bps, loss, share in zip(RATES, losses, captured, strict=True)
    ]
    return next(one for one in watched(points) if one.arm == "68")


def test_a_rate_is_safe_up_to_the_first_loss_or_miss() -> None:
    arm = judged((0, 0, 0, 0.2), (1, 1, 0.5, 0.1))
    assert (arm.safe_bps, arm.at_least) == (20e6, False)
    assert arm.order == "forwarding first"


def test_a_rate_that_the_tester_did_not_reach_is_not_safe() -> None:
    points = [point("68", bps, 0, 1) for bps in RATES]
    points[2] = replace(points[2], limit="tester", at_least=True)
    (arm,) = watched(points)
    assert (arm.safe_bps, arm.at_least) == (20e6, True)


def test_safe_at_every_rate_is_a_lower_bound() -> None:
    one = judged((0, 0, 0, 0), (1, 1, 1, 0.9995))
    assert (one.safe_bps, one.at_least, one.order) == (500e6, True, "")


def test_never_safe_has_no_rate() -> None:
    assert judged((0.5, 0, 0, 0), (1, 1, 1, 1)).safe_bps is None


def test_an_arm_without_a_capture_keeps_none_longer() -> None:
    points = [point("none", bps, loss) for bps, loss in zip(RATES, (0, 0, 0, 0.3), strict=True)]
    points += [point("68", bps, 0, 1) for bps in RATES]
    bare = next(watched_arm for watched_arm in watched(points) if watched_arm.arm == "none")
    assert (bare.loss_bps, bare.order) == (500e6, "")


def test_capture_goes_first_where_packets_are_lost_first() -> None:
    assert judged((0, 0, 0.2, 0.3), (1, 1, 1, 0.9)).order == "capture first"


def test_at_one_rate_what_is_missing_more_was_kept_less() -> None:
    assert judged((0, 0, 0, 0.05), (1, 1, 1, 0.2)).order == "forwarding first"
    assert judged((0, 0, 0, 0.3), (1, 1, 1, 0.8)).order == "both at once"


def test_a_box_that_loses_what_it_carries_alone_is_pushed_over_its_limit() -> None:
    assert judged((0, 0, 0, 0.2), (1, 1, 1, 1)).livelock_bps == 500e6


def test_a_box_that_loses_alone_as_well_is_not() -> None:
    assert judged((0, 0, 0, 0.2), (1, 1, 1, 1), bare=(0, 0, 0, 0.1)).livelock_bps is None


def test_what_is_offered_at_most_is_a_rate_as_well() -> None:
    most = point("68", 0, 0.6, 0.9)
    most = replace(most, values=most.values | {"offered_pps": sure(1e6)})
    (one,) = watched([point("68", 1e6, 0, 1.0), most])
    assert (one.safe_bps, one.loss_bps) == (1e6, 1e6 * 1472 * 8)


def test_modes_are_those_at_the_reference_rate() -> None:
    at = point("68", 20e6, 0, 1.0)
    at = replace(at, values=at.values | {"cpu_user": sure(0.02), "cpu_softirq": sure(0.1)})
    (one,) = watched([point("68", 1e6, 0, 1.0), at])
    assert {mode: share.value for mode, share in one.modes.items()} == {
        "cpu_user": 0.02,
        "cpu_softirq": 0.1,
    }


def test_arms_are_ranked_by_cpu_at_the_reference_rate() -> None:
    points = [point("none", 20e6, 0, cpu=0.3), point("68", 20e6, 0, 1.0, cpu=0.2)]
    assert [(one.arm, one.rank) for one in watched(points)] == [("none", 2), ("68", 1)]


def test_plans_without_a_program_are_left_out() -> None:
    assert watched([point("none", 20e6, 0)]) == ()


def test_gateways_of_several_runs_are_ranked_together() -> None:
    runs = [watched([point("68", 20e6, 0, 1.0, cpu=cpu)]) for cpu in (0.3, 0.1, 0.2)]
    assert [run[0].rank for run in runs] == [1, 1, 1]
    assert [one.rank for one in ranked([arm for run in runs for arm in run])] == [3, 1, 2]
