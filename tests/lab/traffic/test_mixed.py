# SPDX-License-Identifier: Apache-2.0
"""Several workloads in one trial: each begins in its time and keeps its own account."""

import backlog
import pytest
from msgspec.structs import replace

from gatemark.kind.replay.source import conversation
from gatemark.plan.model import Arm, Plan, Probe, Workload
from gatemark.store.record import Record
from lab.planted import measure, plan

GAME = Workload(kind="replay", direction="both", duration_s=1.0)
SETTLED_MS = 500  # of a machine with other work: how late a workload may begin


def mixed(arm: Arm | str, first: Workload, **others: Workload) -> Plan:
    return replace(plan(arm, first), beside=others, probe=Probe())


def sound(planned: Plan) -> Record:
    _, (record,) = measure(planned)
    assert (record.status, record.reason) == ("ok", "")
    return record


@pytest.mark.long
def test_a_game_waits_behind_an_upload_that_begins_later() -> None:
    upload = Workload(kind="tcp", congestion="reno", start_s=0.5, duration_s=0.5)
    shaped = Arm(path="route", name="shaped", features=("shape:tbf:20",))
    record = sound(mixed(shaped, replace(GAME, duration_s=1.2), upload=upload))
    assert record.accounting is not None
    assert record.accounting.tried == record.accounting.scheduled
    assert 10e6 < record.values["upload.goodput_bps"] < 20e6
    assert record.values["delay_max_ns"] > 10e6, "tbf has a queue of 50 ms"
    began_ms = (record.parts["upload"].window_ns[0] - record.window_ns[0]) / 1e6
    assert 300 < began_ms < 500 + SETTLED_MS


@pytest.mark.long
def test_udp_at_a_rate_and_connections_cross_nat_together() -> None:
    tracked = Arm(path="nat", name="nat", features=("conntrack",))
    connections = Workload(kind="connections", connecting="crr", connections=4, duration_s=0.5)
    down = Workload(direction="down", rate_pps=500, duration_s=0.5)
    first = Workload(direction="both", rate_pps=1000, flows=4, duration_s=0.8)
    with backlog.watched() as backlogs:
        record = sound(mixed(tracked, first, opened=connections, down=down))
    part = record.parts["down"].accounting
    assert record.accounting is not None
    assert part is not None
    # What is due while a sender stands still at its end is not sent any more.
    assert (record.accounting.scheduled, part.scheduled) == (1600, 250)
    assert 1200 < record.accounting.tried <= 1600
    assert 225 < part.tried <= 250
    assert record.accounting.lost + part.lost <= backlogs.dropped
    assert record.values["opened.connections_per_s"] > 0


@pytest.mark.long
@pytest.mark.parametrize("family", ["ipv4", "ipv6"])
def test_the_same_replay_twice_is_told_apart(family: str) -> None:
    game = replace(GAME, family=family)
    with backlog.watched() as backlogs:
        record = sound(mixed("route", game, again=game, call=replace(game, trace="voip")))
    made = {name: len(conversation(name, 1.0)) for name in (game.trace, "voip")}
    accounts = [
        (record.accounting, game.trace),
        (record.parts["again"].accounting, game.trace),
        (record.parts["call"].accounting, "voip"),
    ]
    lost = 0
    for account, trace in accounts:
        assert account is not None
        assert account.tried == account.scheduled == made[trace]
        assert (account.duplicated, account.foreign) == (0, 0)
        lost += account.lost
    assert lost <= backlogs.dropped
