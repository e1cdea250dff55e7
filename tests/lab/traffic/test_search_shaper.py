# SPDX-License-Identifier: Apache-2.0
"""The search for the rate that a shaper holds, with real uploads and a real flow beside them."""

from pathlib import Path

import pytest
from searching import plan

from gatemark.plan.model import Arm, Plan, Search, Workload
from gatemark.plan.order import order
from gatemark.report.live import Live
from gatemark.run.engine import execute
from gatemark.station.netns import Lab
from gatemark.station.recover import recover
from gatemark.store.directory import RunDirectory
from gatemark.store.run import Run

SHAPED = Arm(path="nat", name="shaped", features=("shape:htb2:5:wan",))
FLOW = Workload(kind="replay", trace="isochronous", duration_s=10)
UPLOADS = Workload(kind="tcp", streams=4, start_s=2, duration_s=8)


def run(path: Path, searched: Plan) -> RunDirectory:
    recover()
    lab = Lab()
    kept = Run(
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
    directory = RunDirectory.create(path / "run", kept)
    execute(directory, lab, Live())
    return directory


@pytest.mark.long
def test_a_rate_that_is_held_is_found_at_the_first_look(tmp_path: Path) -> None:
    """The highest rate that is asked for is tried first, and twice: no trial speaks alone."""
    shaper = plan(Search(profile="shaper"), FLOW, beside={"uploads": UPLOADS}, arm=(SHAPED,))
    records = list(run(tmp_path, shaper).records())
    outcome = next(record for record in records if "goal" in record.point)
    if any(record.evidence.starved for record in records):
        pytest.skip("the tester was kept from its CPU")
    assert outcome.status == "ok", outcome.reason
    assert outcome.values["held_bps"] == 5e6
    assert "too_fast_bps" not in outcome.values
    assert sum("goal" not in record.point for record in records) == 2
