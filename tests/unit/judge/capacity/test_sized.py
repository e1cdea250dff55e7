# SPDX-License-Identifier: Apache-2.0
"""UDP by frame size: planted costs of a packet and of a byte are found, and what they mean."""

import random
from collections.abc import Iterator

import builder
import pytest
from msgspec.structs import replace

from gatemark.judge.capacity.sized import Cost, sized
from gatemark.judge.point.group import group
from gatemark.store.record import Definition, Record
from gatemark.tell.answer import sized as answer

SIZES = (64, 256, 512, 1024, 1518)
TRIED = 100_000


def trials(packet_ns: float, byte_ns: float, busy: float = 0.999) -> Iterator[Record]:
    """Six repeats of each size by a gateway with these costs, one per cent apart."""
    chance = random.Random(5)
    for size in SIZES:
        definition = Definition(path="route", frame_bytes=size)
        for repeat in range(1, 7):
            pps = 1e9 / ((packet_ns + byte_ns * size) * chance.gauss(1, 0.01))
            values = {"received_pps": pps, "cpu_busy": busy, "loss_ratio": 0.2}
            values["received_l4_bps"] = pps * (size - 46) * 8
            made = builder.record("p/q", "route", {"frame_bytes": size}, definition, repeat, values)
            lost = replace(builder.accounting(TRIED, TRIED // 5), scheduled=0)
            yield replace(made, accounting=lost)


def cost(*records: Record) -> Cost | None:
    (line,) = sized(group(records))
    return line.cost


def test_planted_costs_are_found() -> None:
    made = cost(*trials(2000.0, 1.0))
    assert made is not None
    assert made.packet_ns.value == pytest.approx(2000, rel=0.03)
    assert made.byte_ns.value == pytest.approx(1.0, rel=0.1)


@pytest.mark.parametrize(
    ("packet_ns", "byte_ns", "verdict"),
    [(2000.0, 0.2, "packets"), (500.0, 2.0, "bytes"), (1518.0, 1.0, "both")],
)
def test_what_takes_more_of_a_large_packet_is_told(
    packet_ns: float, byte_ns: float, verdict: str
) -> None:
    made = cost(*trials(packet_ns, byte_ns))
    assert made is not None
    assert made.verdict == verdict


def test_a_fit_has_the_sizes_of_one_repeat_alone() -> None:
    """The machine gets slower by the repeat, and one trial of the first is missing."""
    every = [
        replace(record, values=record.values | {"received_pps": 1e9 / (slow * (1500 + size))})
        for record in trials(1500.0, 1.0)
        for size, slow in [(record.definition.frame_bytes or 0, 2**record.repeat)]
    ]
    made = cost(*(r for r in every if (r.definition.frame_bytes, r.repeat) != (512, 1)))
    assert made is not None
    assert (made.share.lo, made.share.hi) == pytest.approx((1518 / 3018, 1518 / 3018))


def test_a_cpu_that_is_not_full_tells_no_cost() -> None:
    assert cost(*trials(2000.0, 1.0, busy=0.5)) is None


def test_a_set_rate_is_no_overload() -> None:
    paced = [replace(r, accounting=builder.accounting(TRIED, 0)) for r in trials(2000.0, 1.0)]
    assert sized(group(paced)) == []


def test_three_sizes_are_too_few() -> None:
    few = [r for r in trials(2000.0, 1.0) if r.definition.frame_bytes in SIZES[:3]]
    assert sized(group(few)) == []


def test_the_size_with_the_most_payload_is_marked() -> None:
    tables = dict(answer.tables(group(trials(500.0, 2.0))))
    marks = {row[3]: row[-1] for row in tables["loss-by-size"].rows}
    assert marks == dict.fromkeys(marks, "") | {"1518 B": "most payload"}
    assert [row[-1] for row in tables["packet-or-byte"].rows] == [answer.ADVICE["bytes"]]
