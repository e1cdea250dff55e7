# SPDX-License-Identifier: Apache-2.0
"""The search for the rate that a shaper holds ends at the CPU limit of a slowed gateway."""

from pathlib import Path

import pytest
from searching import plan

from gatemark.plan.model import Arm, Gateway, Plan, Search, Workload
from gatemark.plan.order import order
from gatemark.report.live import Live
from gatemark.run.engine import execute
from gatemark.station.netns import Lab
from gatemark.station.recover import recover
from gatemark.stats.judge import judge
from gatemark.store.directory import RunDirectory
from gatemark.store.run import Run

SLOW = Gateway(slow_to_pps=8_000)
SHAPED = Arm(path="nat", name="shaped", features=("shape:htb2:100:wan",))
FULL = 0.95  # of a CPU: the kernel keeps the rest from threads of a real-time class
FRAME_BYTES = 1514  # a full one, without check sequence
FLOW = Workload(kind="replay", trace="isochronous", duration_s=15)
UPLOADS = Workload(kind="tcp", streams=4, start_s=3, duration_s=12)
MOST_LATE_NS = 2e6  # of the flow's packets, p99: a tester beyond that was kept from its CPU


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
@pytest.mark.timeout(1800)
def test_the_search_ends_at_the_planted_cpu_limit(tmp_path: Path) -> None:
    """It asks what came through and what a flow waited, and ends where the CPU's time does."""
    shaper = plan(
        Search(profile="shaper"), FLOW, beside={"uploads": UPLOADS}, arm=(SHAPED,), gateway=SLOW
    )
    directory = run(tmp_path, shaper)
    records = list(directory.records())
    outcome = next(record for record in records if "goal" in record.point)
    late = [record.values.get("pace_error_p99_ns", 0.0) for record in records]
    if max(late) > MOST_LATE_NS or any(record.evidence.starved for record in records):
        pytest.skip("the tester was kept from its CPU")
    assert outcome.status == "ok", outcome.reason
    held_bps, too_fast_bps = outcome.values["held_bps"], outcome.values["too_fast_bps"]
    planted_bps = held_bps * FULL / outcome.values["cpu_busy"]  # where a packet's time fills it
    assert too_fast_bps >= 0.95 * planted_bps
    assert held_bps <= 1.05 * planted_bps
    assert held_bps / 8 / FRAME_BYTES < SLOW.slow_to_pps
    (point,) = judge(directory.load(), records).points
    assert (point.limit, point.at_least) == ("cpu", False), point.why
