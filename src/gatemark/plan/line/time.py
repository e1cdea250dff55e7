# SPDX-License-Identifier: Apache-2.0
"""A line in numbers: how long a frame takes, how long it holds frames, in words."""

from collections.abc import Iterator
from math import ceil
from pathlib import Path
from typing import Final

from gatemark.plan.line.course import course_of
from gatemark.plan.line.keys import WAYS
from gatemark.plan.model import Line, LineWay
from gatemark.unit import FCS_BYTES, LARGEST_FRAME_BYTES

DEFAULT_PACKETS: Final = 50  # that wait, where a plan says nothing: dummynet's default
CELL_BYTES, CELL_PAYLOAD_BYTES = 53, 48  # ATM


def waits(way: LineWay) -> int:
    """Count the packets that wait at most; 0: as many as `buffer_bytes` hold."""
    return way.buffer_packets or (0 if way.buffer_bytes else DEFAULT_PACKETS)


def line_bits(way: LineWay, frame_bytes: float) -> float:
    """Bits that a frame with check sequence takes on the line."""
    length = frame_bytes - FCS_BYTES + way.overhead_bytes
    return 8 * (CELL_BYTES * ceil(length / CELL_PAYLOAD_BYTES) if way.atm else length)


def longest_s(line: Line) -> float:
    """From a frame's arrival until it has left, at most, whichever way: behind a full buffer."""
    return max(_full_s(way) for way in (line.up, line.down))


def silence_s(line: Line) -> float:
    """The longest time without a frame from a line that holds some, whichever way."""
    return max(_frame_s(way) + _fixed_s(way) for way in (line.up, line.down))


def _frame_s(way: LineWay) -> float:
    """From a frame's begin to the next one's, at most."""
    return _moving_s(way) + _still_s(way)


def _moving_s(way: LineWay) -> float:
    """A full frame's time on the line, at its lowest rate."""
    course = course_of(way)
    rate_bps = course.least_bps if course else way.rate_bps
    return line_bits(way, LARGEST_FRAME_BYTES) / rate_bps if rate_bps else 0.0


def _still_s(way: LineWay) -> float:
    course = course_of(way)
    return course.longest_still_s if course else 0.0


def _fixed_s(way: LineWay) -> float:
    course = course_of(way)
    return (way.fixed_ms + (max(s.delay_ms for s in course.steps) if course else 0.0)) / 1000


def _full_s(way: LineWay) -> float:
    frames = waits(way) or way.buffer_bytes / (LARGEST_FRAME_BYTES - FCS_BYTES) + 1
    return (frames + 1) * _moving_s(way) + _still_s(way) + _fixed_s(way)


def in_words(line: Line | None) -> str:
    """Return the line's part of a definition: `15 Mbit/s, 50 packets`; or each way of its own."""
    if line is None:
        return ""
    texts = {way: ", ".join(_words(getattr(line, way))) for way in WAYS}
    return texts["up"] if texts["up"] == texts["down"] else "; ".join(map(" ".join, texts.items()))


def _words(way: LineWay) -> Iterator[str]:
    yield rate(way.rate_bps) if way.rate_bps else "no rate"
    yield f"{waits(way)} packets" if waits(way) else f"{way.buffer_bytes} bytes"
    if way.course:
        yield f"course {Path(way.course).name}"
    if way.period_s:
        yield f"period {way.period_s:g} s"
    if way.aqm != "fifo":
        yield way.aqm
    if way.fixed_ms:
        yield f"{way.fixed_ms:g} ms"
    if way.loss:
        yield f"loss {100 * way.loss:g} %"
    if way.overhead_bytes:
        yield f"overhead {way.overhead_bytes} bytes"
    if way.atm:
        yield "ATM"


def rate(bps: float) -> str:
    """`15 Mbit/s`, `512 kbit/s`."""
    return f"{bps / 1e6:g} Mbit/s" if bps >= 1e6 else f"{bps / 1e3:g} kbit/s"
