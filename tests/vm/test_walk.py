# SPDX-License-Identifier: Apache-2.0
"""One packet at a time through a gateway that counts: exact, and the same again."""

import pytest

from gatemark.plan.model import Arm, Direction, Workload
from gatemark.store.record import Counted, Record
from vm.conftest import Booted

WALK = Workload(kind="walk", walks=100, ordered=True)
ROUTE = Arm(path="route", name="route")


def counted_of(record: Record) -> Counted:
    """What a walk found."""
    assert (record.status, record.reason) == ("ok", "")
    assert record.evidence.counted is not None
    return record.evidence.counted


def walk(counted: Booted, *features: str) -> int:
    """Instructions of a packet through a setup."""
    arm = Arm(path="route", features=features, name="+".join(("route", *features)))
    return int(counted.measure(arm, WALK).values["instructions"])


def test_two_walks_give_the_same_number(counted: Booted) -> None:
    assert walk(counted) == walk(counted)


def test_the_functions_add_up_to_the_mode(counted: Booted) -> None:
    record = counted.measure(ROUTE, WALK)
    of = counted_of(record).functions
    assert sum(instructions for instructions, _ in of.values()) == record.values["instructions"]


def test_the_path_adds_up_to_the_mode(counted: Booted) -> None:
    record = counted.measure(ROUTE, WALK)
    path = counted_of(record).path
    assert sum(call.instructions for call in path) == record.values["instructions"]


def test_it_goes_the_way_of_a_packet(counted: Booted) -> None:
    path = counted_of(counted.measure(ROUTE, WALK)).path
    way = [call.function for call in path]
    stations = [way.index(name) for name in ("ip_rcv", "ip_forward", "ip_output")]
    assert stations == sorted(stations)


def test_one_more_rule_costs_as_much_again(counted: Booted) -> None:
    ten, eleven, twelve = (walk(counted, f"filter:{n}") for n in (10, 11, 12))
    assert 0 < eleven - ten == twelve - eleven


@pytest.mark.parametrize("direction", ["send", "receive"])
def test_the_gateway_itself_is_an_end(counted: Booted, direction: Direction) -> None:
    load = Workload(kind="walk", walks=20, direction=direction)
    record = counted.measure(Arm(path="endpoint", name="endpoint"), load)
    of = counted_of(record).functions
    assert "udp_sendmsg" in of if direction == "send" else "udp_recvmsg" in of
