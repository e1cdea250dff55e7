# SPDX-License-Identifier: Apache-2.0
"""The rows that a block will have are known before it is measured: gates are counted by them."""

from msgspec.structs import replace

from gatemark.commands.campaign import row
from gatemark.commands.campaign.answer import readings
from gatemark.judge.judge import judged
from gatemark.plan.ab import among, own
from gatemark.plan.exact import exact
from gatemark.plan.feature import DIRECT
from gatemark.plan.load import load
from gatemark.plan.model import Plan


def compared(name: str, variant: str = "") -> Plan:
    """A plan with two builds as its arms."""
    (plan,) = load(name, variant)[1]
    return among(plan, [replace(own(plan), name=build, against="") for build in "ab"], 1)


def test_a_plan_has_so_many_rows() -> None:
    counts = {
        "quick/sweep": 1,  # the knee
        "rfc/latency": 12,  # three sizes, each with a goal and three shares
        "cost/tune": 2,  # two rates have no knee
        "cost/ab": 1,
        "rfc/replay": len(load("rfc/replay")[1][0].sweep["trace"]),
    }
    assert {name: len(list(row.points(compared(name)))) for name in counts} == counts


def test_the_point_of_a_knee_has_no_rate() -> None:
    assert list(row.points(compared("quick/sweep"))) == [{}]


def test_a_goal_and_a_share_are_levels_of_their_rows() -> None:
    points = list(row.points(compared("rfc/latency")))
    assert {"frame_bytes": 64, "goal": "pdr"} in points
    assert {"frame_bytes": 1518, "share": 0.9} in points


def test_counted_each_size_is_a_row() -> None:
    plan = exact(load("rfc/throughput")[1][0])
    made = among(plan, [replace(own(plan), name=build, against="") for build in "ab"], 1)
    sizes = load("rfc/throughput")[1][0].sweep["frame_bytes"]
    assert {point["frame_bytes"] for point in row.points(made)} == {*sizes}


def test_they_are_the_rows_that_a_block_has() -> None:
    """As measured: of each plan's own first arm, in the place of a build."""
    import builder

    run = builder.run()
    plans = [plan for plan in run.plans if any(arm.path != DIRECT for arm in plan.arm)]
    expected = [(own(plan).name, point) for plan in plans for point in row.points(plan)]
    builds = {build for build, _ in expected}
    read = [
        (reading.build, dict(reading.point))
        for reading in readings(judged(run, builder.trials()), exact=False)
        if reading.build in builds
    ]
    assert sorted(read, key=str) == sorted(expected, key=str)
