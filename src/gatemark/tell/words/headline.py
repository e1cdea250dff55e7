# SPDX-License-Identifier: Apache-2.0
"""What a point is about: the rate that its definition asks for, and the same as bits of payload."""

from collections.abc import Iterable

from gatemark.judge.judgement import PointResult
from gatemark.judge.math.interval import Interval
from gatemark.judge.subject import About
from gatemark.plan.feature import DIRECT, ENDPOINT
from gatemark.quantity import UNITS, is_bounded
from gatemark.store.record import Definition
from gatemark.tell.words import number
from gatemark.tell.words.shape import NAMES

# Bottlenecks in words; some are their own name.
BOTTLENECKS = dict[str, str](NAMES.items()) | {own: own for own in ("tester", "shaper", "policer")}
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
    """Return whether a value of the point is only a lower bound."""
    return point.at_least and is_bounded(quantity)


def alone(ceilings: Iterable[PointResult], about: About) -> list[PointResult]:
    """One run's ceilings for the same traffic: of the same plan where it measured any."""
    alike = [p for p in ceilings if _traffic(p.definition) == _traffic(about.definition)]
    return [p for p in alike if p.plan == about.plan] or alike


def bounds(ceilings: Iterable[PointResult], about: About) -> list[PointResult]:
    """The ceilings that the gateway's values cannot exceed.

    None for what the gateway itself sends or receives: there the tester is one end alone.
    """
    return [] if about.definition.path in (DIRECT, ENDPOINT) else alone(ceilings, about)


def ceiling(ceilings: Iterable[PointResult], point: PointResult) -> Interval | None:
    """The tester's own payload rate (bit/s) for a point's traffic: of the same way if measured.

    Else of the slower way. `ceilings` are those of the point's own run.
    """
    alike = [p for p in bounds(ceilings, point) if payload(p)]
    same_way = [p for p in alike if p.definition.direction == point.definition.direction]
    payloads = [i for p in same_way or alike if (i := payload(p)) is not None]
    return min(payloads, key=lambda i: i.value, default=None)


def bottleneck(limit: str) -> str:
    """A bottleneck in words, where its key is not one: `loss that a rate triggers`."""
    return BOTTLENECKS.get(limit, limit)


def _traffic(d: Definition) -> tuple[object, ...]:
    """What makes two loads the same for the tester; two ways at once share its CPU."""
    tcp = (d.write_bytes, d.streams, d.socket_buffer_bytes, d.congestion)
    sizes = tcp if d.l4 == "tcp" else (d.frame_bytes, d.mix)
    return (d.driver, d.l4, d.family, d.offload, d.direction == "both", sizes)
