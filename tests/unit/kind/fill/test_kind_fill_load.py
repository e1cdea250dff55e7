# SPDX-License-Identifier: Apache-2.0
"""Which flows a fill opens: no two alike; and when it may not begin."""

import asyncio
from typing import Any

import pytest
from few import few
from hypothesis import given
from hypothesis import strategies as st

from gatemark.error import InvalidTrialError
from gatemark.kind.fill import load as fill
from gatemark.node.shell import Local
from gatemark.plan.kind import faults
from gatemark.plan.model import Workload
from gatemark.plan.sane import PORTS_A_CLIENT
from gatemark.station.cpu import Placement
from gatemark.station.wiring import ROLES, Port, wires

PORTS = {device: Port(Local(), device, "02:00:00:00:00:01") for device in ROLES}


def load(**keys: Any) -> Workload:
    return Workload(kind="fill", **keys)


@few()
@given(
    clients=st.integers(1, 20),
    servers=st.integers(1, 9),
    steps=st.integers(1, 7),
    rounds=st.integers(1, 40),
)
def test_no_two_flows_are_the_same(clients: int, servers: int, steps: int, rounds: int) -> None:
    each = clients * rounds
    asked = load(clients=clients, servers=servers, steps=steps, flows=each * steps)
    seen = set()
    for at in range(steps):
        part = fill.part(asked, at * each, each)
        flows = zip(range(part.count), part.near, part.far, strict=True)
        seen |= {(i % clients, near, far) for i, near, far in flows}  # as the agent counts
    assert len(seen) == asked.flows


def test_ports_are_those_that_no_rule_of_ours_matches() -> None:
    most = load(clients=2, servers=1, steps=1, flows=2 * PORTS_A_CLIENT)
    assert not list(faults(most))
    assert max(fill.part(most, 0, most.flows).near) < 65_536


def test_what_cannot_be_filled_is_reported_with_its_fix() -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"flows": 1001, "steps": 10}, "a multiple of `steps` x `clients`"),
        ({"flows": 1000, "steps": 10, "clients": 3}, "a multiple of `steps` x `clients`"),
        ({"flows": 80_000, "steps": 10}, "raise `clients` or `servers`"),
        ({"flows": 1_000_000, "clients": 50, "steps": 5}, "a step opens 100000 flows at most"),
        ({"flows": 200_000, "clients": 10, "active_pps": 1.0}, "lower `flows`"),
        ({"flows": 100, "steps": 0}, "`steps` = 0"),
        ({"flows": 100, "servers": 0}, "`servers` = 0"),
        ({"flows": 100, "duration_s": 0.1}, "to read memory in"),
        ({"flows": 100, "rate_pps": 1e6}, "new flows a second"),
        ({"flows": 100, "direction": "down"}, "write up"),
    ]
    told = [(fault, "; ".join(faults(load(**keys)))) for keys, fault in wrong]
    assert [(fault, words) for fault, words in told if fault not in words] == []


class Told(Local):
    """A gateway that says how long its entries last."""

    async def run(self, *command: str, stdin: str = "") -> str:
        del command, stdin
        return "30\n"


async def emptied() -> None:
    """There is no table."""


def made(**keys: Any) -> fill.Fill:
    (wire,) = wires(PORTS, "nat", "up")
    return fill.Fill(wire, load(**keys), Placement(gateway=1, sender=0, sink=0), Told(), emptied)


def test_entries_must_last_as_long_as_the_fill() -> None:
    with pytest.raises(InvalidTrialError, match=r"add the feature conntrack-timeout:\d+"):
        asyncio.run(made(flows=200_000, clients=10, rate_pps=5000.0).ready())
    asyncio.run(made(flows=10_000, steps=10, rate_pps=5000.0).ready())


def test_flows_behind_a_lost_one_are_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    async def opened(*_: object) -> list[bool]:
        return [True, True, False, True, True]

    async def drained(*_: object, **__: object) -> None:
        """Nothing is under way."""

    filled = made(flows=5, steps=1)
    filled.steps.append(fill.Step(10))
    monkeypatch.setattr(fill.Fill, "_open", opened)
    step = asyncio.run(filled._step(fill.part(filled.load, 0, 5), drained))
    assert (step.flows, step.lost) == (12, 1)
