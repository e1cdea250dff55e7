# SPDX-License-Identifier: Apache-2.0
"""A soak's samples: what grows in them is named, what fills, steps or wavers is not."""

import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from judge.conftest import Trial, run
from msgspec.structs import replace

from gatemark.judge.judge import judge
from gatemark.judge.judgement import Judgement
from gatemark.kind.soak.drift import drifts
from gatemark.kind.soak.load import PORTS, ports
from gatemark.kind.soak.plan import SOAK
from gatemark.plan.kind import faults
from gatemark.plan.model import Workload
from gatemark.store.record import Definition, Evidence, Record
from gatemark.tell.fact import say

START = datetime(2026, 11, 30, 12, tzinfo=UTC)
MIB = 1 << 20
SAMPLES = 60


def sample(at: int, held: dict[str, Any], every_s: float = 10.0, **values: float) -> Record:
    """One trial of a soak."""
    made = replace(Trial().record(), trial=f"soak/{at}", repeat=at + 1, sequence=at)
    return replace(
        made,
        started=(START + timedelta(seconds=every_s * at)).isoformat(),
        definition=Definition(path="nat", quantity=SOAK, duration_s=every_s),
        values={"received_pps": 500.0, **values},
        evidence=Evidence(probes={"footprint": held}),
    )


def soak(of: Callable[[int], float], **held: Any) -> list[Record]:
    """A process with as much memory, by the number of the sample."""
    return [
        sample(at, {"processes": {"leaky 812": round(of(at))}, **held}) for at in range(SAMPLES)
    ]


def judged(records: Sequence[Record]) -> Judgement:
    return judge(run([*records]), [*records])


def test_a_leak_of_a_kilobyte_a_flow_is_named_in_ten_minutes_with_its_end() -> None:
    """500 flows a sample of 10 s are 184 MB an hour; 1 GiB is left, so it ends in 5.8 hours."""
    records = soak(lambda at: 8 * MIB + 512_000 * at, memory={"MemAvailable": 1024 * MIB})
    (diagnosis,) = judged(records).diagnoses
    (finding,) = diagnosis.wrong
    assert finding.shape == "grows"
    assert finding.values["an_hour_bytes"] == pytest.approx(512_000 * 360)
    words = say.words(finding.fact)
    assert words.startswith("The memory of leaky 812 grows by 184.3 ")
    assert "what is left ends in 5.83 hours, on 2026-11-30" in words
    assert say.clause(finding.fact) == "has the memory of leaky 812 that grows by 184 MB an hour"


@pytest.mark.parametrize(
    "of",
    [
        lambda _: 8 * MIB,
        lambda at: 8 * MIB + 4 * MIB * (at > 40),  # a step
        lambda at: 8 * MIB * (1 - 0.7**at),  # fills
        lambda at: 8 * MIB + 4096 * random.Random(at).randrange(50),
        lambda at: 8 * MIB + 1024 * at,  # by less than a reading's own
        lambda at: 8 * MIB - 512_000 * at / 60,  # falls
    ],
)
def test_what_does_not_grow_for_long_is_not_named(of: Callable[[int], float]) -> None:
    assert judged(soak(of)).diagnoses == ()


def test_a_run_that_went_on_later_is_compared_within_its_parts() -> None:
    """The gateway was made anew: the process has another number, the table begins anew."""
    records = [
        sample(
            at if at < 30 else at + 1000,
            {
                "processes": {f"calm {at // 30}": 8 * MIB},
                "entries": 100 + at % 3 + 900 * (at >= 30),
            },
        )
        for at in range(SAMPLES)
    ]
    assert judged(records).diagnoses == ()
    growing = [sample(at if at < 30 else at + 1000, {"entries": 10 * at % 300}) for at in range(60)]
    (table,) = [each for each in drifts(growing) if each.what.unit == "entries"]
    assert table.trend.slope > 0


def test_a_process_that_comes_and_goes_is_no_series() -> None:
    records = [sample(at, {"processes": {f"sh {at}": MIB * at}}) for at in range(SAMPLES)]
    assert {each.what.name for each in drifts(records)} == {"the rate that comes through"}


def test_a_rate_that_falls_and_a_delay_that_rises_are_named() -> None:
    chance = random.Random(61)
    records = [
        sample(
            at,
            {},
            received_pps=500 - at / 4 + chance.gauss(0, 0.5),
            delay_p50_ns=1e5 + 2000 * at + chance.gauss(0, 1000),
        )
        for at in range(SAMPLES)
    ]
    codes = [fault.fact.code for each in judged(records).diagnoses for fault in each.wrong]
    assert sorted(codes) == ["grows.down", "grows.up"]


def test_a_rate_that_falls_as_the_tester_is_late_is_not_the_gateways() -> None:
    records = [
        replace(each, evidence=Evidence(schedule_ratio=1 - at / 200))
        for at, each in enumerate(
            sample(at, {}, received_pps=500 - 2.5 * at) for at in range(SAMPLES)
        )
    ]
    assert judged(records).diagnoses == ()


def test_each_trial_has_flows_that_no_trial_before_had() -> None:
    first, second = (ports(repeat, 500) for repeat in (1, 2))
    assert len({*first, *second}) == 1000
    assert {*ports(10_000, 20_000)} <= {*PORTS}


@pytest.mark.parametrize(
    ("keys", "named"),
    [
        ({}, "`rate_pps` = 0"),
        ({"rate_pps": 500, "direction": "down"}, "`direction` = down"),
        ({"rate_pps": 500, "flows": 30_000}, "`flows` = 30000"),
    ],
)
def test_what_is_no_soak_is_refused(keys: dict[str, Any], named: str) -> None:
    assert any(named in fault for fault in faults(Workload(kind="soak", **keys)))
