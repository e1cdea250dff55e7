# SPDX-License-Identifier: Apache-2.0
"""What was lost, by a sink's ledger, against a decoder that looks at each packet."""

from base64 import b64encode
from itertools import pairwise
from random import Random
from statistics import mean, pstdev

import pytest

from gatemark.run.result.ledger import Ledger
from gatemark.workload.way import Report

Packet = tuple[int, int]  # flow, number


def packets(flows: int, tried: int) -> list[Packet]:
    """All that were tried, in the order of sending: each flow once in a round."""
    draw, sent = Random(flows), list[Packet]()
    for number in range(-(-tried // flows)):
        sent += [(flow, number) for flow in draw.sample(range(flows), flows)]
    return sent[:tried]


def reports(flows: int, tried: int, lost: set[Packet]) -> tuple[Report, Report]:
    """What both agents report."""
    sent = packets(flows, tried)
    words = -(-(tried // flows + 1) // 64)
    came = [0] * flows
    for flow, number in sent:
        came[flow] |= ((flow, number) not in lost) << number
    in_order = sum((packet not in lost) << at for at, packet in enumerate(sent))
    by_flow = [sum(flow == at for flow, _ in sent) for at in range(flows)]
    ledger = {
        "numbers": 64 * words,
        "words": words,
        "bits": [text(bits, words) for bits in came],
        "sent": text(in_order, words * flows),
    }
    return {"tried": tried, "tried_by_flow": by_flow}, {"ledger": ledger}


def text(bits: int, words: int) -> str:
    return b64encode(bits.to_bytes(8 * words, "little")).decode()


def ledger(flows: int, tried: int, lost: set[Packet]) -> Ledger:
    read = Ledger.read(flows, *reports(flows, tried, lost))
    assert read is not None
    return read


@pytest.mark.parametrize("flows", [1, 2, 7, 16, 97])
def test_all_is_as_packet_by_packet(flows: int) -> None:
    for tried, share in ((1, 1.0), (500, 0.0), (501, 0.02), (1003, 0.5), (400, 1.0)):
        as_packet_by_packet(flows, tried, share)


def as_packet_by_packet(flows: int, tried: int, share: float) -> None:
    """Each number of the ledger against a count of the packets."""
    sent, draw = packets(flows, tried), Random(f"{flows}/{tried}")
    lost = {packet for packet in sent if draw.random() < share}
    at = [index for index, packet in enumerate(sent) if packet in lost]
    read = ledger(flows, tried, lost)
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
    lost = {(0, 0), (0, 1), (0, 2), (0, 5), (2, 1), (3, 0)}
    assert ledger(4, 40, lost).lead == (3, 0, 0, 1)


def test_numbers_beyond_the_ledger_make_it_none() -> None:
    sender, sink = reports(1, 100, set())
    sink["ledger"]["numbers"] = 99
    assert Ledger.read(1, sender, sink) is None


def test_a_sink_that_received_nothing_has_no_words() -> None:
    sender, sink = reports(3, 10, set())
    sink["ledger"] |= {"words": 0, "bits": [], "sent": ""}
    read = Ledger.read(3, sender, sink)
    assert read is not None
    assert read.lost == 10
