# SPDX-License-Identifier: Apache-2.0
"""Bytes a flow by a line that noise moves little, the end told before it comes, and what it was."""

import random
from typing import Any

import pytest
from judge.conftest import run
from msgspec.structs import replace

from gatemark.judge.judge import judge
from gatemark.judge.point.group import Group, group
from gatemark.judge.subject import Subject
from gatemark.kind.fill import point as fill
from gatemark.kind.fill import slope
from gatemark.kind.fill.plan import FILL
from gatemark.store.record import Definition, Evidence, FillStep, Record
from gatemark.tell.fact import say

BASE = 20_000_000
ROOM = {"entries": 10_000, "max": 262_144, "drop": 0, "early_drop": 0, "insert_failed": 0}
# Of the noisy points below, as scipy.stats.theilslopes has it.
SLOPE, INTERCEPT = 384.2429535, 27_130.84
PLENTY = {"total_bytes": 60_000_000, "available_bytes": 20_000_000}


def steps(
    count: int, each: int = 1000, of_flow: float = 384.0, most: int = 10**9
) -> list[FillStep]:
    """A fill of a table that holds `most` at the very most."""
    return [
        FillStep(
            flows=at * each,
            entries=min(at * each, most),
            slab_bytes=round(BASE + of_flow * min(at * each, most)),
            free_bytes=round(40_000_000 - of_flow * at * each),
            available_bytes=round(38_400_000 - of_flow * at * each),
        )
        for at in range(count)
    ]


def record(
    *, asked: int = 10_000, came: int = 10_000, lost: int = 0, own: bool = True, **evidence: Any
) -> Record:
    seen = {"asked": asked, "came": came, "lost": lost, "servers": 1, "own_memory": own}
    return Record(
        trial="t",
        plan="cost/flows",
        arm="nat",
        point={},
        repeat=1,
        pass_="outside",  # noqa: S106 - not a password
        sequence=0,
        status="ok",
        started="2026-11-22T00:00:00Z",
        definition=Definition(path="nat", quantity=FILL, flows=asked),
        values={"flows": float(came)},
        evidence=Evidence(**({"fill": seen, "conntrack": ROOM, "memory": PLENTY} | evidence)),
    )


def verdict(found: Record) -> tuple[str, str]:
    (trials,) = group([found])
    decided = fill.decide(trials)
    return decided.limit, say.words(decided.why)


def test_the_line_is_that_of_theil_and_sen() -> None:
    chance = random.Random(1)
    points = [(float(x), 384.0 * x + chance.gauss(0, 90_000)) for x in range(0, 30_000, 1500)]
    found = slope.line(points)
    assert found is not None
    assert found.slope == pytest.approx(SLOPE)
    assert found.intercept == pytest.approx(INTERCEPT, abs=90_000)
    assert found.at(0) == found.intercept
    assert found.at(10) == pytest.approx(found.intercept + 10 * found.slope)


def test_a_line_without_noise_is_the_line() -> None:
    assert slope.line([(0.0, 5.0), (1.0, 8.0), (2.0, 11.0)]) == slope.Line(3.0, 5.0)


def test_a_reading_while_something_else_took_memory_moves_it_little() -> None:
    points = [(float(step.entries), float(step.slab_bytes)) for step in steps(11)]
    points[4] = points[4][0], points[4][1] + 5e6
    found = slope.line(points)
    assert found is not None
    assert found.slope == pytest.approx(384.0)


def test_two_readings_make_no_line() -> None:
    assert slope.line([(0.0, 1.0), (1.0, 2.0)]) is None


def test_steps_in_which_the_table_took_no_more_do_not_count() -> None:
    full = steps(20, most=9_400)
    assert [step.entries for step in slope.rising(full)] == [1000 * at for at in range(10)]
    found = slope.slab(full)
    assert found is not None
    assert found.slope == pytest.approx(384.0)


def test_the_first_tenth_tells_where_memory_ends() -> None:
    assert slope.predicted(steps(100), -1_600_000) == pytest.approx(100_000)


def test_what_the_first_flows_find_in_slabs_is_not_what_a_flow_takes() -> None:
    first, *others = steps(100)
    roomy = replace(first, slab_bytes=first.slab_bytes + 60_000)
    assert slope.predicted([roomy, *others], -1_600_000) == pytest.approx(100_000)


