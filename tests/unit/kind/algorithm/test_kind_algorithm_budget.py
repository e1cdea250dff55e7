# SPDX-License-Identifier: Apache-2.0
"""What kernels take of a packet's time, and the ceiling that their sum is."""

import pytest
from msgspec.structs import replace

from gatemark.judge.judgement import PointResult
from gatemark.judge.math.interval import Interval
from gatemark.judge.subject import Subject
from gatemark.kind.algorithm import budget
from gatemark.kind.algorithm import point as rate
from gatemark.kind.algorithm.plan import KERNEL
from gatemark.store.record import Definition


def point(kernel: str, level: str = "O3", **values: float) -> PointResult:
    definition = Definition(path="endpoint", quantity=KERNEL, kernel=kernel, level=level)
    if not kernel:
        definition = Definition(path="route", frame_bytes=64)
    return PointResult(
        subject=Subject(plan="p", arm="a", setup=definition.setup, definition=definition),
        values={name: Interval(value, value, value, 3, 0.75) for name, value in values.items()},
        limit="cpu",
        why="",
        at_least=False,
        invalid=0,
        warnings=(),
    )


def every() -> list[PointResult]:
    """All that a ceiling is a sum of: two ways to look a route up, and four primitives."""
    primitives = ("parse", "flow", "nat", "csum-inc")
    return [
        point("lpm structure=tbm5", ns=20.0, ops_s=5e7),
        point("lpm mode=dependent structure=tbm5", ns=50.0, dependent_ns=50.0),
        *(point(f"gateway primitive={name}", ns=20.0) for name in primitives),
    ]


def test_the_ceiling_is_one_second_over_the_fastest_of_each() -> None:
    assert budget.ceiling_pps(every()) == pytest.approx(1e9 / 100)


def test_there_is_none_without_one_of_them() -> None:
    points = every()
    lacking = [points[:at] + points[at + 1 :] for at in range(2, len(points))]
    assert [budget.ceiling_pps(kept) for kept in [*lacking, points[2:]]] == [None] * 5


def test_the_level_that_a_gateway_would_have_counts() -> None:
    slow = [point("lpm structure=tbm5", "O0", ns=20.0), *every()[2:]]
    assert budget.ceiling_pps(slow) is None


def test_several_instances_are_not_the_time_of_one_packet() -> None:
    alone = point("lpm structure=tbm5", ns=20.0)
    shared = replace(alone.definition, instances=4)
    many = replace(alone, subject=replace(alone.subject, definition=shared))
    assert [part.ns for part in budget.parts([alone, many])] == [20.0]


def test_a_packet_takes_no_time_of_what_the_tester_sent() -> None:
    limited = replace(point("", received_pps=900_000.0), limit="tester", at_least=True)
    assert budget.packet_ns([limited]) is None
    packet = budget.packet_ns([limited, point("", received_pps=500_000.0)])
    assert packet is not None
    assert packet.value == 2000.0


def test_a_packet_takes_what_its_rate_leaves_it() -> None:
    packet = budget.packet_ns([*every(), point("", received_pps=500_000.0)])
    assert packet is not None
    assert packet.value == 2000.0


def test_structures_are_compared_where_all_else_is_alike() -> None:
    points = [
        point("lpm table=bgp structure=sst15", ops_s=2e6),
        point("lpm table=bgp structure=tbm5", ops_s=8e6),
        point("lpm table=wide structure=tbm5", ops_s=9e6),
        point("lpm mix=zipf table=bgp structure=tbm5", ops_s=1e6),
        point("lpm table=bgp structure=tbm5", "O1", ops_s=1e6),
    ]
    pair = ("sst15", "tbm5")
    assert list(rate.ratios(points, "lpm", "structure", pair)) == [
        ({"command": "lpm", "table": "bgp"}, 0.25)
    ]
