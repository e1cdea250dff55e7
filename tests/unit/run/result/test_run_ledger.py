# SPDX-License-Identifier: Apache-2.0
"""What was lost, by a sink's ledger, against a decoder that looks at each packet."""

from base64 import b64encode
from itertools import pairwise
from random import Random
from statistics import mean, pstdev

import pytest

from gatemark.run.result.ledger import Ledger
from gatemark.workload.order import Order
from gatemark.workload.way import Report

Packet = tuple[int, int]  # flow, number


def packets(order: Order, tried: int) -> list[Packet]:
    """All that were tried, in the order of sending."""
    rounds = -(-tried // order.flows)
    every = [(flow, number) for number in range(rounds) for flow in order.flows_of(number)]
    return every[:tried]


def reports(order: Order, tried: int, lost: set[Packet]) -> tuple[Report, Report]:
    """What both agents report."""
    sent = packets(order, tried)
    words = -(-(tried // order.flows + 1) // 64)
    came = [0] * order.flows
    for flow, number in sent:
        came[flow] |= ((flow, number) not in lost) << number
    by_flow = [sum(flow == at for flow, _ in sent) for at in range(order.flows)]
    bits = [b64encode(bits.to_bytes(8 * words, "little")).decode() for bits in came]
    ledger = {"numbers": 64 * words, "words": words, "bits": bits}
    return {"tried": tried, "tried_by_flow": by_flow}, {"ledger": ledger}


def ledger(order: Order, tried: int, lost: set[Packet]) -> Ledger:
    read = Ledger.read(order, *reports(order, tried, lost))
    assert read is not None
    return read


@pytest.mark.parametrize(("seed", "flows"), [(0, 1), (0, 7), (3, 1), (3, 2), (5, 16), (8, 97)])
def test_all_is_as_packet_by_packet(seed: int, flows: int) -> None:
    for tried, share in ((1, 1.0), (500, 0.0), (501, 0.02), (1003, 0.5), (400, 1.0)):
        as_packet_by_packet(seed, flows, tried, share)


def as_packet_by_packet(seed: int, flows: int, tried: int, share: float) -> None:
    """Each number of the ledger against a count of the packets."""
    order, draw = Order(seed, flows), Random(f"{seed}/{flows}/{tried}")
    sent = packets(order, tried)
    lost = {packet for packet in sent if draw.random() < share}
    at = [index for index, packet in enumerate(sent) if packet in lost]
    read = ledger(order, tried, lost)
    assert read.lost == len(lost)
    assert list(read.lost_by_flow) == [
        sum(flow == mine for flow, _ in lost) for mine in range(flows)
    ]
    for parity, half in enumerate(read.halves):
        assert list(half) == [
            sum(flow == mine and number % 2 == parity for flow, number in lost)
            for mine in range(flows)
        ]
    bounds = [0, 0, tried // 3, tried // 2, tried]
    assert read.lost_between(bounds) == [
        sum(first <= index < last for index in at) for first, last in pairwise(bounds)
    ]
    assert read.first == (at[0] if at else None)
    runs = sum(index - 1 not in at for index in at)
    assert read.run_mean == pytest.approx(len(at) / runs if runs else 0)
    if len(at) > 2:
        distances = [after - before for before, after in pairwise(at)]
        assert read.distance_cv == pytest.approx(pstdev(distances) / mean(distances))
    frames = (64, 594, 64)
    assert read.by_size(frames) == {
        str(size): (
            sum(frames[index % 3] == size for index in range(tried)),
            sum(frames[index % 3] == size for index in at),
        )
        for size in (64, 594)
    }


def test_what_is_lost_from_a_flows_first_packet_on_is_its_lead() -> None:
    order = Order(2, 4)
    lost = {(0, 0), (0, 1), (0, 2), (0, 5), (2, 1), (3, 0)}
    assert ledger(order, 40, lost).lead == (3, 0, 0, 1)


def test_numbers_beyond_the_ledger_make_it_none() -> None:
    order = Order(0, 1)
    sender, sink = reports(order, 100, set())
    sink["ledger"]["numbers"] = 99
    assert Ledger.read(order, sender, sink) is None


def test_a_sink_that_received_nothing_has_no_words() -> None:
    order = Order(4, 3)
    sender, sink = reports(order, 10, set())
    sink["ledger"] |= {"words": 0, "bits": []}
    read = Ledger.read(order, sender, sink)
    assert read is not None
    assert read.lost == 10
