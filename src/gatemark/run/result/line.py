# SPDX-License-Identifier: Apache-2.0
"""What crossed the emulated line, of its own books and its ports' counters: pure functions.

in = sent + dropped + lost + refused + waiting      for each way
what came in at a port is `in`, what a port sent is `sent`
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gatemark.plan.line.keys import WAYS
from gatemark.probe.line import Crossed
from gatemark.run.raw import Raw
from gatemark.run.result import clock
from gatemark.run.result.kind import Evidences
from gatemark.store.drops import Crossing, Line
from gatemark.store.series import Series
from gatemark.workload.account import chatter
from gatemark.workload.way import span_ns

BOOKS: Final = ("in", "sent", "dropped", "lost", "refused", "waiting")
PERCENTILES: Final = ("p50", "p99", "p999", "max")
LATE_NS: Final = 1_000_000
# Way -> the port that it comes in by, and the one that it leaves by.
PORTS: Final = {"up": ("line0", "line1"), "down": ("line1", "line0")}


def evidence(raw: Raw) -> Evidences:
    """For the record; nothing where no line stood."""
    crossed = raw.line
    if not crossed.report:
        return {}
    first_ns, last_ns = span_ns(raw.every_way)
    lasted_ns = last_ns - first_ns
    up, down = (_crossing(crossed.report[way], lasted_ns) for way in WAYS)
    made = Line(
        up=up,
        down=down,
        cpu=crossed.report["cpu_ns"] / lasted_ns,
        clock_stepped_ns=int(crossed.report.get("clock_stepped_ns", 0)),
        mismatch=_mismatch(crossed, lasted_ns, talks=any(way.talks for way in raw.every_way)),
    )
    return {"line": made}


def notes(raw: Raw) -> tuple[str, ...]:
    """What its agent has to say, as that it is in no real-time class."""
    return tuple(f"line: {note}" for note in raw.line.report.get("notes", ()))


def series(raw: Raw) -> Series:
    """When it dropped, and the bytes of each; the histogram of how late frames left."""
    report, columns = raw.line.report, {}
    for way in WAYS if report else ():
        drops, late = report[way]["drops"], report[way]["late_ns"]
        columns[f"line.{way}.drops"] = drops["at_ns"], drops["bytes"]
        columns[f"line.{way}.late_ns"] = late["low"], late["count"]
    return columns


def why_invalid(line: Line | None) -> str:
    """Why a trial is not to be used: a frame that nobody knows about, times by two clocks."""
    if line is None:
        return ""
    if why := clock.stepped(line.clock_stepped_ns, "line"):
        return why
    for way, books in line.ways.items():
        kept = books.sent + books.dropped + books.lost + books.refused + books.waiting
        if kept != books.came:
            return f"the line's books differ: {books.came} frames came {way}, {kept} are known of"
    if line.mismatch:
        where = ", ".join(f"{name} {frames:+d}" for name, frames in line.mismatch.items())
        return f"the line's ports and its books differ: {where} frames"
    return ""


def _crossing(report: Mapping[str, Any], span_ns: int) -> Crossing:
    late = report["late_ns"]
    departures = sum(late["count"])
    over = sum(n for low, n in zip(late["low"], late["count"], strict=True) if low >= LATE_NS)
    return Crossing(
        **{"came" if name == "in" else name: int(report[name]) for name in BOOKS},
        bytes=int(report["bytes"]),
        # What drains after the last packet was sent is in it: at most a buffer's time.
        busy=min(1.0, report["busy_ns"] / span_ns),
        peak_packets=int(report["peak_packets"]),
        peak_bytes=int(report["peak_bytes"]),
        late_ns={name: float(late[name]) for name in PERCENTILES} if departures else {},
        within_50us=late["within_50us"] / departures if departures else 1.0,
        over_1ms=over / departures if departures else 0.0,
    )


def _mismatch(crossed: Crossed, span_ns: int, *, talks: bool) -> dict[str, int]:
    """Port counter less books. A gateway with a kernel of its own may say a word between.

    So does an application (`talks`): it is under way when both are looked at.
    """
    allowed = 0 if crossed.is_silent and not talks else chatter(span_ns)
    differences = dict(_differences(crossed))
    return {name: by for name, by in differences.items() if abs(by) > allowed}


def _differences(crossed: Crossed) -> Iterator[tuple[str, int]]:
    for way, (into, out) in PORTS.items():
        yield f"{way}.in", crossed.moved[f"{into}.rx_packets"] - crossed.report[way]["in"]
        yield f"{way}.sent", crossed.moved[f"{out}.tx_packets"] - crossed.report[way]["sent"]
