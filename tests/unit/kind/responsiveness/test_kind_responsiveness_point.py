# SPDX-License-Identifier: Apache-2.0
"""What a responsiveness is worth, and when it is the tester's own."""

from typing import Any

import pytest
from judge.conftest import run

from gatemark.judge.judge import judge
from gatemark.judge.judgement import PointResult
from gatemark.kind.responsiveness.point import confidence, grade
from gatemark.store.record import CpuReading, Definition, Evidence, Record
from gatemark.tell.fact import say

MS = 1_000_000


def record(
    path: str = "nat", *, own: float = 100.0, mbps: float = 10.0, busy: float = 0.1, **more: Any
) -> Record:
    """A test whose foreign requests took so many ms."""
    return Record(
        trial=f"{path}{more}",
        plan="delay/responsiveness",
        arm=path,
        point={},
        repeat=1,
        pass_="outside",  # noqa: S106 - not a password
        sequence=0,
        status="ok",
        started="2026-11-22T00:00:00Z",
        definition=Definition(
            path=path, quantity="responsiveness", l4="http", tls=True, interval_s=5.0, **more
        ),
        values={"rpm": 900.0, "http_f_p50_ns": own * MS, "goodput_bps": mbps * 1e6},
        evidence=Evidence(
            sender_cpu=0.1,
            cpu=(CpuReading(thread="napi/gw0", cpu=1, busy=busy),),
            responsiveness={"confidence": "high"},
        ),
    )


def point(*records: Record) -> PointResult:
    (judged,) = judge(run(), records).points
    return judged


@pytest.mark.parametrize(
    ("rpm", "name"),
    [(299.9, "poor"), (300, "fair"), (999, "fair"), (1000, "good"), (6000, "excellent")],
)
def test_classes_are_those_of_the_draft(rpm: float, name: str) -> None:
    assert grade(rpm) == name


@pytest.mark.parametrize(
    ("own", "mbps", "limit", "words"),
    [
        (9.0, 1000.0, "unknown", ""),
        (11.0, 1000.0, "tester", "takes 11 ms, 11 %"),
        (9.0, 10.9, "tester", "10.9 Mbit/s"),
        (9.0, 11.0, "unknown", ""),
    ],
)
def test_a_tester_that_is_slow_by_itself_is_the_limit(
    own: float, mbps: float, limit: str, words: str
) -> None:
    judged = point(record(), record("direct", own=own, mbps=mbps))
    assert (judged.limit, judged.at_least) == (limit, limit == "tester")
    assert words in say.words(judged.why)


def test_a_tester_is_asked_by_the_same_test_alone() -> None:
    other = record("direct", own=99.0, congestion="bbr")
    assert point(record(), other).limit == "unknown"


def test_a_tester_behind_a_line_is_no_witness() -> None:
    assert point(record(), record("direct", own=99.0, line="1 Mbit/s")).limit == "unknown"


def warned(*records: Record) -> bool:
    return "no-ceiling" in {warning.code for warning in judge(run(), records).warnings}


def test_a_tester_that_was_not_asked_without_the_line_is_warned_of() -> None:
    lined = record(line="5 Mbit/s")
    assert warned(lined)
    assert warned(lined, record("direct", line="5 Mbit/s"))
    assert warned(lined, record("direct", congestion="bbr"))
    assert not warned(lined, record("direct"))


def test_it_is_asked_of_a_test_over_a_line_too() -> None:
    judged = point(record(line="5 Mbit/s"), record("direct", own=11.0, mbps=1000.0))
    assert (judged.limit, judged.at_least) == ("tester", True)


def test_a_full_cpu_of_the_gateway_is_the_bottleneck() -> None:
    judged = point(record(busy=0.99), record("direct", own=1.0, mbps=1000.0))
    assert judged.limit == "cpu"


def test_the_lowest_confidence_of_the_trials_counts() -> None:
    seen = [Evidence(responsiveness={"confidence": word}) for word in ("high", "low", "medium")]
    records = [record() for _ in seen]
    texts = [
        Record(**{name: getattr(r, name) for name in r.__struct_fields__} | {"evidence": e})
        for r, e in zip(records, seen, strict=True)
    ]
    assert confidence(texts) == "low"
    assert confidence([]) == ""
