# SPDX-License-Identifier: Apache-2.0
"""Each warning is given when it should be, and seldom by chance."""

from collections.abc import Callable, Sequence
from itertools import combinations, permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatemark.judge.judgement import Limit, Warning_
from gatemark.judge.math.interval import median_interval
from gatemark.judge.point import warn
from gatemark.store.record import CpuReading, Evidence
from gatemark.tell.fact import say

from ..conftest import seeded

QUIET = [1000.0, 1004.0, 997.0, 1002.0, 999.0, 1001.0, 998.0, 1003.0, 1000.0, 996.0]
RULES = [warn.drift, warn.first_run_slow, warn.bimodal]


@pytest.mark.parametrize("rule", RULES)
def test_quiet_samples_warn_of_nothing(rule: Callable[[Sequence[float]], object]) -> None:
    assert rule(QUIET) is None


@pytest.mark.parametrize("rule", RULES)
def test_normal_noise_seldom_warns(rule: Callable[[Sequence[float]], object]) -> None:
    chance = seeded(3)
    warned = sum(rule([chance.gauss(1000, 30) for _ in range(12)]) is not None for _ in range(1000))
    assert warned <= 20


@pytest.mark.parametrize("rule", RULES)
def test_too_little_or_constant_warns_of_nothing(rule: Callable[[Sequence[float]], object]) -> None:
    quiet: list[list[float]] = [[], [5.0], [0.0] * 12, [5.0] * 12]
    assert [rule(values) for values in quiet] == [None] * len(quiet)


def test_six_values_that_only_fall_are_a_drift() -> None:
    assert warn.drift([1000, 990, 980, 970, 960, 950])


def test_fall_of_less_than_2_percent_is_not_worth_a_warning() -> None:
    assert warn.drift([1000, 998, 996, 994, 992, 990]) is None


@pytest.mark.parametrize("n", [2, 3, 6])
def test_order_p_is_the_share_of_orders_that_are_as_far_from_chance(n: int) -> None:
    orders = list(permutations(range(n)))
    leads = [abs(lead(order)) for order in orders]
    shares = [sum(other >= own for other in leads) / len(orders) for own in leads[::7]]
    assert [warn.order_p(order) for order in orders[::7]] == pytest.approx(shares)


def lead(order: Sequence[int]) -> int:
    """How many more pairs rise than fall."""
    return sum((b > a) - (a > b) for a, b in combinations(order, 2))


