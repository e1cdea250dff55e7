# SPDX-License-Identifier: Apache-2.0
"""Real-time flows through the lab: their values, their marks, every source that is made here."""

import pytest
from msgspec.structs import replace

from gatemark.plan.model import Arm, Plan, Probe, Workload
from gatemark.plan.trace import DEADLINES_MS, SOURCES, VOICE
from gatemark.store.record import Record
from lab.planted import measure, measure_each, plan

MARKED = Arm(path="route", name="marked", features=("dscp:8",))
GAME = Workload(kind="replay", direction="both", duration_s=0.6, dscp=46)
EXPEDITED = Workload(rate_pps=1000, duration_s=0.2, dscp=46)
FAIR_MOS = 3.5  # through an idle gateway 4.41, less what a busy machine takes


def bare(arm: Arm | str, load: Workload, **others: Workload) -> Plan:
    return replace(plan(arm, load), beside=others, probe=Probe())


def test_a_game_has_its_values_and_a_mark_that_changed_is_counted() -> None:
    """Where the gateway marks everything anew all marks are others as they arrive, else none."""
    arms: dict[str, Arm | str] = {"kept": "route", "changed": MARKED}
    records = measure_each(
        {name: bare(arm, GAME, expedited=EXPEDITED) for name, arm in arms.items()}
    )
    for name, record in records.items():
        values, beside = sound(record), record.parts["expedited"].accounting
        assert record.accounting is not None
        assert beside is not None
        arrived = (record.accounting.unique, beside.unique) if name == "changed" else (0, 0)
        assert (values["mark_changed"], values["expedited.mark_changed"]) == arrived
    values = records["kept"].values
    for way in ("up", "down"):
        assert values[f"{way}.delay_min_ns"] <= values[f"{way}.delay_mean_ns"]
        assert values[f"{way}.delay_mean_ns"] <= values[f"{way}.delay_max_ns"]
        assert 0 <= values[f"{way}.ipdv_p50_ns"] <= values[f"{way}.delay_max_ns"]
    assert values["missed_100ms_ratio"] <= values["missed_50ms_ratio"] < 1


@pytest.mark.long
def test_every_source_is_replayed_whole_both_ways() -> None:
    load = Workload(kind="replay", direction="both", duration_s=3.0)
    records = measure_each({name: plan("route", replace(load, trace=name)) for name in SOURCES})
    for name, record in records.items():
        assert (record.status, record.reason) == ("ok", "")
        assert record.accounting is not None
        assert record.accounting.tried == record.accounting.scheduled, name
        assert record.accounting.lost <= 0.02 * record.accounting.tried, name
        for ms in DEADLINES_MS[name]:
            assert f"missed_{ms}ms_ratio" in record.values, name
        assert ("mos" in record.values) == (name in VOICE), name
    assert records["voip"].values["mos"] > FAIR_MOS


@pytest.mark.long
def test_a_game_of_40_s_beside_an_upload_misses_its_deadlines() -> None:
    """A tbf of 50 ms at 2 Mbit/s: the queue stands, so most packets up come after 50 ms or not."""
    slow = Arm(path="route", name="slow", features=("shape:tbf:2",))
    upload = Workload(kind="tcp", congestion="cubic", duration_s=40.0, start_s=1.0)
    game = Workload(kind="replay", direction="both", duration_s=42.0)
    _, (record,) = measure(bare(slow, game, upload=upload))
    values = sound(record)
    assert values["up.delay_p50_ns"] > 20e6
    assert values["up.missed_50ms_ratio"] > values["down.missed_50ms_ratio"]
    assert values["up.pdv_p99_ns"] > 30e6
    assert "up.delay_p5_ns" in values


def sound(record: Record) -> dict[str, float]:
    assert (record.status, record.reason) == ("ok", "")
    return record.values
