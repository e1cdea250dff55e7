# SPDX-License-Identifier: Apache-2.0
"""What ended connections is named by what they met, with the table's bound in words."""

from typing import Any

import pytest
from judge.conftest import run
from msgspec.structs import replace

from gatemark.judge.judge import judge
from gatemark.judge.judgement import PointResult
from gatemark.judge.point.group import Group, group
from gatemark.judge.point.limit import Verdict
from gatemark.judge.subject import Subject
from gatemark.kind.connections.point import decide
from gatemark.store.record import CpuReading, Definition, Evidence, Record, Scalar
from gatemark.tell.fact import say

FULL = {"entries": 262_144, "max": 262_144, "drop": 64, "insert_failed": 0}
ROOM = {"entries": 1000, "max": 262_144, "drop": 0, "insert_failed": 0}


def record(
    connecting: dict[str, Scalar],
    table: dict[str, int] | None = None,
    *,
    quantity: str = "concurrent connections",
    path: str = "nat",
    count: float = 1000,
    shares: tuple[float, float] = (0.5, 0.2),  # busy: the gateway, the tester
) -> Record:
    busy, tester = shares
    key = "connections" if quantity == "concurrent connections" else "connections_per_s"
    evidence: dict[str, Any] = {"conntrack": table} if table else {}
    return Record(
        trial=path,
        plan="rfc/connections",
        arm=path,
        point={},
        repeat=1,
        pass_="outside",  # noqa: S106 - not a password
        sequence=0,
        status="ok",
        started="2026-11-22T00:00:00Z",
        definition=Definition(path=path, quantity=quantity, l4="tcp", connections=1000),
        values={key: count, "loss_ratio": 0.0},
        evidence=Evidence(
            connecting=connecting,
            sender_cpu=tester,
            cpu=(CpuReading(thread="napi/gw0", cpu=1, busy=busy),),
            **evidence,
        ),
    )


def verdict(found: Record, *ceilings: PointResult) -> Verdict:
    (trials,) = group([found])
    return decide(trials, ceilings)


def all_open(**more: Scalar) -> dict[str, Scalar]:
    return {"stop": "connections", "bound": "asked", "opened": 1000, "failed": 0, **more}


def ended(why: str, **more: Scalar) -> dict[str, Scalar]:
    met: dict[str, Scalar] = {"opened": 700, "failed": 1, "number": 700, "why": why}
    return {"stop": "failed", "bound": "asked", **met, **more}


def test_all_that_were_asked_for_is_no_limit() -> None:
    assert verdict(record(all_open(), table=ROOM)) == Verdict(
        "none", "all 1000 that were asked for were held; conntrack held 1000 of 262144"
    )
    assert verdict(record(all_open())).why == "all 1000 that were asked for were held"


def test_where_no_number_was_asked_for_it_is_what_was_opened() -> None:
    found = record(all_open(opened=700))
    found = replace(found, definition=replace(found.definition, connections=None))
    assert say.words(verdict(found).why) == "all 700 that were asked for were held"


def test_a_full_table_is_the_limit_and_its_bound_is_told() -> None:
    found = verdict(record(ended("no answer"), table=FULL))
    assert found.limit == "flow-table"
    assert "262144 of at most 262144 entries (nf_conntrack_max)" in say.words(found.why)


def test_no_free_port_is_the_tables_limit() -> None:
    found = verdict(record(ended("no answer"), table=ROOM | {"insert_failed": 3}))
    assert (found.limit, "insert_failed" in say.words(found.why)) == ("flow-table", True)


def test_a_table_that_dropped_with_room_left_is_the_limit() -> None:
    found = verdict(record(ended("no answer"), table=ROOM | {"drop": 3}))
    assert found.limit == "flow-table"
    assert say.words(found.why).startswith("conntrack dropped 3 packets")


def test_the_trial_in_which_the_table_dropped_most_counts() -> None:
    tables = (ROOM, ROOM | {"insert_failed": 3}, ROOM | {"insert_failed": 1})
    (trials,) = group([record(ended("no answer"), table=table) for table in tables])
    assert "no free port for 3 packets" in say.words(decide(trials, ()).why)


