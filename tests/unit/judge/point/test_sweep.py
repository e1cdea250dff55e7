# SPDX-License-Identifier: Apache-2.0
"""A rate sweep from records to a knee with interval, limit and retained."""

import pytest
from msgspec.structs import replace

from gatemark.judge.judge import judge
from gatemark.judge.judgement import Knee
from gatemark.store.record import Record

from ..conftest import Simulated, Trial, run, sweep

RATES = (6_000, 12_000, 18_000, 24_000, 27_000, 30_000, 33_000, 36_000, 42_000, 48_000, 62_000)
GATEWAY = Simulated(30_500, -0.3, jitter=0.004, hiccups=0.0004)


def knee_of(records: list[Record]) -> Knee:
    (knee,) = judge(run(records), records).knees
    return knee


def test_interval_of_the_knee_covers_the_truth() -> None:
    interval = knee_of(sweep(GATEWAY, RATES)).knee_pps
    assert interval.lo <= 30_500 <= interval.hi


def test_knee_is_limited_by_what_limits_the_first_point_beyond() -> None:
    knee = knee_of(sweep(GATEWAY, RATES))
    assert (knee.limit, knee.at_least) == ("cpu", False)


def test_what_limits_far_beyond_the_knee_is_not_its_limit() -> None:
    """At the highest rate no CPU was busy; at the knee one was."""
    idle = replace(sweep(GATEWAY, RATES)[0].evidence, schedule_ratio=1.0)
    records = [
        replace(record, evidence=idle) if record.point["rate_pps"] == RATES[-1] else record
        for record in sweep(GATEWAY, RATES)
    ]
    last = max(judge(run(records), records).points, key=lambda p: p.values["offered_pps"].value)
    assert last.limit != "cpu"
    assert knee_of(records).limit == "cpu"


def test_three_rates_are_a_sweep() -> None:
    assert knee_of(sweep(GATEWAY, (20_000, 30_000, 40_000))).knee_pps.n == 6


def test_knee_on_the_wire_counts_preamble_and_gap() -> None:
    knee = knee_of(sweep(GATEWAY, RATES))
    assert knee.knee_l1_bps == pytest.approx(knee.knee_pps.value * 84 * 8)


def test_a_knee_on_the_wire_needs_no_valid_trial_of_the_lowest_rate() -> None:
    records = [
        replace(record, status="invalid") if record.point["rate_pps"] == RATES[0] else record
        for record in sweep(GATEWAY, RATES)
    ]
    knee = knee_of(records)
    assert knee.knee_l1_bps == pytest.approx(knee.knee_pps.value * 84 * 8)


@pytest.mark.parametrize(("times", "received"), [("1.5x", 25_925), ("2x", 21_350)])
def test_what_is_retained_is_of_the_highest_rate_that_the_sweep_received(
    times: str, received: float
) -> None:
    share = knee_of(sweep(GATEWAY, RATES)).retained[times].value
    assert share == pytest.approx(received / 30_000, abs=0.01)


def test_what_is_retained_beyond_the_sweep_is_absent() -> None:
    assert list(knee_of(sweep(GATEWAY, RATES[:-1])).retained) == ["1.5x"]


def test_sweep_that_stays_below_the_knee_is_a_lower_bound() -> None:
    knee = knee_of(sweep(GATEWAY, RATES[:5]))
    assert (knee.knee_pps.value, knee.at_least, knee.retained) == (27_000, True, {})


def test_sender_that_misses_its_schedule_is_no_knee() -> None:
    trials = [
        Trial(min(rate, 20_000.0), repeat=repeat, scheduled=rate).record()
        for rate in RATES
        for repeat in range(1, 7)
    ]
    knee = knee_of(trials)
    assert (knee.knee_pps.value, knee.limit, knee.at_least) == (20_000, "tester", True)


def test_missed_schedule_told_as_offered_is_no_knee_either() -> None:
    trial = Trial(20_000, scheduled=60_000).record()
    trial.values["offered_pps"] = 60_000
    records = [*sweep(Simulated(90_000), (5_000, 10_000, 15_000), repeats=1), trial]
    knee = knee_of(records)
    assert knee.at_least
    assert (knee.knee_pps.value, knee.no_loss_pps) == (20_000, 20_000)


