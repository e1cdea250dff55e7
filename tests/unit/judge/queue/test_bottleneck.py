# SPDX-License-Identifier: Apache-2.0
"""Queues that TCP fills in a simulation: their buffer, sawtooth and beginning are read again."""

from functools import cache

import pytest
from bottleneck import SEGMENT_BYTES, Setting, Simulation

from gatemark.judge.queue import fair, settle, trial
from gatemark.judge.queue.flow import S_NS, Flow
from gatemark.judge.queue.formula import Bottleneck, Expected, expected, mean_bytes
from gatemark.judge.queue.swing import SETTLE_NS, Swing, buffer_bytes, swing

MBPS = 1e6


@cache
def simulated(setting: Setting) -> Simulation:
    return Simulation(setting)


def reno(rate_bps: float, packets: int, load_s: float = 40, **more: float) -> Setting:
    return Setting("reno", rate_bps, packets, load_s, **more)  # type: ignore[arg-type]


def line(setting: Setting) -> Bottleneck:
    return Bottleneck(
        setting.rate_bps,
        setting.buffer_packets,
        segment_bytes=SEGMENT_BYTES,
        mean_bytes=mean_bytes(setting.rate_bps, SEGMENT_BYTES, [(25, 87)]),
        round_trip_ns=setting.round_trip_ns,
        streams=setting.streams,
        congestion=setting.congestion,
    )


def swinging(made: Simulation) -> Swing:
    seen = swing(made.flow, made.least_ns, *made.load_ns)
    assert seen is not None
    return seen


@pytest.mark.parametrize(
    "setting",
    [
        reno(1 * MBPS, 50, 60),
        reno(1 * MBPS, 100, 60),
        reno(15 * MBPS, 50, 20),
        reno(15 * MBPS, 100, 40, round_trip_ns=20e6),
        Setting("cubic", 15 * MBPS, 50, 20),
    ],
    ids=str,
)
def test_a_planted_buffer_is_seen_within_5_percent(setting: Setting) -> None:
    made = simulated(setting)
    began_ns, ended_ns = made.load_ns
    delays = made.flow.between(began_ns + SETTLE_NS, ended_ns).delay_ns
    seen = buffer_bytes(delays, made.least_ns, setting.rate_bps)
    assert seen == pytest.approx(line(setting).full_bytes, rel=0.05)


@pytest.mark.parametrize(
    "setting",
    [
        reno(1 * MBPS, 50, 60),
        reno(15 * MBPS, 50, 20),
        reno(15 * MBPS, 100, 40, round_trip_ns=20e6),
    ],
    ids=str,
)
def test_reno_swings_as_the_arithmetic_has_it(setting: Setting) -> None:
    should, seen = expected(line(setting)), swinging(simulated(setting))
    assert seen.tooth is not None
    assert should.period_ns is not None
    assert should.trough_ns is not None
    assert seen.tooth.period_s * S_NS == pytest.approx(should.period_ns, rel=0.15)
    # The window goes a segment or two beyond what fits before TCP hears of it.
    assert seen.trough_ns == pytest.approx(should.trough_ns, rel=0.15)
    assert seen.high_ns == pytest.approx(should.full_ns, rel=0.05)


def test_the_mean_of_reno_is_that_of_growth_by_a_segment_a_round_trip() -> None:
    setting = reno(15 * MBPS, 50, 20)
    should, seen = expected(line(setting)), swinging(simulated(setting))
    # The integral of w^2 over that of w, from W/2 to W: 7/9 of a full buffer, not 3/4.
    assert seen.mean_ns == pytest.approx(should.full_ns * 7 / 9, rel=0.04)


def test_cubic_leaves_seven_tenths_in_the_buffer() -> None:
    setting = Setting("cubic", 15 * MBPS, 50, 20)
    should, seen = expected(line(setting)), swinging(simulated(setting))
    assert seen.low_ns == pytest.approx(should.trough_ns, rel=0.1)
    assert should.mean_ns is not None
    assert should.mean_ns < seen.mean_ns < should.full_ns


def test_a_path_as_long_as_the_buffer_empties_it() -> None:
    setting = reno(15 * MBPS, 20, 20, round_trip_ns=20e6)
    should, seen = expected(line(setting)), swinging(simulated(setting))
    assert should.trough_ns == 0
    assert seen.low_ns < 0.1 * should.full_ns


def test_a_flow_that_is_put_first_waits_for_a_frame_at_most() -> None:
    made = simulated(reno(1 * MBPS, 50, first=True))
    seen = swinging(made)
    assert seen.high_ns <= SEGMENT_BYTES * 8 * S_NS / MBPS
    assert made.flow.loss_ratio == 0


def test_slow_start_overshoots_and_a_fast_sawtooth_is_steady() -> None:
    made = simulated(reno(15 * MBPS, 50, 20))
    start = settle.start(made.flow, made.least_ns, made.load_ns, 1.0)
    assert start is not None
    assert start.steady_ns < 2 * S_NS


def test_the_queue_is_gone_when_it_has_drained() -> None:
    made = simulated(reno(1 * MBPS, 50, 60))
    gone_ns = settle.recovery_ns(made.flow, made.least_ns, 1e6, made.load_ns[1])
    assert gone_ns is not None
    full_ns = expected(line(made.setting)).full_ns
    assert 0.3 * full_ns < gone_ns < 1.2 * full_ns


def test_streams_of_one_kind_share_alike() -> None:
    made = simulated(reno(15 * MBPS, 100, 20, streams=4))
    counts = [made.acked_bytes(place) for place in range(4)]
    whole, worst = fair.shares(counts, *made.load_ns)
    assert whole is not None
    assert worst is not None
    assert 0.8 < worst <= whole <= 1


def test_a_trial_says_all_of_it() -> None:
    made = simulated(reno(1 * MBPS, 50, 60))
    before = made.flow.between(0, made.start_ns)
    seen = trial.Seen(
        flow=made.flow,
        idle=before,
        least_ns=before.least_ns,
        load_ns=made.load_ns,
        rate_bps=1 * MBPS,
        goodputs_bps={1448.0: 0.94 * MBPS},
    )
    values = trial.values(seen)
    assert values["queue_line_share"] == pytest.approx(0.94 * 1514 / 1448)
    assert values["queue_added_p98_ns"] == pytest.approx(480e6, rel=0.05)
    assert values["queue_harm_ratio"] > 0.99
    assert values["queue_standing_bytes"] == pytest.approx(30_000, rel=0.1)
    assert {"queue_period_ns", "queue_steady_ns", "queue_recovery_ns"} <= values.keys()


def test_without_packets_nothing_is_said() -> None:
    nothing = Flow((), ())
    assert trial.values(trial.Seen(flow=nothing, idle=nothing, least_ns=0, load_ns=(0, 9e9))) == {}
    assert swing(nothing, 0, 0, 9e9) is None


def test_bbr_has_no_sawtooth_to_expect() -> None:
    assert expected(Bottleneck(1 * MBPS, 50, congestion="bbr")) == Expected(50 * 1514 * 8e9 / MBPS)
