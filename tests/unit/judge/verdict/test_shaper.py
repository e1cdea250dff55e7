# SPDX-License-Identifier: Apache-2.0
"""Which shaper to set, to which rate, and whether the CPU is fast enough for it."""

import pytest
from besides import At, Seen, exactly, judged, limited, seen
from msgspec.structs import replace

from gatemark.judge.math.interval import Interval
from gatemark.judge.verdict.shaper import Advice, advice
from gatemark.judge.verdict.verdict import verdicts


def before() -> Seen:
    """The line without a shaper."""
    return seen(300, goodput_bps=15e6 * 1448 / 1514)


def shaped(added_ms: float, by: str, goodput_bps: float = 13e6, cpu: float = 0.2) -> Seen:
    """`cpu`: its load under the uploads; over all of the trial it is half of that."""
    values = {"down.delay_mean_ns": 1e6, "cpu_busy": cpu / 2}
    return seen(
        added_ms,
        At(arm=by, features=(f"shape:{by}:14:wan",), values=values),
        goodput_bps=goodput_bps,
        cpu_busy=cpu,
    )


def told(*points: Seen, held: dict[str, Interval] | None = None) -> Advice:
    (made,) = advice(verdicts(judged(*points)), held)
    return made


def test_the_rate_is_85_to_95_percent_of_what_tcp_got_through() -> None:
    assert told(before(), shaped(4, "cake")).rates_bps["up"] == pytest.approx((12.75e6, 14.25e6))


@pytest.mark.parametrize(
    ("others", "best"),
    [
        ((("tbf", 40, 13e6), ("cake", 4, 12e6)), "cake"),  # the better letter
        ((("fq_codel", 4, 13e6), ("cake", 3, 12e6)), "fq_codel"),  # of equal ones more goodput
        ((("tbf", 350, 13e6),), ""),  # no better than none
    ],
)
def test_the_best_letter_is_advised(
    others: tuple[tuple[str, float, float], ...], best: str
) -> None:
    points = [shaped(ms, by, bps) for by, ms, bps in others]
    assert told(before(), *points).shaper == best


def test_what_held_the_upload_back_must_be_the_line() -> None:
    slow = limited(before(), "cpu")
    assert advice(verdicts(judged(slow, shaped(4, "cake")))) == ()


@pytest.mark.parametrize(("goodput_bps", "count"), [(8e6, 0), (13e6, 1)])
def test_uploads_that_do_not_fill_the_line_tell_no_rate(goodput_bps: float, count: int) -> None:
    plain = seen(300, goodput_bps=goodput_bps)
    assert plain[1][0].line_bps == 15e6
    assert len(advice(verdicts(judged(plain, shaped(4, "cake", 7e6))))) == count


def test_arms_of_other_points_are_not_compared() -> None:
    other = seen(4, At(arm="cake", features=("shape:cake:14:wan",), point={"line.rate_bps": 1e6}))
    assert advice(verdicts(judged(before(), other))) == ()


@pytest.mark.parametrize(("cpu", "enough"), [(0.8, True), (0.81, False)])
def test_the_cpu_must_have_a_fifth_left(cpu: float, enough: bool) -> None:
    assert told(before(), shaped(4, "cake", cpu=cpu)).fast_enough is enough


def test_a_point_that_the_cpu_held_back_is_too_slow() -> None:
    assert told(before(), limited(shaped(4, "cake"), "cpu")).fast_enough is False


def test_without_a_reading_of_the_cpu_nothing_is_said() -> None:
    point, (queue,) = shaped(4, "cake")
    values = {name: value for name, value in queue.values.items() if name != "queue_cpu_busy"}
    assert told(before(), (point, (replace(queue, values=values),))).fast_enough is None


@pytest.mark.parametrize(("mbit", "enough"), [(180, True), (12, False)])
def test_a_search_for_the_rate_that_it_holds_goes_before_the_cpu(mbit: float, enough: bool) -> None:
    held = {"nat + shape:cake:wan": exactly(mbit * 1e6)}
    made = told(before(), shaped(4, "cake", cpu=0.99), held=held)
    assert (made.fast_enough, made.holds_bps) == (enough, exactly(mbit * 1e6))
