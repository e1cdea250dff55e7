# SPDX-License-Identifier: Apache-2.0
"""The queues of a made-up run: who is compared with whom, what was seen beside what should be."""

import pytest
import queued
from msgspec.structs import replace

from gatemark.judge.judge import judge
from gatemark.judge.judgement import Queue
from gatemark.judge.queue import mixed
from gatemark.judge.values import values
from gatemark.store.drops import Drop, Drops
from gatemark.store.record import Record
from gatemark.store.series import Series
from gatemark.tell.fact import say


def queues(records: tuple[Record, ...], sheaf: dict[str, Series]) -> tuple[Queue, ...]:
    return judge(queued.run(), records, sheaf=sheaf).queues


def of(arm: str, streams: int) -> Queue:
    made = queued.judgement().queues
    (queue,) = (q for q in made if (q.arm, q.point["uploads.streams"]) == (arm, streams))
    return queue


def test_a_point_without_a_load_has_no_queue() -> None:
    made = [(q.arm, q.point["uploads.streams"]) for q in queued.judgement().queues]
    assert made == [point for point in queued.POINTS if point[1]]


def test_they_stand_in_the_order_of_the_plan_whatever_ran_first() -> None:
    records, sheaf = queued.made()
    last = len(records)
    turned = tuple(replace(r, sequence=last - r.sequence) for r in records)
    made = [(q.arm, q.point["uploads.streams"]) for q in queues(turned, sheaf)]
    assert made == [point for point in queued.POINTS if point[1]]


def test_all_repeats_count() -> None:
    assert of("drop-tail", 1).values["queue_mean_ns"].n == queued.REPEATS


def test_the_planted_buffer_is_found_within_5_percent() -> None:
    queue = of("drop-tail", 1)
    assert queue.buffer_bytes is not None
    assert queue.values["queue_buffer_bytes"].value == pytest.approx(queue.buffer_bytes, rel=0.05)
    assert queue.buffer_bytes == pytest.approx(50 * 1178, rel=0.01)


def test_what_should_be_stands_beside_it() -> None:
    should = of("drop-tail", 1).expected
    ms = {name.removeprefix("queue_expected_"): value / 1e6 for name, value in should.items()}
    assert ms["full_ns"] == pytest.approx(471, abs=1)
    assert ms["trough_ns"] == pytest.approx(236, abs=1)
    assert ms["mean_ns"] == pytest.approx(353, abs=1)


def test_a_flow_that_goes_first_has_no_arithmetic_of_the_line() -> None:
    queue = of("game first", 1)
    assert queue.expected == {}
    assert "holds the load" in say.words(queue.why[0])
    assert "queue_period_ns" not in queue.values
    assert queue.values["queue_added_p98_ns"].value < 13e6


def test_streams_are_compared() -> None:
    assert "queue_fairness_ratio" not in of("drop-tail", 1).values
    assert 0.9 < of("drop-tail", 4).values["queue_fairness_ratio"].value <= 1


def test_the_same_arm_without_a_load_is_what_it_is_compared_with() -> None:
    assert say.words(of("drop-tail", 1).compared) == "without a load (drop-tail)"


def test_without_an_idle_trial_the_time_before_the_load_counts() -> None:
    records, sheaf = queued.made()
    loaded = tuple(record for record in records if record.parts)
    (first, *_) = queues(loaded, sheaf)
    assert say.words(first.compared) == "before the load began"
    added = first.values["queue_added_p98_ns"].value
    assert added == pytest.approx(of("drop-tail", 1).values["queue_added_p98_ns"].value, rel=0.01)


def test_without_series_there_are_none() -> None:
    records, _ = queued.made()
    assert queues(records, {}) == ()


def test_a_trial_whose_series_is_lost_is_left_out() -> None:
    records, sheaf = queued.made()
    lost = next(record.series for record in records if record.parts)
    kept = {name: series for name, series in sheaf.items() if name != lost}
    assert queues(records, kept)[0].values["queue_mean_ns"].n == queued.REPEATS - 1


def test_an_invalid_trial_tells_nothing() -> None:
    records, sheaf = queued.made()
    spoilt = tuple(replace(record, status="invalid") for record in records)
    assert queues(spoilt, sheaf) == ()


def test_series_are_asked_for_where_workloads_are_mixed() -> None:
    records, sheaf = queued.made()
    assert mixed.files(records) == list(sheaf)
    assert mixed.files([record for record in records if not record.parts]) == []


def test_each_value_has_its_direction_and_unit() -> None:
    made = {v.quantity: v for v in values(queued.judgement()) if ".queue_" in v.quantity}
    assert made["up.queue_standing_bytes"].unit == "bytes"
    assert made["up.queue_expected_full_ns"].unit == "ns"
    assert made["up.queue_line_share"].unit == "ratio"
    assert made["up.queue_goodput_bps"].unit == "bit/s"


def test_who_dropped_is_told_whoever_sent_it() -> None:
    records, sheaf = queued.made()
    drops = (
        Drop(stage="qdisc", cause="tbf", where="gw1", packets=40),
        Drop(stage="netfilter", cause="a rule", packets=9),
    )
    counted = tuple(
        replace(record, evidence=replace(record.evidence, drops=Drops(causes=drops)))
        for record in records
    )
    dropped = [queue.dropped for queue in queues(counted, sheaf)]
    assert dropped == [{"tbf at gw1": 40}] * 3
