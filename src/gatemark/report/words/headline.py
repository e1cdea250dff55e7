# SPDX-License-Identifier: Apache-2.0
"""What a point is about: the rate that its definition asks for, and the same as bits of payload."""

from collections.abc import Iterable

from gatemark.quantity import UNITS, is_bounded
from gatemark.report.words import number
from gatemark.stats.judgement import Judgement, PointResult
from gatemark.stats.math.interval import Interval
from gatemark.store.record import Definition

PAYLOAD = {"tcp": "goodput_bps", "udp": "received_l4_bps"}


def headline(point: PointResult) -> Interval | None:
    """The rate that the point's definition is about; None: not measured."""
    return point.values.get(point.definition.headline)


def unit(point: PointResult) -> str:
    """The unit of the headline: packets/s or bit/s."""
    return UNITS[point.definition.headline]


def payload(point: PointResult) -> Interval | None:
    """Bits of payload a second, by which UDP and TCP compare; None: not measured."""
    return point.values.get(PAYLOAD.get(point.definition.l4, ""))


def payload_words(point: PointResult) -> str:
    """Bits of payload a second: `47.5 Mbit/s`; of a lower bound what it is at least."""
    measured = payload(point)
    if measured is None:
        return number.quantity(0.0, "bit/s")
    if point.at_least:
        return number.AT_LEAST + number.at_least(measured, "bit/s")
    return number.quantity(measured.value, "bit/s")


def bounded(point: PointResult, quantity: str) -> bool:
    """Whether a value of the point is only a lower bound."""
    return point.at_least and is_bounded(quantity)


def ceiling(judgement: Judgement, definition: Definition) -> Interval | None:
    """The tester's own payload rate for the same traffic: of the same way if that was measured.

    Else of the slower way: what the gateway itself sends or receives has no way of its own there.
    """
    alike = [p for p in judgement.ceilings if _traffic(p.definition) == _traffic(definition)]
    same_way = [p for p in alike if p.definition.direction == definition.direction]
    payloads = [i for p in same_way or alike if (i := payload(p)) is not None]
    return min(payloads, key=lambda i: i.value, default=None)


def limits(points: Iterable[PointResult]) -> list[str]:
    """What held these points back, each limit once."""
    return list(dict.fromkeys(point.limit for point in points))


def _traffic(d: Definition) -> tuple[object, ...]:
    """What makes two loads alike for the tester; two ways at once share its CPU."""
    sizes = (d.write_bytes, d.streams, d.socket_buffer_bytes) if d.l4 == "tcp" else d.frame_bytes
    return (d.l4, d.family, d.offload, d.direction == "both", sizes)
