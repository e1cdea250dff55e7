# SPDX-License-Identifier: Apache-2.0
"""Each shape of loss is named as what it is, alone and in pairs; a sound gateway has none."""

from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import accumulate, pairwise

import pytest
from msgspec.structs import replace
from simulated import PLANTED, RATES, Planted, swept

from gatemark.judge.finding import Diagnosis, Shape
from gatemark.judge.point.group import group
from gatemark.judge.shape.diagnose import Diagnosed, diagnose
from gatemark.judge.shape.stall import period_ms
from gatemark.store.record import CpuReading, Record, Starved
from gatemark.tell.fact import say

from .conftest import FEW, LOW, lossy, outside, swept_once


@cache
def look(name: str) -> Diagnosed:
    """What is found in one run with what is planted."""
    (diagnosed,) = diagnose(swept_once(PLANTED[name][0]), ())
    return diagnosed


def shapes(found: Diagnosis) -> tuple[Shape, ...]:
    return tuple(finding.shape for finding in found.wrong)


# Its parts are planted by themselves as well.
RARE = {"policer near the knee", "policer, stalls", "share, stalls"}


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.long] * (n in RARE)) for n in PLANTED]
)
def test_what_is_planted_is_named_and_nothing_else(name: str) -> None:
    assert shapes(look(name).diagnosis) == PLANTED[name][1]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(50))
def test_a_sound_gateway_has_no_shape(seed: int) -> None:
    """Over capacities that drift by up to a quarter, at rates below and above the knee."""
    (diagnosed,) = diagnose(swept(Planted(drift=0.25), RATES, seed), ())
    assert shapes(diagnosed.diagnosis) == ()


@pytest.mark.parametrize(
    ("name", "clause"),
    [
        ("stalls", "stands still for "),
        ("closed at times", "lets nothing through for "),
        ("a few of each trial", "lets nothing through after about 40 packets of each trial"),
    ],
)
def test_what_is_dropped_is_no_standstill(name: str, clause: str) -> None:
    (finding,) = look(name).diagnosis.wrong
    assert say.clause(finding.fact).startswith(clause)


@pytest.mark.parametrize("name", ["nothing", "random share", "policer", "first packets"])
def test_overload_is_named_beside_it(name: str) -> None:
    found = look(name).diagnosis.get("overload")
    assert found is not None
    assert found.values["capacity_pps"] == pytest.approx(27_000, rel=0.08)


@pytest.mark.parametrize(("waiting", "expected"), [(0.0, ("unexplained",)), (0.6, ())])
def test_what_an_emulator_had_no_time_to_take_is_not_without_explanation(
    waiting: float, expected: tuple[Shape, ...]
) -> None:
    """Its vCPU is at rest meanwhile, and all that is lost was refused."""
    carrier = CpuReading(thread="emulator", cpu=0, busy=0.3, waiting=waiting)
    vcpu = CpuReading(thread="vcpu0", cpu=1, busy=0.6, waiting=0.0)
    records = [
        replace(record, evidence=replace(record.evidence, cpu=(vcpu,), carrier=carrier))
        for record in outside(Planted())
        if record.point["rate_pps"] in FEW[-2:]
    ]
    (found,) = diagnose(group(records), ())
    assert shapes(found.diagnosis) == expected


