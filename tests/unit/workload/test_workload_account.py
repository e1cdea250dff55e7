# SPDX-License-Identifier: Apache-2.0
"""Every packet accounted for: sums over directions, and where the counters tell otherwise."""

from dataclasses import replace
from typing import Any

import pytest
from few import few
from hypothesis import given
from hypothesis import strategies as st

from gatemark.node.shell import Local
from gatemark.station.wiring import ADDRESS, Port, wires
from gatemark.workload.account import account
from gatemark.workload.way import Way

PORTS = {device: Port(Local(), device, "") for device in ADDRESS}
COUNTERS = ("rx_packets", "rx_dropped", "tx_packets", "tx_dropped")
NOTHING = {f"{device}.{name}": 0 for device in ADDRESS for name in COUNTERS}
counts = st.integers(0, 1 << 40)


def way(direction: str = "up", *, tried: int = 100, refused: int = 0, **sink: int) -> Way:
    """A direction in which what was not refused arrived, unless told otherwise."""
    (wire,) = wires(PORTS, "route", direction)
    names = ("duplicated", "reordered", "stale", "corrupt", "foreign", "ring_dropped")
    arrived = tried - refused
    report = dict.fromkeys(names, 0) | {"unique": arrived, "received": arrived} | sink
    sender = {"scheduled": tried, "tried": tried, "refused": refused, "t0_ns": 0, "t1_ns": 10**9}
    return Way(wire, sender, report, {})


def counted(*ways: Way) -> dict[str, int]:
    """What true counters would show after these directions."""
    after = dict(NOTHING)
    for direction in ways:
        source, sink = direction.wire.source.device, direction.wire.sink.device
        after[f"{source}.tx_packets"] += direction.sender["tried"] - direction.sender["refused"]
        after[f"{source}.tx_dropped"] += direction.sender["refused"]
        names = ("received", "corrupt", "foreign", "ring_dropped")
        after[f"{sink}.rx_packets"] += sum(direction.sink[name] for name in names)
    return after


@few()
@given(tried=counts, refused=counts, lost=counts, foreign=counts, ring=counts)
def test_true_counters_match(tried: int, refused: int, lost: int, foreign: int, ring: int) -> None:
    direction = way(
        tried=tried + lost + refused,
        refused=refused,
        unique=tried,
        received=tried,
        foreign=foreign,
        ring_dropped=ring,
    )
    assert account([direction], NOTHING, counted(direction)).mismatch == {}


@few()
@given(tried=counts, arrived=counts)
def test_what_was_tried_is_delivered_or_lost(tried: int, arrived: int) -> None:
    direction = way(tried=tried, unique=arrived, received=arrived)
    accounting = account([direction], NOTHING, counted(direction))
    assert accounting.tried == accounting.unique + accounting.lost


def test_what_the_port_refused_is_lost() -> None:
    direction = way(tried=100, refused=30)
    accounting = account([direction], NOTHING, counted(direction))
    assert (accounting.tried, accounting.refused, accounting.lost) == (100, 30, 30)


@pytest.mark.parametrize(("seen", "mismatch"), [(30, {}), (29, {}), (0, {}), (31, {"lan0.tx": 1})])
def test_a_refused_frame_need_not_be_counted_by_the_port(
    seen: int, mismatch: dict[str, int]
) -> None:
    direction = way(tried=100, refused=30)
    after = counted(direction) | {"lan0.tx_dropped": seen}
    assert account([direction], dict.fromkeys(after, 0), after).mismatch == mismatch


def test_a_frame_that_vanished_is_named() -> None:
    direction = way(tried=100, refused=30)
    after = counted(direction) | {"lan0.tx_packets": 69, "lan0.tx_dropped": 0}
    assert account([direction], dict.fromkeys(after, 0), after).mismatch == {"lan0.tx": -1}


@pytest.mark.parametrize(("more", "mismatch"), [(1, {}), (100, {"wan0.rx": 100})])
def test_a_program_of_the_users_own_may_send_a_little(more: int, mismatch: dict[str, int]) -> None:
    direction = way(tried=100, unique=100, received=100)
    after = counted(direction)
    after["wan0.rx_packets"] += more
    before = dict.fromkeys(after, 0)
    assert account([direction], before, after, talks=True).mismatch == mismatch
    assert account([direction], before, after).mismatch == {"wan0.rx": more}


def test_duplicates_are_counted_apart() -> None:
    direction = way(tried=100, unique=100, received=105, duplicated=5)
    accounting = account([direction], NOTHING, counted(direction))
    assert (accounting.lost, accounting.duplicated, accounting.mismatch) == (0, 5, {})


def test_directions_are_summed() -> None:
    ways = [way("up", tried=100, unique=90), way("down", tried=50, unique=50, reordered=3)]
    accounting = account(ways, NOTHING, counted(*ways))
    assert (accounting.scheduled, accounting.tried, accounting.unique, accounting.reordered) == (
        150,
        150,
        140,
        3,
    )


@pytest.mark.parametrize(
    ("counter", "mismatch"),
    [
        ("lan0.tx_packets", {"lan0.tx": 7}),
        ("lan0.tx_dropped", {"lan0.tx": 7}),
        ("wan0.rx_packets", {"wan0.rx": 7}),
        ("wan0.tx_packets", {}),  # the other direction is not this trial's
    ],
)
def test_a_counter_that_moved_more_is_named(counter: str, mismatch: dict[str, int]) -> None:
    direction = way()
    after = counted(direction)
    after[counter] += 7
    assert account([direction], NOTHING, after).mismatch == mismatch


def test_only_what_moved_meanwhile_counts() -> None:
    direction = way()
    before: dict[str, Any] = dict.fromkeys(NOTHING, 1000)
    after = {name: value + 1000 for name, value in counted(direction).items()}
    accounting = account([direction], before, after)
    assert (accounting.interfaces["lan0.tx_packets"], accounting.mismatch) == (100, {})


@pytest.mark.parametrize(("others", "mismatch"), [(20, {}), (21, {"wan0.rx": 21})])
def test_on_a_real_cable_few_words_of_others_are_no_mismatch(
    others: int, mismatch: dict[str, int]
) -> None:
    direction = way()
    loud = replace(direction.wire, sink=replace(direction.wire.sink, silent=False))
    direction = replace(direction, wire=loud, sender=direction.sender | {"t0_ns": 0, "t1_ns": 0})
    after = counted(direction)
    after["wan0.rx_packets"] += others
    assert account([direction], NOTHING, after).mismatch == mismatch


def test_foreign_packets_are_told_apart() -> None:
    one = way(foreign=7, corrupt_by={"header": 3}, beyond=2)  # type: ignore[arg-type]
    accounting = account([one, way("down", foreign=5)], NOTHING, counted(one))
    assert (accounting.altered, accounting.beyond, accounting.strange) == (3, 2, 4)
