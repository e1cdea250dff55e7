# SPDX-License-Identifier: Apache-2.0
"""Connections end where a bound was planted, and what the gateway's table held is told."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from gatemark.kind.connections import load as connections
from gatemark.plan.model import Workload
from gatemark.station.netns import Lab
from gatemark.tell.fact import say
from lab.planted import bare, measure, plan

COUNT = Path("/proc/sys/net/netfilter/nf_conntrack_count")  # of a namespace
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
    assert (point.limit, f"of {table['max']}" in say.words(point.why)) == ("none", True)


@pytest.mark.long
def test_a_repeat_begins_without_the_connections_that_the_last_one_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A table full of TIME_WAIT lets no new one pass for 55 s: they are assured, so no victims."""
    held: list[int] = []
    flush = Lab.flush

    async def watched(lab: Lab) -> None:
        held.append(int(await lab.gateway.node.run("cat", str(COUNT))))
        await flush(lab)
        held.append(int(await lab.gateway.node.run("cat", str(COUNT))))

    monkeypatch.setattr(Lab, "flush", watched)
    crr = load(connecting="crr", clients=3)
    measure(bare(plan("nat", replace(crr, duration_s=0.5), repeats=2)))
    _, emptied, closed, emptied_again = held
    assert (emptied, emptied_again) == (0, 0)
    assert closed > 100
