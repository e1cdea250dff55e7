# SPDX-License-Identifier: Apache-2.0
"""Arms against the first arm of their plan, with the twin's noise."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from gatemark.judge.change.arms import comparisons, floor
from gatemark.judge.change.sampled import Sampled
from gatemark.judge.judge import judge
from gatemark.judge.judgement import Comparison
from gatemark.judge.subject import Subject
from gatemark.plan.model import PLAN_SCHEMA, Arm, Plan
from gatemark.store.record import Definition, Scalar

from ..conftest import Simulated, run, sweep

SIX = (0.997, 0.998, 0.999, 1.0, 1.001, 1.002)
RATES = (10_000, 20_000, 30_000, 40_000, 50_000, 62_000)


def row(
    arm: str, rate: float, *, point: dict[str, Scalar] | None = None, at_least: bool = False
) -> Sampled:
    path = arm.removesuffix(" (A/A)")
    return Sampled(
        subject=Subject(
            plan="p",
            arm=arm,
            setup=arm,
            point=point or {},
            definition=Definition(path=path, frame_bytes=64),
        ),
        asked={},
        quantity="received_pps",
        samples=tuple(rate * one for one in SIX),
        limit="cpu",
        at_least=at_least,
    )


def compared(*rows: Sampled, arms: Sequence[str] = ("route", "nat")) -> tuple[Comparison, ...]:
    plan = Plan(
        schema=PLAN_SCHEMA,
        name="p",
        title="t",
        why="w",
        reading="r",
        arm=tuple(Arm(path=arm, name=arm) for arm in arms),  # type: ignore[arg-type]
    )
    return comparisons([plan], rows)


def test_every_other_arm_is_held_against_the_first() -> None:
    found = compared(row("route", 100), row("nat", 90), row("switch", 110))
    assert [(c.baseline, c.arm, c.change.verdict) for c in found] == [
        ("route", "nat", "slower"),
        ("route", "switch", "faster"),
    ]


def test_the_first_arm_is_the_plans_not_the_first_measured() -> None:
    assert compared(row("nat", 90), row("route", 100))[0].baseline == "route"


def test_the_tester_alone_is_no_arm() -> None:
    found = compared(
        row("direct", 500), row("route", 100), row("nat", 90), arms=["direct", "route"]
    )
    assert [(c.baseline, c.arm) for c in found] == [("route", "nat")]


def test_points_are_compared_with_their_like() -> None:
    points: list[dict[str, Scalar]] = [{"frame_bytes": 64}, {"frame_bytes": 512}]
    found = compared(
        row("route", 100, point=points[0]),
        row("route", 50, point=points[1]),
        row("nat", 50, point=points[1]),
    )
    assert [(c.point, c.change.change.value) for c in found] == [(points[1], 0.0)]


def test_other_traffic_is_not_compared() -> None:
    other = row("nat", 90)
    unlike = replace(other.definition, duration_s=9.0)
    assert compared(row("route", 100), other.about(definition=unlike)) == ()


def test_an_ablation_is_compared_block_by_block() -> None:
    """A fifth of drift from block to block, which both arms of a block share."""
    plan = Plan(
        schema=PLAN_SCHEMA, name="p", title="t", why="w", reading="r",
        arm=(Arm(path="route", name="with"), Arm(path="route", name="without")), figure="ablation",
    )  # fmt: skip
    drift = [100 * 1.2 ** (block % 4) for block in range(12)]
    rows = [
        blocked(row("with", 1), drift),
        blocked(row("without", 1), [1.04 * value for value in drift]),
    ]
    (found,) = comparisons([plan], rows)
    assert found.change.verdict == "faster"
    assert found.change.change.value == pytest.approx(0.04)
    alone = [replace(row, boots=()) for row in rows]
    assert comparisons([plan], alone)[0].change.verdict == "inconclusive"


def blocked(row: Sampled, samples: Sequence[float]) -> Sampled:
    row = row.about(definition=replace(row.definition, path="route"))
    return replace(row, samples=tuple(samples), boots=tuple(range(1, len(samples) + 1)))


def test_features_may_differ() -> None:
    other = row("nat", 90)
    unlike = replace(other.definition, features=("filter:100",))
    assert len(compared(row("route", 100), other.about(definition=unlike))) == 1


def test_without_a_twin_noise_is_1_percent() -> None:
    assert compared(row("route", 100), row("nat", 90))[0].change.noise == 0.01


def test_noise_is_what_the_twin_differs_by_at_most() -> None:
    far: dict[str, Scalar] = {"flows": 64}
    found = compared(
        row("route", 100),
        row("route", 100, point=far),
        row("nat", 97),
        row("route (A/A)", 101),
        row("route (A/A)", 105, point=far),
    )
    nat = next(c for c in found if c.arm == "nat")
    assert nat.change.noise == pytest.approx(0.05)
    assert nat.change.verdict == "within noise"


def test_the_twin_is_kept() -> None:
    found = compared(row("route", 100), row("route (A/A)", 102))
    assert [c.arm for c in found] == ["route (A/A)"]
    assert floor(found) == pytest.approx(0.02)


def test_the_twin_is_never_called_different() -> None:
    found = compared(row("route", 100), row("route (A/A)", 120))
    assert found[0].change.verdict == "within noise"


@pytest.mark.parametrize("limited", ["route", "nat"])
def test_where_the_tester_was_the_limit_there_is_no_verdict(limited: str) -> None:
    rows = (row(arm, rate, at_least=arm == limited) for arm, rate in (("route", 100), ("nat", 50)))
    (found,) = compared(*rows)
    assert (found.at_least, found.change.verdict, found.change.more) == (True, "inconclusive", 0)


def test_p_is_adjusted_within_the_plan() -> None:
    points: list[dict[str, Scalar]] = [{"flows": flows} for flows in range(5)]
    rows = [row(arm, 100, point=point) for arm in ("route", "nat") for point in points]
    alone = compared(row("route", 100), row("nat", 100.25))[0].change.p
    many = compared(*rows, row("route", 100), row("nat", 100.25))[-1].change.p
    assert many == pytest.approx(min(1.0, 6 * alone))


def test_a_sweep_is_compared_by_its_knees() -> None:
    records = [*sweep(Simulated(30_500), RATES), *sweep(Simulated(27_450), RATES, path="nat")]
    (found,) = judge(run(records), records).comparisons
    assert (found.quantity, found.point) == ("knee_pps", {"direction": "up"})
    assert found.change.change.value == pytest.approx(-0.1, abs=0.002)


def test_a_sweep_without_a_knee_of_one_arm_compares_its_lower_bound() -> None:
    records = [*sweep(Simulated(90_000), RATES), *sweep(Simulated(27_450), RATES, path="nat")]
    (found,) = judge(run(records), records).comparisons
    assert (found.at_least, found.change.verdict) == (True, "inconclusive")


def test_too_few_rates_for_a_knee_are_compared_one_by_one() -> None:
    rates = RATES[:2]
    records = [*sweep(Simulated(30_500), rates), *sweep(Simulated(15_000), rates, path="nat")]
    found = judge(run(records), records).comparisons
    assert [c.point["rate_pps"] for c in found] == [*rates]
