# SPDX-License-Identifier: Apache-2.0
"""The ceiling that holds for a definition, and what is near it."""

from functools import cache

import pytest

from gatemark.judge.judge import judge
from gatemark.judge.judgement import PointResult
from gatemark.judge.point.ceiling import ceiling, near
from gatemark.store.record import Definition

from ..conftest import Trial, run


def measured(rate: float, frame_bytes: int, direction: str = "up") -> PointResult:
    trial = Trial(
        rate, path="direct", frame_bytes=frame_bytes, direction=direction, scheduled=0
    ).record()
    return judge(run([trial]), [trial]).ceilings[0]


@cache
def ceilings() -> list[PointResult]:
    return [measured(400_000, 64), measured(350_000, 512), measured(80_000, 1518)]


@pytest.mark.parametrize(
    ("frame_bytes", "rate"), [(64, 400_000), (128, 400_000), (512, 350_000), (1400, 350_000)]
)
def test_a_ceiling_is_of_the_nearest_size_that_is_not_larger(frame_bytes: int, rate: float) -> None:
    assert ceiling(ceilings(), Definition(path="nat", frame_bytes=frame_bytes)) == rate


def test_smaller_frame_than_all_has_no_ceiling() -> None:
    assert ceiling(ceilings()[1:], Definition(path="nat", frame_bytes=64)) is None


@pytest.mark.parametrize(
    "definition",
    [
        Definition(path="nat", frame_bytes=64, family="ipv6"),
        Definition(path="endpoint", direction="send", frame_bytes=64),  # the gateway itself sends
        Definition(path="nat", frame_bytes=64, direction="both"),
    ],
    ids=lambda definition: f"{definition.family} {definition.direction}",
)
def test_what_the_tester_did_not_do_alone_has_no_ceiling(definition: Definition) -> None:
    assert ceiling(ceilings(), definition) is None


def test_several_rates_of_a_size_give_their_highest() -> None:
    rates = [measured(100_000, 64), measured(300_000, 64), measured(200_000, 64)]
    assert ceiling(rates, Definition(path="nat", frame_bytes=64)) == 300_000


def alone(offered: float, received: float) -> PointResult:
    trial = Trial(offered, received, path="direct").record()
    return judge(run([trial]), [trial]).ceilings[0]


def test_a_rate_that_the_tester_kept_is_no_ceiling() -> None:
    kept = [alone(2_000, 2_000), alone(8_000, 8_000)]
    assert ceiling(kept, Definition(path="nat", frame_bytes=64)) is None


def test_kept_rates_count_below_one_that_was_not_kept() -> None:
    rates = [alone(8_000, 8_000), alone(12_000, 7_000)]
    assert ceiling(rates, Definition(path="nat", frame_bytes=64)) == 8_000


def test_the_end_of_smaller_frames_holds_for_larger_ones_that_were_kept() -> None:
    kept = Trial(100_000, path="direct", frame_bytes=512).record()
    rates = [ceilings()[0], judge(run([kept]), [kept]).ceilings[0]]
    assert ceiling(rates, Definition(path="nat", frame_bytes=512)) == 400_000


@pytest.mark.parametrize(("rate", "expected"), [(90, True), (89, False)])
def test_near_is_within_10_percent(rate: float, *, expected: bool) -> None:
    assert near(rate, 100) is expected


def test_nothing_is_near_an_unknown_ceiling() -> None:
    assert not near(1e9, None)


def test_a_ceiling_is_the_testers_limit_and_no_lower_bound() -> None:
    assert (ceilings()[0].limit, ceilings()[0].at_least) == ("tester", False)