def test_order_p_of_many_is_near_the_exact_one(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = Random(5)
    values = [chance.gauss(place / 60, 1) for place in range(60)]
    exact = warn.order_p(values)
    monkeypatch.setattr(warn, "MOST_EXACT", 59)
    assert warn.order_p(values) == pytest.approx(exact, rel=0.2)


@pytest.mark.long
@given(st.lists(st.floats(0, 1e6), min_size=2, max_size=8, unique=True))
def test_order_p_is_that_of_scipy(values: list[float]) -> None:
    from scipy.stats import kendalltau

    expected = kendalltau(range(len(values)), values, method="exact").pvalue
    assert warn.order_p(values) == pytest.approx(float(expected))


def test_slow_first_run_is_seen() -> None:
    assert warn.first_run_slow([900, 1000, 1004, 998, 1001, 999])


def test_a_first_run_is_no_share_of_nothing() -> None:
    assert warn.first_run_slow([-1.0, 0.0, 0.0, 0.0, 0.0, 0.0]) is None


def test_slow_later_run_is_not_a_slow_first() -> None:
    assert warn.first_run_slow([1000, 900, 1004, 998, 1001, 999]) is None


def test_two_groups_are_bimodal() -> None:
    assert warn.bimodal([1000, 801, 1003, 799, 998, 800, 1001, 803, 999, 802])


def test_one_outlier_is_no_second_mode() -> None:
    assert warn.bimodal([*QUIET, 500]) is None


def test_probe_that_moves_the_value_is_named() -> None:
    assert warn.observer_effect(QUIET, [950.0])


def test_probe_within_the_spread_has_no_effect() -> None:
    assert warn.observer_effect(QUIET, [996.0]) is None


def test_wide_interval_is_named() -> None:
    assert warn.spread(median_interval([900, 1000, 1100]))


def test_narrow_interval_is_fine() -> None:
    assert warn.spread(median_interval(QUIET)) is None


@pytest.mark.parametrize(("n", "warned"), [(5, True), (6, False)])
def test_six_repeats_are_enough(n: int, *, warned: bool) -> None:
    assert (warn.few_repeats(n) is not None) is warned


def test_clump_of_more_than_one_poll_is_bursty() -> None:
    assert warn.bursty_sender(100_000, late_p99_ns=1e6, gaps_over_1ms=0, sent_s=1)


def test_packets_a_little_late_are_not_bursty() -> None:
    assert warn.bursty_sender(30_000, late_p99_ns=200_000, gaps_over_1ms=1, sent_s=1) is None


def test_holes_at_the_sink_are_bursty() -> None:
    assert warn.bursty_sender(30_000, late_p99_ns=0, gaps_over_1ms=40, sent_s=1)


def test_gaps_of_a_slow_schedule_are_no_holes() -> None:
    assert warn.bursty_sender(500, late_p99_ns=0, gaps_over_1ms=499, sent_s=1) is None


@pytest.mark.parametrize(("limit", "warned"), [("tester", True), ("cpu", False)])
def test_only_the_tester_as_limit_makes_a_lower_bound(limit: Limit, *, warned: bool) -> None:
    assert (warn.tester_limited(limit, "the sender was busy 99 %") is not None) is warned


def test_invalid_trials_are_counted() -> None:
    found = warn.invalid_trials(3)
    assert found is not None
    assert say.words(found.seen).startswith("3 ")


def hot(busy: float = 0.95, **thermal: float) -> Evidence:
    return Evidence(thermal=thermal, inside=(CpuReading(thread="cpu0", cpu=0, busy=busy),))


@pytest.mark.parametrize(
    ("evidence", "warns"),
    [
        (hot(throttled=1.0, busy=0.1), True),
        (hot(clock_start_mhz=1200.0, clock_low_mhz=1100.0), True),
        (hot(clock_start_mhz=1200.0, clock_low_mhz=1150.0), False),
        (hot(clock_start_mhz=1200.0, clock_low_mhz=600.0, busy=0.3), False),  # its governor
        (hot(throttled=0.0), False),
        (Evidence(), False),
    ],
)
def test_a_processor_that_was_slowed_under_load_warns(evidence: Evidence, warns: bool) -> None:
    found = warn.throttled([Evidence(), evidence])
    assert (found is not None and found.code == "throttled") is warns


@pytest.mark.parametrize(
    ("error_ns", "delay_ns", "warned"), [(0, 900, False), (800, 900, False), (900, 900, True)]
)
def test_delays_below_their_clocks_error_are_warned_of(
    error_ns: float, delay_ns: float, *, warned: bool
) -> None:
    assert (warn.clock(error_ns, delay_ns) is not None) is warned


def test_a_warning_has_the_number_that_triggered_it_and_a_next_step() -> None:
    seen: dict[str, tuple[Warning_ | None, str]] = {
        "spread": (warn.spread(median_interval([900, 1000, 1100])), "spans 20.0 % of its value"),
        "few-repeats": (warn.few_repeats(2), "2 of 6 repeats"),
        "drift": (warn.drift([1000, 990, 980, 970, 960, 950]), "lies 3.08 % below the earlier"),
        "first-run-slow": (warn.first_run_slow([900, *[1000] * 5]), "lies 10.0 % below all others"),
        "observer-effect": (
            warn.observer_effect(QUIET, [950.0]),
            "% less than the pass",
        ),
        "tester-limited": (warn.tester_limited("tester", "the sender was busy 99 %"), "busy 99 %"),
        "throttled": (
            warn.throttled([hot(clock_start_mhz=1200.0, clock_low_mhz=600.0)]),
            "600 MHz",
        ),
        "bursty-sender": (warn.bursty_sender(100_000, 1e6, 0, 1), "100 packets at once"),
        "holes": (warn.bursty_sender(30_000, 0, 40, 1), "4.00 % of the time"),
        "unnamed-functions": (warn.unnamed_functions(0.2), "20.0 % of what it runs"),
        "twin-differs": (warn.twin_differs("again", "route", 40.0, "ns"), "by 40.0 ns"),
    }
    lacking = [
        name
        for name, (found, number) in seen.items()
        if not (found and number in say.words(found.seen) and say.words(found.advice).endswith("."))
    ]
    assert lacking == []


def test_each_rule_has_its_own_code() -> None:
    rising = [1000.0 * 1.05**at for at in range(12)]
    cold = [500.0, *QUIET]
    groups = [1000.0, 1001.0, 1002.0, 1003.0, 2000.0, 2001.0, 2002.0, 2003.0] * 2
    told = [warn.drift(rising), warn.first_run_slow(cold), warn.bimodal(groups)]
    assert [one.code for one in told if one] == ["drift", "first-run-slow", "bimodal"]
