# SPDX-License-Identifier: Apache-2.0
"""Direction, size and rate of a row, whether a plan set or varied them."""

from typing import Any

import builder
import pytest
import studies
from msgspec.structs import replace

from gatemark.judge.judgement import Value
from gatemark.judge.values import values
from gatemark.plan.model import Search
from gatemark.store.run import Run
from gatemark.tell.export.row import of_values
from gatemark.tell.export.traffic import rates, traffic
from gatemark.tell.group.source import Source


def plain() -> Value:
    return next(v for v in values(builder.judgement()) if v.plan == "quick/plain")


def swept() -> Value:
    return next(v for v in values(builder.judgement()) if v.point.get("rate_pps") == 60_000)


def made(run: Run) -> Source:
    return Source(run=run, records=(), judgement=builder.judgement())


def run_with(**fields: Any) -> Run:
    """The run whose plain trials were planned with these fields."""
    run = builder.run()
    trials = [replace(t, **fields) if t.plan == "quick/plain" else t for t in run.trials]
    return replace(run, trials=tuple(trials))


def set_rate(run: Run) -> object:
    return traffic(plain(), rates(made(run)))["rate_pps"]


def test_a_rate_that_varies_is_that_of_the_point() -> None:
    assert traffic(swept(), rates(made(builder.run())))["rate_pps"] == 60_000


def test_a_rate_that_the_plan_sets_is_there_though_no_factor() -> None:
    assert (
        set_rate(run_with(workload=replace(builder.run().trials[0].workload, rate_pps=5e3)))
        == 5_000
    )


def test_as_fast_as_it_goes_is_zero_as_in_a_plan() -> None:
    assert set_rate(builder.run()) == 0


def test_a_search_has_no_set_rate() -> None:
    assert set_rate(run_with(search=Search())) is None


def test_a_knee_is_of_no_rate() -> None:
    knee = next(v for v in values(builder.judgement()) if v.quantity == "knee_pps")
    assert traffic(knee, rates(made(builder.run())))["rate_pps"] is None


def test_tcp_has_no_set_rate() -> None:
    source = Source(run=studies.run(), records=(), judgement=studies.judgement())
    goodput = next(row for row in of_values([source]) if row["quantity"] == "goodput_bps")
    assert (goodput["rate_pps"], goodput["frame_bytes"]) == (None, None)
    assert goodput["write_bytes"]


@pytest.mark.parametrize(("frame", "payload"), [(64, 18), (1518, 1472), (None, None)])
def test_a_frame_has_a_payload(frame: int | None, payload: int | None) -> None:
    value = replace(plain(), definition=replace(plain().definition, frame_bytes=frame))
    assert traffic(value, {})["payload_bytes"] == payload


def test_every_row_has_a_direction() -> None:
    assert {row["direction"] for row in of_values([made(builder.run())])} == {"up", "down"}
