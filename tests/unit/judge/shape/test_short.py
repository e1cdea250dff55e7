# SPDX-License-Identifier: Apache-2.0
"""A limiter that shows at the end of trials alone: named, and the knee is its rate."""

import pytest
from msgspec.structs import replace
from simulated import Planted

from gatemark.judge.judge import judge
from gatemark.judge.judgement import Judgement
from gatemark.store.drops import QDISC, Drop, Drops

from ..conftest import run
from .conftest import outside

RATES = (10_000, 15_000, 20_000)
BUCKET = Planted(capacity=60_000.0, policer=(12_000, 3_400))  # empty after 425 of 450 ms
QUEUE = Planted(capacity=60_000.0, shaper=(14_000, 6_000))  # it never fills
FULL = Planted(capacity=19_000.0)  # its CPU's queue is long at the end, too


POLICED = Planted(capacity=60_000.0, policer=(12_000, 100))


def judged(planted: Planted) -> Judgement:
    records = [replace(record, plan="sweep") for record in outside(planted, RATES)]
    return judge(run(records), records)


@pytest.mark.parametrize(
    ("planted", "shape", "rate_pps"), [(BUCKET, "policer", 12_000), (QUEUE, "shaper", 14_000)]
)
def test_it_is_named_with_its_rate(planted: Planted, shape: str, rate_pps: float) -> None:
    made = judged(planted)
    ((finding,),) = [diagnosis.wrong for diagnosis in made.diagnoses]
    assert finding.shape == shape
    assert finding.values["rate_pps"] == pytest.approx(rate_pps, rel=0.05)


@pytest.mark.parametrize(("planted", "rate_pps"), [(BUCKET, 12_000), (QUEUE, 14_000)])
def test_a_headline_is_no_rate_of_a_bucket_or_a_queue(planted: Planted, rate_pps: float) -> None:
    (knee,) = judged(planted).knees
    assert knee.knee_pps.value == pytest.approx(rate_pps, rel=0.05)


def test_a_full_cpu_is_no_limiter() -> None:
    shapes = [finding.shape for each in judged(FULL).diagnoses for finding in each.wrong]
    assert shapes == []


@pytest.mark.parametrize(("is_counted", "shape"), [(True, "policer"), (False, "limiter")])
def test_what_a_queue_counts_no_full_cpu_drops(is_counted: bool, shape: str) -> None:
    records = []
    for record in outside(POLICED, RATES):
        (own,) = record.evidence.loss
        drop = Drop(stage=QDISC, cause="pfifo", packets=int(is_counted * sum(own.lost)))
        busy = tuple(replace(reading, busy=0.99) for reading in record.evidence.cpu)
        evidence = replace(record.evidence, cpu=busy, drops=Drops(causes=(drop,)))
        records.append(replace(record, plan="sweep", evidence=evidence))
    ((finding, *_),) = [each.wrong for each in judge(run(records), records).diagnoses]
    assert finding.shape == shape
