# SPDX-License-Identifier: Apache-2.0
"""Connections end where a bound was planted, and what the gateway's table held is told."""

from pathlib import Path
from typing import Any

import pytest

from gatemark.plan.model import Workload
from gatemark.workload import connections
from lab.planted import bare, measure, plan

MAXIMUM = Path("/proc/sys/net/netfilter/nf_conntrack_max")  # of all namespaces of this machine


def load(**keys: Any) -> Workload:
    return Workload(kind="connections", duration_s=20, **keys)


@pytest.mark.long
def test_a_far_end_that_takes_no_more_ends_it_at_that_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The bound is planted at the tester, so the tester is blamed, not the gateway."""
    made = connections.Connections.server_request

    def bounded(self: connections.Connections) -> dict[str, Any]:
        return made(self) | {"connections": 300}

    monkeypatch.setattr(connections.Connections, "server_request", bounded)
    judgement, (record,) = measure(bare(plan("route", load(connections=1000))))
    assert (record.status, record.reason) == ("ok", "")
    assert record.values["connections"] == 300
    assert record.evidence.connecting["number"] == 300
    assert (judgement.points[0].limit, judgement.points[0].at_least) == ("tester", True)


def test_nat_holds_them_all_and_its_table_is_told() -> None:
    """Several LAN hosts behind one address: each connection has an entry of its own."""
    judgement, (record,) = measure(bare(plan("nat", load(connections=600, clients=3))))
    assert (record.status, record.reason) == ("ok", "")
    assert (record.values["connections"], record.definition.clients) == (600, 3)
    table = record.evidence.conntrack
    assert 600 <= table["entries"] < 700
    assert table["max"] == int(MAXIMUM.read_text())
    (point,) = judgement.points
    assert (point.limit, f"of {table['max']}" in point.why) == ("none", True)
