# SPDX-License-Identifier: Apache-2.0
"""Loss that comes and goes: within a trial, over the run, and after a rate."""

import pytest
from msgspec.structs import replace

from gatemark.judge.finding import Finding
from gatemark.judge.judge import judge
from gatemark.judge.point.group import group
from gatemark.judge.shape.diagnose import diagnose
from gatemark.store.record import Record, Starved
from gatemark.tell.fact import say

from ..conftest import run
from .conftest import FEW, LOW, lossy

THREE = FEW[:3]  # packets/s: 10 000, 15 000, 24 000


def only(records: list[Record]) -> Finding:
    """Return what is found alone."""
    (found,) = diagnose(group(records), ())
    (finding,) = found.diagnosis.wrong
    return finding


@pytest.mark.parametrize(
    ("is_later", "words"), [(True, "From the 6th of 12 trials on"), (False, "Until the 5th of 12")]
)
def test_what_begins_or_ends_between_two_trials_is_told_by_the_trial(
    is_later: bool, words: str
) -> None:
    records = lossy(LOW, lambda record, _: 0.1 * ((record.sequence >= 5) == is_later))
    finding = only(records)
    assert (finding.shape, say.words(finding.fact).startswith(words)) == ("over-time", True)


def test_what_begins_and_ends_within_the_run_is_told_by_both_trials() -> None:
    finding = only(lossy(LOW, lambda record, _: 0.1 * (4 <= record.sequence < 9)))
    assert say.clause(finding.fact) == "loses 10 % from the 5th to the 9th of 12 trials"


@pytest.mark.parametrize(
    ("shift", "when"), [(0, "from 150 ms into each trial on"), (7, "every 200 ms")]
)
def test_a_part_that_is_lost_for_a_while_is_told_with_its_times(shift: int, when: str) -> None:
    """For 60 ms: at the same time of each trial, or each 200 ms from other times on."""

    def lost(record: Record, at: int) -> float:
        if not shift:
            return 0.3 * (15 <= at < 21)
        return 0.3 * ((at + shift * record.sequence) % 20 < 6)

    assert say.clause(only(lossy(THREE, lost)).fact) == f"loses 30 % for 60 ms {when}"


def test_what_ends_after_so_many_packets_may_outlast_the_trial() -> None:
    """2 000 packets come, then none, and none of the next trial."""

    def lost(record: Record, at: int) -> float:
        return float(record.sequence % 2 or at * 10 * int(record.point["rate_pps"]) >= 2e6)

    finding = only(lossy(THREE, lost))
    assert say.clause(finding.fact) == "loses 100 % after about 2025 packets"
    assert say.words(finding.fact).endswith("9 of 18 trials lose all: it outlasts the others.")


def test_a_part_that_is_lost_for_longer_than_a_trial_and_again_is_told_by_the_trials() -> None:
    """Of 18 trials, one a second: two of each five."""
    finding = only(lossy(THREE, lambda record, _: 0.3 * (record.sequence % 5 < 2)))
    assert "8 of 18 trials lose as a whole" in say.words(finding.fact)


def test_a_part_that_rates_lose_beyond_one_is_no_share_and_no_limit() -> None:
    finding = only(lossy(THREE, lambda record, _: 0.4 * (record.point["rate_pps"] != FEW[0])))
    assert say.clause(finding.fact) == "loses 40 % once 15.0 k packets/s are offered"


def test_what_outlasts_the_rate_that_triggers_it_is_told_with_lower_ones() -> None:
    """The trials at 10 000 packets/s are the next after those at 24 000."""

    def lost(record: Record, _: int) -> float:
        is_next = record.point["rate_pps"] == FEW[0] and record.sequence > 0
        return 0.4 * (record.point["rate_pps"] == FEW[2] or is_next)

    finding = only(lossy(THREE, lost))
    assert finding.shape == "triggered"
    assert finding.values["rate_pps"] == pytest.approx(24_000, rel=0.01)
    assert "for some time after it also at 15.0 k packets/s and less" in say.words(finding.fact)


def test_what_a_rate_triggers_is_the_bottleneck_at_the_knee_that_it_makes() -> None:
    """So no headline says beside the name that it is not known."""
    records = []
    for record in lossy(THREE, lambda record, _: 0.4 * (record.point["rate_pps"] != FEW[0])):
        (own,) = record.evidence.loss
        lost = sum(own.lost) / sum(own.tried)
        rate = (1 - lost) * record.values["offered_pps"]
        values = {"received_pps": rate, "received_l1_bps": 672 * rate, "loss_ratio": lost}
        records.append(replace(record, plan="sweep", values=record.values | values))
    (knee,) = judge(run(records), records).knees
    assert knee.limit == "triggered"


def test_a_program_that_takes_the_cpu_a_few_ms_at_a_time_is_named() -> None:
    hog = Starved(thread="napi/gw0", longest_ms=4.0, share=0.3, who="hog (pid 7, FIFO 60)")
    records = [
        replace(record, evidence=replace(record.evidence, starved=hog))
        for record in lossy(LOW, lambda *_: 0.0)
    ]
    assert say.words(only(records).fact).endswith("Meanwhile hog (FIFO 60) had its CPU.")


def test_programs_that_come_and_go_on_a_busy_machine_are_no_fault() -> None:
    others = [
        Starved(thread="napi/gw0", longest_ms=4.0, share=0.3, who=f"{name} (pid 7, OTHER)")
        for name in ("browser", "compiler")
    ]
    records = [
        replace(record, evidence=replace(record.evidence, starved=others[n % 2]))
        for n, record in enumerate(lossy(LOW, lambda *_: 0.0))
    ]
    (diagnosed,) = diagnose(group(records), ())
    assert list(diagnosed.diagnosis.wrong) == []
