# SPDX-License-Identifier: Apache-2.0
"""Searches in the lab: a knee and a rate that is held are found; a slow sender is refused."""

from pathlib import Path
from typing import Any

import pytest

from gatemark.judge.judge import judge
from gatemark.plan.model import Arm, Gateway, Plan, Repeat, Search, Workload
from gatemark.plan.order import order
from gatemark.station.netns import Lab
from gatemark.station.recover import recover
from gatemark.store.directory import RunDirectory
from gatemark.store.run import Run
from gatemark.tell.live import Live

SHAPED = Arm(path="nat", name="shaped", features=("shape:htb2:5:wan",))
FLOW = Workload(kind="replay", trace="isochronous", duration_s=10)
UPLOADS = Workload(kind="tcp", streams=4, start_s=2, duration_s=8)


def plan(search: Search, load: Workload = FLOW, **keys: Any) -> Plan:
    """With the searches' own package, which takes long to import."""
    from searching import plan

    return plan(search, load, **keys)


def executed(path: Path, searched: Plan) -> RunDirectory:
    from gatemark.run.engine import execute  # with the searches' own package

    recover()
    lab = Lab()
    run = Run(
        run="",
        suite="s",
        title="t",
        command=("gatemark", "run", "s/p"),
        started="",
        seed=1,
        station=lab.info,
        plans=(searched,),
        trials=order([searched], 1),
    )
    directory = RunDirectory.create(path / "run", run)
    execute(directory, lab, Live())
    return directory


@pytest.mark.long
def test_the_knee_of_a_slowed_gateway_is_found(tmp_path: Path) -> None:
    """Up to the queue's 256 packets above it, which a trial of 0.3 s delivers besides."""
    search = Search(goals=("pdr",), trial_s=0.3, sum_s=0.3, width=0.1)
    slowed = plan(
        search, Workload(flows=8), gateway=Gateway(slow_to_pps=10_000), repeat=Repeat(times=1)
    )
    directory = executed(tmp_path, slowed)
    (point,) = judge(directory.load(), directory.records()).points
    assert 9_000 <= point.values["throughput_pps"].value <= 1.1 * (10_000 + 256 / 0.3)


@pytest.mark.long
def test_a_sender_that_caps_itself_is_refused(tmp_path: Path) -> None:
    search = Search(goals=("pdr",), trial_s=0.3, sum_s=0.3, width=0.1, max_pps=20_000)
    capped = plan(
        search, Workload(cap_pps=10_000), gateway=Gateway(slow_to_pps=0), repeat=Repeat(times=1)
    )
    directory = executed(tmp_path, capped)
    (point,) = judge(directory.load(), directory.records()).points
    assert (point.limit, point.at_least) == ("tester", True), point.why


@pytest.mark.long
def test_a_rate_that_a_shaper_holds_is_found_at_the_first_look(tmp_path: Path) -> None:
    """The highest rate that is asked for is tried first, and twice: no trial speaks alone."""
    shaper = plan(Search(profile="shaper"), FLOW, beside={"uploads": UPLOADS}, arm=(SHAPED,))
    records = list(executed(tmp_path, shaper).records())
    outcome = next(record for record in records if "goal" in record.point)
    if any(record.evidence.starved for record in records):
        pytest.skip("the tester was kept from its CPU")
    assert outcome.status == "ok", outcome.reason
    assert outcome.values["held_bps"] == 5e6
    assert "too_fast_bps" not in outcome.values
    assert sum("goal" not in record.point for record in records) == 2