def test_what_some_of_the_trials_lose_is_no_fault_without_explanation() -> None:
    """A machine that is busy for some seconds takes the gateway's CPU in four of six trials."""
    records = []
    for record in outside(Planted(), LOW):
        (own,) = record.evidence.loss
        refused = tuple(n // 20 * (record.repeat <= 4) for n in own.tried)
        loss = replace(own, refused=refused, lost=refused)
        records.append(replace(record, evidence=replace(record.evidence, loss=(loss,))))
    (found,) = diagnose(group(records), ())
    assert shapes(found.diagnosis) == ()


@cache
def with_quota() -> Diagnosed:
    """As recorded of 40 % of what connections send after their first ten packets."""
    records = []
    for record in outside(Planted(), (3_000, 8_000, 13_000, 20_000)):
        (own,) = record.evidence.loss
        sent = accumulate(own.tried)
        left = [min(n, max(0, upto - 500)) for n, upto in zip(own.tried, sent, strict=True)]
        loss = replace(own, lost=tuple(round(0.4 * n) for n in left), refused=(0,) * len(left))
        records.append(replace(record, evidence=replace(record.evidence, loss=(loss,))))
    (found,) = diagnose(group(records), ())
    return found


def test_a_quota_that_high_rates_use_up_at_once_is_told_by_packets() -> None:
    (finding,) = with_quota().diagnosis.wrong
    assert finding.values["packets"] == pytest.approx(500, rel=0.1)


def test_a_rate_that_loses_from_its_first_packets_on_is_no_capacity() -> None:
    assert max(with_quota().received_pps.values()) == pytest.approx(20_000, rel=0.01)


@pytest.mark.parametrize(
    ("planted", "expected"),
    [(Planted(policer=(30, 5)), "policer"), (Planted(share=0.98), "constant-share")],
)
def test_a_limit_of_few_is_no_share_of_nearly_all(planted: Planted, expected: Shape) -> None:
    """At two low rates that are near to each other both lose nearly all."""
    (found,) = diagnose(swept_once(planted, (3_000, 5_000, 20_000)), ())
    assert shapes(found.diagnosis) == (expected,)


def test_below_the_knee_nothing_is_named() -> None:
    below = [trials for trials in swept_once(Planted()) if trials.point["rate_pps"] != FEW[-1]]
    (found,) = diagnose(below, ())
    assert found.diagnosis.findings == ()


def test_a_share_is_told_with_how_it_is_lost() -> None:
    random, every = (
        look(name).diagnosis.get("constant-share") for name in ("random share", "every 50th")
    )
    assert random is not None
    assert random.values["share"] == pytest.approx(0.02, rel=0.1)
    assert "every" not in say.words(random.fact)
    assert every is not None
    assert "every 50th packet" in say.words(every.fact)


def test_a_policer_is_told_with_rate_and_burst() -> None:
    found = look("policer").diagnosis.get("policer")
    assert found is not None
    assert found.values["rate_pps"] == pytest.approx(12_000, rel=0.03)
    assert found.values["burst_packets"] == pytest.approx(200, rel=0.2)


@pytest.mark.parametrize(("pause_s", "words"), [(0.5, "(burst 1"), (0.017, "(burst at least 1")])
def test_a_burst_that_the_pause_before_filled_in_is_no_more_than_a_bound(
    pause_s: float, words: str
) -> None:
    """Of 200 packets, which 17 ms fill in."""
    begun, records = datetime(2026, 11, 1, tzinfo=UTC), []
    for record in outside(Planted(policer=(12_000, 200))):
        records.append(replace(record, started=begun.isoformat()))
        begun += timedelta(seconds=0.45 + pause_s)
    (found,) = diagnose(group(records), ())
    (finding,) = found.diagnosis.wrong
    assert words in say.words(finding.fact)


def test_a_shaper_is_told_with_rate_and_queue() -> None:
    found = look("shaper").diagnosis.get("shaper")
    assert found is not None
    assert found.values["rate_pps"] == pytest.approx(15_000, rel=0.03)
    assert found.values["queue_ms"] == pytest.approx(500 / 15, rel=0.3)


def test_a_queue_that_each_rate_fills_is_a_shapers() -> None:
    """No rate is below it: the least delay says what a packet takes that does not wait."""
    (found,) = diagnose(swept_once(Planted(shaper=(2_000, 100)), LOW), ())
    (finding,) = found.diagnosis.wrong
    assert finding.shape == "shaper"
    assert finding.values["queue_ms"] == pytest.approx(50, rel=0.1)


def test_a_queue_of_one_way_is_told_where_the_other_way_does_not_wait() -> None:
    """Both are loaded: half of all packets wait, and the median of both ways is one without."""
    records = [
        replace(
            record,
            definition=replace(record.definition, direction="both"),
            values=record.values | {"delay_p50_ns": 40_000.0},
        )
        for record in outside(PLANTED["shaper"][0], (5_000, 10_000, 18_000, 20_000))
    ]
    (found,) = diagnose(group(records), ())
    assert shapes(found.diagnosis) == ("shaper",)


def test_flows_are_told_with_what_they_share() -> None:
    found = look("flows").diagnosis.get("some-flows")
    assert found is not None
    assert (found.values["flows"], found.values["of_flows"]) == (16, 64)
    assert "port mod 4 = 1" in say.words(found.fact)


def test_stalls_are_told_with_their_length() -> None:
    found = look("stalls").diagnosis.get("stalls")
    assert found is not None
    assert found.values["stall_ms"] == pytest.approx(150, rel=0.05)
    assert found.values["share"] == pytest.approx(0.3, abs=0.1)


@pytest.mark.parametrize(("each", "is_named"), [(1, True), (8, False)])
def test_who_had_the_cpu_in_a_few_trials_is_not_blamed(each: int, is_named: bool) -> None:
    hog = Starved(thread="napi/gw0", longest_ms=20.0, share=0.02, who="hog (pid 7, OTHER)")
    records = [
        replace(record, evidence=replace(record.evidence, starved=hog if n % each == 0 else None))
        for n, record in enumerate(outside(PLANTED["stalls"][0]))
    ]
    (found,) = diagnose(group(records), ())
    (finding,) = found.diagnosis.wrong
    assert ("Meanwhile hog (OTHER) had its CPU." in say.words(finding.fact)) == is_named


@pytest.mark.parametrize("name", ["tenth of a share", "stalls", "first packets"])
def test_what_is_explained_is_taken_out_of_what_was_received(name: str) -> None:
    """So the rates below the knee come through whole, and those above it keep to the capacity."""
    found = look(name)
    below = [s for level in found.sweep.levels[:2] for s in level.sights]
    above = [s for level in found.sweep.levels[-1:] for s in level.sights]
    for sight in below:
        received = found.received_pps[sight.record.trial]
        assert received == pytest.approx(sight.offered_pps, rel=0.06)
    rates = sorted(found.received_pps[sight.record.trial] for sight in above)
    assert rates[len(rates) // 2] == pytest.approx(27_000, rel=0.05)


def test_levels_are_ordered_by_rate() -> None:
    rates = [level.offered_pps for level in look("nothing").sweep.levels]
    assert all(low < high for low, high in pairwise(rates))


def test_a_period_is_told_by_what_follows_in_any_trial() -> None:
    regular = [[(10.0, 150.0), (510.0, 150.0)], [(330.0, 150.0), (832.0, 149.0), (1330.0, 150.0)]]
    irregular = [
        [(10.0, 40.0), (95.0, 40.0), (390.0, 40.0)],
        [(5.0, 40.0), (222.0, 40.0)],
        [(1.0, 40.0), (161.0, 40.0)],
    ]
    assert period_ms([*regular, *regular]) == pytest.approx(500, rel=0.01)
    assert period_ms(regular) is None  # three intervals say too little
    assert period_ms(irregular) is None
    assert period_ms([[], []]) is None


def test_a_share_that_a_higher_rate_does_not_lose_is_none_of_any_rate() -> None:
    """As of a port that sleeps between packets that are far apart."""
    records = lossy(FEW[:3], lambda record, _: 0.1 * (record.point["rate_pps"] in LOW))
    (found,) = diagnose(group(records), ())
    (finding,) = found.diagnosis.wrong
    assert (
        say.clause(finding.fact) == "loses 10 % at 15.0 k packets/s and less, not at higher rates"
    )


def test_what_rises_over_the_trial_has_no_time_and_is_no_share() -> None:
    (found,) = diagnose(group(lossy(LOW, lambda _, at: 0.25 * at / 45)), ())
    (finding,) = found.diagnosis.wrong
    assert say.words(finding.fact).startswith("More is lost the longer a trial lasts: 3.")


@pytest.mark.parametrize("whole", [0, 5])
def test_a_policer_of_bytes_is_no_fault_of_sizes(whole: int) -> None:
    """Of IMIX that takes what 12 000 packets/s have: the larger ones are lost; a trial is whole."""
    mean, larger = 4342 / 12, (594 * 4 + 1518) / 12

    def lost(record: Record, at: int) -> float:
        del at
        if record.sequence == whole > 0:
            return 0.0
        return max(0.0, 1 - 12_000 / float(record.point["rate_pps"])) * mean / larger * 5 / 12

    sizes = {"64": (7 / 12, 0.0), "594": (4 / 12, 0.8), "1518": (1 / 12, 0.2)}
    (found,) = diagnose(group(lossy(FEW[:3], lost, **sizes)), ())
    (finding,) = found.diagnosis.wrong
    assert finding.shape == "policer"
    assert finding.values["rate_pps"] == pytest.approx(12_000, rel=0.02)


@pytest.mark.parametrize(
    ("planted", "rates", "named"),
    [
        (Planted(policer=(12_000, 200)), (6_000, 18_000), ("policer",)),
        (Planted(rising=0.5), (300, 18_000), ("unexplained",)),
    ],
    ids=["a policer", "by chance"],
)
def test_one_rate_that_loses_tells_a_policer_by_how_evenly_packets_come(
    planted: Planted, rates: tuple[int, ...], named: tuple[Shape, ...]
) -> None:
    (diagnosed,) = diagnose(swept(planted, rates), ())
    assert shapes(diagnosed.diagnosis) == named


def test_where_the_first_trials_use_up_what_is_let_through_that_is_told() -> None:
    records = [
        emptied(record) if record.repeat > 3 else record
        for record in outside(PLANTED["a few of each trial"][0])
    ]
    (diagnosed,) = diagnose(group(records), ())
    (finding,) = diagnosed.diagnosis.wrong
    assert say.clause(finding.fact) == "lets nothing through soon in each trial"


def emptied(record: Record) -> Record:
    """A trial of which nothing came."""
    (loss,) = record.evidence.loss
    nothing = replace(loss, lost=loss.tried, arrived=(0,) * len(loss.arrived))
    return replace(record, evidence=replace(record.evidence, loss=(nothing,)))


def test_silences_of_what_came_corrupted_are_no_stalls() -> None:
    records = []
    for record in outside(PLANTED["closed at times"][0]):
        (loss,) = record.evidence.loss
        corrupt = replace(loss, corrupt={"udp_sum": sum(loss.lost)})
        records.append(replace(record, evidence=replace(record.evidence, loss=(corrupt,))))
    (diagnosed,) = diagnose(group(records), ())
    assert [f.shape for f in diagnosed.diagnosis.wrong if f.shape == "stalls"] == []


def test_beside_a_tester_at_fault_what_is_clearly_lost_inside_is_told() -> None:
    (diagnosed,) = diagnose(swept(Planted(rising=0.5, holes=12.0), (300, 18_000)), ())
    assert shapes(diagnosed.diagnosis) == ("tester", "unexplained")


@pytest.mark.parametrize(("pause_ms", "named"), [(8.0, ()), (60.0, ("tester",))])
def test_of_two_senders_short_pauses_are_turns_of_theirs(
    pause_ms: float, named: tuple[Shape, ...]
) -> None:
    records = []
    for record in outside(Planted(), LOW):
        (loss,) = record.evidence.loss
        count = int(0.3 * 1000 * record.definition.duration_s / pause_ms)
        paused = replace(loss, pauses=tuple((n * 3 * pause_ms, pause_ms) for n in range(count)))
        both = replace(record.definition, direction="both")
        evidence = replace(record.evidence, loss=(paused,))
        records.append(replace(record, definition=both, evidence=evidence))
    (diagnosed,) = diagnose(group(records), ())
    assert shapes(diagnosed.diagnosis) == named