def test_no_loss_is_the_highest_rate_without_a_lost_packet() -> None:
    assert knee_of(sweep(Simulated(30_500), RATES)).no_loss_pps == 30_000


def test_straight_cpu_has_an_r2_of_one() -> None:
    assert knee_of(sweep(GATEWAY, RATES)).cpu_r2 == pytest.approx(1.0)


def test_two_rates_are_no_sweep() -> None:
    records = sweep(GATEWAY, (20_000, 40_000))
    assert judge(run(records), records).knees == ()


def test_one_repeat_gives_a_knee_of_unknown_level() -> None:
    assert knee_of(sweep(GATEWAY, RATES, repeats=1)).knee_pps.level == 0.0


def test_repeat_that_was_cut_below_the_knee_does_not_count() -> None:
    records = sweep(GATEWAY, RATES, repeats=3)[: 2 * len(RATES) + 4]
    assert knee_of(records).knee_pps.n == 2


def test_each_direction_has_its_own_knee() -> None:
    records = [*sweep(GATEWAY, RATES), *sweep(Simulated(20_000), RATES, direction="down")]
    found = {knee.direction: knee.knee_pps.value for knee in judge(run(records), records).knees}
    assert found == pytest.approx({"up": 30_500, "down": 20_000}, rel=0.01)


def test_both_ways_at_once_have_a_knee() -> None:
    assert knee_of(sweep(GATEWAY, RATES, direction="both")).direction == "both"


def test_gateway_that_delivers_nothing_has_a_knee_at_zero() -> None:
    knee = knee_of(sweep(Simulated(1e-9), RATES))
    assert (round(knee.knee_pps.value), knee.retained) == (0, {})


def test_each_repeat_keeps_its_own_knee() -> None:
    knee = knee_of(sweep(GATEWAY, RATES))
    assert len(knee.reached_pps) == 6
    assert min(knee.reached_pps) == knee.knee_pps.lo


def test_a_rate_in_bits_makes_a_sweep_too() -> None:
    records = [
        replace(record, point={"direction": "up", "rate_bps": record.point["rate_pps"]})
        for record in sweep(GATEWAY, RATES)
    ]
    assert knee_of(records).point == {"direction": "up"}


def test_no_loss_ends_below_the_first_rate_that_lost() -> None:
    """A rate above it that came through by chance does not count."""
    records = [
        lossy(record) if record.point["rate_pps"] == 12_000 else record
        for record in sweep(Simulated(30_500), RATES)
    ]
    assert knee_of(records).no_loss_pps == 6_000


def lossy(record: Record) -> Record:
    count = record.accounting
    assert count is not None
    return replace(record, accounting=replace(count, unique=count.unique - 5, lost=count.lost + 5))


def test_a_knee_is_not_below_a_rate_that_came_through_whole() -> None:
    # Beyond 30 000 it collapses so steeply that the fitted lines meet below what passed whole.
    knee = knee_of(sweep(Simulated(30_400, -0.9), RATES))
    assert knee.no_loss_pps == 30_000
    assert knee.knee_pps.lo >= 30_000


def test_no_loss_is_not_told_beyond_the_knee() -> None:
    """At 30 000 nothing was lost, but it came more slowly than it was sent: a queue had room."""
    records = [
        late(record) if record.point["rate_pps"] == 30_000 else record
        for record in sweep(Simulated(29_910), RATES)
    ]
    knee = knee_of(records)
    assert knee.knee_pps.hi < 30_000
    assert knee.no_loss_pps == 27_000


def late(record: Record) -> Record:
    count = record.accounting
    assert count is not None
    return replace(record, accounting=replace(count, unique=count.tried, lost=0))


def test_a_rate_without_a_valid_trial_takes_nothing_from_those_below_it() -> None:
    records = [
        replace(record, status="invalid") if record.point["rate_pps"] == 36_000 else record
        for record in sweep(Simulated(30_500), RATES)
    ]
    assert knee_of(records).no_loss_pps == 30_000