def test_of_few_steps_the_first_four_tell_it() -> None:
    assert len(slope.early(steps(11))) == 4
    assert slope.predicted(steps(11), -1_600_000) == pytest.approx(100_000)
    assert slope.predicted(steps(3), -1_600_000) == pytest.approx(100_000)
    assert slope.predicted(steps(2), 0) is None


@pytest.mark.parametrize(
    ("limit", "bound"), [(100_000, 75_000), (8_123, 6_000), (1_999, 1_400), (4 / 3, 1)]
)
def test_a_bound_leaves_a_quarter_of_memory(limit: float, bound: float) -> None:
    assert slope.recommended(limit) == bound


def test_all_that_were_asked_for_is_no_limit() -> None:
    limit, why = verdict(record())
    assert (limit, "262144" in why) == ("none", True)


def test_a_full_table_is_told_with_what_made_room() -> None:
    full = ROOM | {"entries": 5000, "max": 5000, "early_drop": 5000}
    limit, why = verdict(record(conntrack=full))
    assert limit == "flow-table"
    assert "5000 of at most 5000 entries (nf_conntrack_max)" in why
    assert "5000 older ones made room (early_drop)" in why


def test_ports_that_ran_out_are_told_by_their_number() -> None:
    spent = ROOM | {"entries": 64_512, "insert_failed": 488}
    limit, why = verdict(record(asked=65_000, came=64_512, lost=488, conntrack=spent))
    assert limit == "flow-table"
    assert "out of ports, of which there are 64512" in why


def test_flows_without_a_port_while_ports_are_left_are_told_without_them() -> None:
    found = verdict(record(lost=3, conntrack=ROOM | {"insert_failed": 3}))
    assert found == ("flow-table", "3 flows found no free address and port (insert_failed)")


def test_packets_that_the_table_dropped_are_its_limit() -> None:
    found = verdict(record(lost=3, conntrack=ROOM | {"drop": 3}))
    assert found == ("flow-table", "conntrack dropped 3 packets")


def test_a_gateway_without_a_table_has_no_entries_to_miss() -> None:
    assert verdict(record(conntrack={})) == ("none", "all 10000 that were asked for were held")


def test_the_shortest_fill_of_a_point_is_the_one_that_counts() -> None:
    (trials,) = group([record(came=came, lost=1) for came in (60, 40, 50)])
    assert say.words(fill.decide(trials).why) == "flow 41 did not come through"


def test_chains_that_are_too_long_are_told_before_ports() -> None:
    long = ROOM | {"insert_failed": 12, "chainlength": 12}
    limit, why = verdict(record(lost=12, conntrack=long))
    assert (limit, "raise nf_conntrack_buckets" in why) == ("flow-table", True)


SPENT = {"total_bytes": 60_000_000, "available_bytes": 300_000}


def test_memory_that_ended_is_the_limit() -> None:
    limit, why = verdict(record(came=9_000, lost=200, memory=SPENT))
    assert (limit, "flow 9001" in why) == ("memory", True)


def test_a_process_that_had_to_be_killed_is_memorys_end() -> None:
    ended = {"asked": 10_000, "came": 9_000, "lost": 0, "killed": True, "own_memory": True}
    limit, why = verdict(record(fill=ended))
    assert (limit, "killed a process for more, after 9000 flows" in why) == ("memory", True)


def test_memory_of_this_machine_is_no_limit_of_a_namespace() -> None:
    assert verdict(record(came=9_000, lost=200, memory=SPENT, own=False))[0] == "unknown"


def test_entries_that_timed_out_are_told() -> None:
    limit, why = verdict(record(conntrack=ROOM | {"entries": 7_000}))
    assert limit == "flow-table"
    assert "only 7000 of 10000 flows had an entry at once: the others had timed out" in why


def test_a_flow_that_was_lost_for_no_reason_is_told_by_its_number() -> None:
    assert verdict(record(came=41, lost=1)) == (
        "unknown",
        "flow 42 did not come through",
    )


def test_without_a_valid_trial_nothing_is_known() -> None:
    subject = Subject(plan="p", arm="nat", setup="nat", definition=Definition(path="nat"))
    trials = Group(subject=subject, outside=(), instrumented=(), reasons=("no agent",))
    assert fill.decide(trials).limit == "unknown"


def test_a_run_of_fills_needs_no_ceiling_of_the_tester() -> None:
    records = [record()]
    judgement = judge(run(records), records)
    assert judgement.points[0].limit == "none"
    assert {warning.code for warning in judgement.warnings} == set()
