# SPDX-License-Identifier: Apache-2.0
"""Flows that lose: what they share, most of them, and beside a tester that pauses."""

from itertools import pairwise

import pytest
from msgspec.structs import replace

from gatemark.judge.finding import Finding
from gatemark.judge.point.group import group
from gatemark.judge.shape.diagnose import diagnose
from gatemark.store.record import Record
from gatemark.tell.fact import say

from .conftest import LOW, lossy

FLOWS = range(64)


def silent(flows: set[int], clients: int = 1) -> list[Record]:
    """Trials in which nothing comes of these flows."""
    records = []
    for record in lossy(LOW, lambda *_: 0.0):
        (own,) = record.evidence.loss
        each = sum(own.tried) // len(FLOWS)
        so_far = [n * each * len(flows) // len(own.tried) for n in range(len(own.tried) + 1)]
        loss = replace(
            own,
            lost=tuple(after - before for before, after in pairwise(so_far)),
            tried_by_flow=(each,) * len(FLOWS),
            by_flow=tuple(each * (flow in flows) for flow in FLOWS),
            ports=tuple(20_000 + flow // clients for flow in FLOWS),
        )
        records.append(
            replace(
                record,
                definition=replace(record.definition, clients=clients),
                evidence=replace(record.evidence, loss=(loss,)),
            )
        )
    return records


def half_late() -> list[Record]:
    """Trials in which the even flows lose all from a quarter of a second on."""
    records = []
    for record in lossy(LOW, lambda _, at: 0.5 * (at >= 25)):
        (own,) = record.evidence.loss
        each, late = sum(own.tried) // len(FLOWS), sum(own.lost) // (len(FLOWS) // 2)
        loss = replace(
            own,
            tried_by_flow=(each,) * len(FLOWS),
            by_flow=tuple(late * (flow % 2 == 0) for flow in FLOWS),
            ports=tuple(20_000 + flow for flow in FLOWS),
        )
        records.append(replace(record, evidence=replace(record.evidence, loss=(loss,))))
    return records


def found(records: list[Record]) -> list[Finding]:
    """All that is wrong with the gateway."""
    (diagnosed,) = diagnose(group(records), ())
    return [finding for finding in diagnosed.diagnosis.wrong if finding.shape != "tester"]


@pytest.mark.parametrize(
    ("flows", "clients", "which"),
    [
        ({*range(5, 64, 16)}, 16, "client 6"),
        ({flow for flow in FLOWS if flow % 16 < 3}, 16, "clients 1 to 3"),
        ({flow for flow in FLOWS if flow // 16 == 2}, 16, "port 20002"),
        ({3, 17, 40}, 1, "ports 20003, 20017, 20040"),
    ],
)
def test_flows_are_told_with_the_client_or_the_port_that_they_share(
    flows: set[int], clients: int, which: str
) -> None:
    (finding,) = found(silent(flows, clients))
    assert say.words(finding.fact).endswith(f" the others do not: the LAN host's {which}.")


def test_a_table_that_has_room_for_a_few_flows_is_no_share_of_nearly_all() -> None:
    (finding,) = found(silent({*range(5, 64)}))
    assert say.clause(finding.fact) == "loses all of 59 of 64 flows"


def test_flows_that_lose_all_are_told_beside_a_tester_that_pauses() -> None:
    records = []
    for record in silent({*range(8)}):
        (own,) = record.evidence.loss
        loss = replace(own, pauses=((100.0, 40.0),))
        records.append(replace(record, evidence=replace(record.evidence, loss=(loss,))))
    (finding,) = found(records)
    assert finding.shape == "some-flows"


def test_flows_that_lose_all_from_a_time_on_are_told_with_it() -> None:
    (finding,) = found(half_late())
    assert say.words(finding.fact).startswith("From 248 ms into each trial on 50 % is lost")
    assert say.words(finding.fact).endswith("the others do not: the LAN host's port mod 2 = 0.")


@pytest.mark.parametrize(("still_ms", "shapes"), [(0.0, ["waiting-packets"]), (6.0, [])])
def test_packets_that_wait_are_named_where_nothing_stands_still(
    still_ms: float, shapes: list[str]
) -> None:
    records = []
    for record in lossy(LOW, lambda *_: 0.0):
        (own,) = record.evidence.loss
        loss = replace(own, silences=(), pauses=((100.0, still_ms),))
        values = record.values | {"delay_p50_ns": 4e4, "delay_p90_ns": 5e4, "delay_p99_ns": 8e6}
        evidence = replace(record.evidence, loss=(loss,))
        records.append(replace(record, values=values, evidence=evidence))
    assert [finding.shape for finding in found(records)] == shapes