def test_a_full_table_that_lost_nothing_is_none() -> None:
    assert verdict(record(all_open(), table=FULL)).limit == "none"


@pytest.mark.parametrize("why", ["no port", "no descriptor", "no memory"])
def test_what_the_tester_lacks_is_the_testers(why: str) -> None:
    found = verdict(record(ended(why), table=FULL))
    assert (found.limit, why in say.words(found.why)) == ("tester", True)


def test_a_far_end_that_is_full_is_the_testers() -> None:
    assert verdict(record(ended("refused", server_full="connections"))).limit == "tester"


@pytest.mark.parametrize(
    ("bound", "words"), [("memory", "memory"), ("tuples", "addresses and ports")]
)
def test_what_bounds_the_tester_itself_is_told(bound: str, words: str) -> None:
    assert verdict(record(all_open(bound=bound))) == Verdict(
        "tester", f"the tester's {words}: all 1000 that it could open were held"
    )


def test_an_unexplained_failure_tells_its_number() -> None:
    found = verdict(record(ended("no answer"), table=ROOM))
    assert (found.limit, say.words(found.why)) == ("unknown", "connection 700 failed: no answer")


def test_the_trial_that_opened_fewest_explains_the_end() -> None:
    (trials,) = group([record(ended("no answer", opened=n, number=n)) for n in (800, 600, 700)])
    assert say.words(decide(trials, ()).why) == "connection 600 failed: no answer"


def test_a_schedule_that_was_missed_is_the_testers() -> None:
    late = all_open(scheduled=1000, asked=900)
    assert verdict(record(late)) == Verdict("tester", "the tester asked 90 % as often as it should")
    assert verdict(record(all_open(scheduled=1000, asked=990))).limit == "none"


def rate(**keys: Any) -> Record:
    return record({"stop": "time", "bound": "asked"}, quantity="connection rate", **keys)


def test_a_saturated_gateway_limits_the_rate() -> None:
    assert verdict(rate(shares=(0.99, 0.2))).limit == "cpu"


def test_a_busy_tester_limits_the_rate() -> None:
    assert verdict(rate(shares=(0.5, 0.97))).limit == "tester"


def test_a_thread_that_waits_for_a_cpu_is_told_by_its_share() -> None:
    found = rate()
    waits = CpuReading(thread="vhost", cpu=None, busy=0.5, waiting=0.48)
    assert verdict(replace(found, evidence=replace(found.evidence, cpu=(waits,)))) == Verdict(
        "tester",
        "vhost has no CPU of its own and waited for one 48 % of the time, busy 50 %",
    )


def test_an_unexplained_rate_tells_the_busiest_cpu() -> None:
    seen = "neither the gateway nor the tester was seen at its end: "
    found = rate(shares=(0.6, 0.2))
    assert verdict(found) == Verdict("unknown", f"{seen}busiest CPU 60 %")
    unread = replace(found, evidence=replace(found.evidence, cpu=()))
    assert say.words(verdict(unread).why) == f"{seen}CPU not read"


def test_a_rate_near_the_testers_own_is_a_lower_bound() -> None:
    records = [rate(path="direct", count=10_000), rate(count=9500)]
    judgement = judge(run(records), records)
    (point,) = judgement.points
    assert (point.limit, point.at_least) == ("tester", True)
    assert say.words(point.why) == "at 95 % of the tester's ceiling of 1e+04 connections/s"


def test_a_ceiling_with_another_number_at_once_is_none() -> None:
    other = rate(path="direct", count=9600)
    other = replace(other, definition=replace(other.definition, connections=10))
    records = [other, rate(count=9500)]
    assert judge(run(records), records).points[0].limit == "unknown"


def test_without_a_valid_trial_nothing_is_known() -> None:
    subject = Subject(plan="p", arm="nat", setup="nat", definition=Definition(path="nat"))
    trials = Group(subject=subject, outside=(), instrumented=(), reasons=("no room",))
    assert decide(trials, ()).limit == "unknown"
