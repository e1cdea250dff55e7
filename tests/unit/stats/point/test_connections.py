# SPDX-License-Identifier: Apache-2.0
"""What ended connections is named by what they met, with the table's bound in words."""

from typing import Any

import pytest

from gatemark.stats.judge import judge
from gatemark.stats.judgement import PointResult
from gatemark.stats.point.connections import decide
from gatemark.stats.point.group import Group, group
from gatemark.stats.point.limit import Verdict
from gatemark.stats.subject import Subject
from gatemark.store.record import CpuReading, Definition, Evidence, Record, Scalar

from ..conftest import run

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
    found = verdict(record(all_open(), table=ROOM))
    assert (found.limit, "1000 of 262144" in found.why) == ("none", True)


def test_a_full_table_is_the_limit_and_its_bound_is_told() -> None:
    found = verdict(record(ended("no answer"), table=FULL))
    assert found.limit == "flow-table"
    assert "262144 of at most 262144 entries (nf_conntrack_max)" in found.why


def test_no_free_port_is_the_tables_limit() -> None:
    found = verdict(record(ended("no answer"), table=ROOM | {"insert_failed": 3}))
    assert (found.limit, "insert_failed" in found.why) == ("flow-table", True)


def test_a_full_table_that_lost_nothing_is_none() -> None:
    assert verdict(record(all_open(), table=FULL)).limit == "none"


@pytest.mark.parametrize("why", ["no port", "no descriptor", "no memory"])
def test_what_the_tester_lacks_is_the_testers(why: str) -> None:
    found = verdict(record(ended(why), table=FULL))
    assert (found.limit, why in found.why) == ("tester", True)


def test_a_far_end_that_is_full_is_the_testers() -> None:
    assert verdict(record(ended("refused", server_full="connections"))).limit == "tester"


def test_a_bound_by_memory_is_the_testers() -> None:
    assert verdict(record(all_open(bound="memory"))).limit == "tester"


def test_an_unexplained_failure_tells_its_number() -> None:
    found = verdict(record(ended("no answer"), table=ROOM))
    assert (found.limit, found.why) == ("unknown", "connection 700 failed: no answer")


def test_a_schedule_that_was_missed_is_the_testers() -> None:
    late = all_open(scheduled=1000, asked=900)
    assert verdict(record(late)).limit == "tester"


def rate(**keys: Any) -> Record:
    return record({"stop": "time", "bound": "asked"}, quantity="connection rate", **keys)


def test_a_saturated_gateway_limits_the_rate() -> None:
    assert verdict(rate(shares=(0.99, 0.2))).limit == "cpu"


def test_a_busy_tester_limits_the_rate() -> None:
    assert verdict(rate(shares=(0.5, 0.97))).limit == "tester"


def test_a_rate_near_the_testers_own_is_a_lower_bound() -> None:
    records = [rate(path="direct", count=10_000), rate(count=9500)]
    judgement = judge(run(records), records)
    (point,) = judgement.points
    assert (point.limit, point.at_least) == ("tester", True)


def test_without_a_valid_trial_nothing_is_known() -> None:
    subject = Subject(plan="p", arm="nat", setup="nat", definition=Definition(path="nat"))
    trials = Group(subject=subject, outside=(), instrumented=(), invalid=1)
    assert decide(trials, ()).limit == "unknown"
