# SPDX-License-Identifier: Apache-2.0
"""Searches in the lab: the slowdown's knee is found; a sender that is too slow is refused."""

from pathlib import Path

from searching import plan

from gatemark.plan.model import Gateway, Repeat, Search, Workload
from gatemark.plan.order import order
from gatemark.report.live import Live
from gatemark.run.engine import execute
from gatemark.station.netns import Lab
from gatemark.station.recover import recover
from gatemark.stats.judge import judge
from gatemark.stats.judgement import Judgement
from gatemark.store.directory import RunDirectory
from gatemark.store.run import Run


def searched(path: Path, search: Search, load: Workload, slow_to_pps: int) -> Judgement:
    recover()
    lab = Lab()
    searched = plan(search, load, gateway=Gateway(slow_to_pps=slow_to_pps), repeat=Repeat(times=1))
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
    return judge(directory.load(), directory.records())


def test_the_knee_of_a_slowed_gateway_is_found(tmp_path: Path) -> None:
    """Up to the queue's 256 packets above it, which a trial of 0.3 s delivers besides."""
    search = Search(goals=("pdr",), trial_s=0.3, sum_s=0.3, width=0.05)
    judgement = searched(tmp_path, search, Workload(flows=8), 10_000)
    (point,) = judgement.points
    assert 9_000 <= point.values["throughput_pps"].value <= 1.1 * (10_000 + 256 / 0.3)


def test_a_sender_that_caps_itself_is_refused(tmp_path: Path) -> None:
    search = Search(goals=("pdr",), trial_s=0.3, sum_s=0.3, width=0.1, max_pps=20_000)
    judgement = searched(tmp_path, search, Workload(cap_pps=10_000), 0)
    (point,) = judgement.points
    assert (point.limit, point.at_least) == ("tester", True), point.why
