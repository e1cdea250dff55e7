# SPDX-License-Identifier: Apache-2.0
"""The bounds of a line, and of workloads over it: each fault with its fix."""

from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Final

from gatemark.error import UsageError
from gatemark.plan.feature import DIRECT
from gatemark.plan.kind import RULES
from gatemark.plan.line.course import LONGEST_S, course_of
from gatemark.plan.line.keys import WAYS
from gatemark.plan.line.time import DEFAULT_PACKETS, line_bits, rate
from gatemark.plan.mix import frames
from gatemark.plan.model import Line, LineWay, Plan, Workload

PATHS: Final = ("route", "nat", "direct")  # that lead to the WAN host

# The agent serialises single frames by the clock: at 1 Gbit/s a full one takes 12 us, and a call
# that sends it takes a third of that. At 100 Mbit/s up to 78 % of a CPU were used.
MOST_BPS: Final = 1e9
LEAST_BPS: Final = 8_000.0  # a full frame takes 1.5 s
MOST_BUFFER_PACKETS: Final = 100_000
MOST_BUFFER_BYTES: Final = 1 << 27
LONGEST_MS: Final = 10_000.0
MOST_OVERHEAD_BYTES: Final = 256
LEAST_OVERHEAD_BYTES: Final = -14  # an IP packet, without Ethernet's header


def line_faults(plan: Plan, line: Line | None, loads: Mapping[str, Workload]) -> Iterator[str]:
    """Why these workloads of a point cannot be sent over this line; nothing if they can."""
    yield from _past(plan, line)
    if line is None:
        return
    for name in WAYS:
        yield from _bounds(getattr(line, name), name)
    if apart := [arm.path for arm in plan.arm if arm.path not in PATHS]:
        yield (
            f"[line] stands before the WAN host, and the path {apart[0]} does not lead there: "
            f"write {', '.join(PATHS)}, or leave out [line]"
        )
    if plan.repeat.turn_ms:
        yield "`turn_ms` of [repeat]: arms at once would have a line each on one CPU; leave it out"
    for which, load in loads.items():
        yield from _of_load(line, load, f" of [beside.{which}]" if which else "")


def _past(plan: Plan, line: Line | None) -> Iterator[str]:
    """Arms that leave the line out: what crosses a gateway is compared over one line."""
    for arm in plan.arm:
        if not arm.line and line is None:
            yield f"`line` = false of the arm {arm.name}: this plan has no [line]; leave it out"
        elif not arm.line and arm.path != DIRECT:
            yield f"`line` = false of the arm {arm.name}: for the path direct alone; leave it out"


def _of_load(line: Line, load: Workload, of: str) -> Iterator[str]:
    if RULES[load.kind].alone:
        yield f"`kind` = {load.kind}{of}: it waits for single packets, so leave out [line]"
    elif load.offload:
        yield f"`offload`{of}: a line takes frames one by one; leave it out"
    elif not line.overload:
        yield from _larger(line, load, of)


def _bounds(way: LineWay, name: str) -> Iterator[str]:
    of = f"of [line.{name}]"
    if way.rate_bps and not LEAST_BPS <= way.rate_bps < MOST_BPS:
        yield (
            f"`rate_bps` = {way.rate_bps:g} {of}: the tester serialises {LEAST_BPS:g} to below "
            f"{MOST_BPS:g}; 0 is as fast as it goes"
        )
    if way.buffer_packets and way.buffer_bytes:
        yield f"`buffer_packets` and `buffer_bytes` {of} say the same thing; leave one out"
    if way.course:
        try:
            course_of(way)
        except UsageError as error:
            yield f"{error} ({of})"
    elif way.period_s:
        yield f"`period_s` {of} is of a course; leave it out, or write `course`"
    numbers = (
        ("buffer_packets", 0, MOST_BUFFER_PACKETS, f"0 ({DEFAULT_PACKETS}, or by buffer_bytes)"),
        ("buffer_bytes", 0, MOST_BUFFER_BYTES, "0 (by buffer_packets)"),
        ("fixed_ms", 0, LONGEST_MS, "0"),
        ("period_s", 0, LONGEST_S, "0 (the course's own)"),
        ("loss", 0, 1, "0"),
        ("overhead_bytes", LEAST_OVERHEAD_BYTES, MOST_OVERHEAD_BYTES, "-14 (IP packets)"),
    )
    for key, least, most, word in numbers:
        value = getattr(way, key)
        if not (isfinite(value) and least <= value <= most):
            yield f"`{key}` = {value:g} {of}: {word} to {most:g}"


def _larger(line: Line, load: Workload, of: str) -> Iterator[str]:
    """A flow that does not fit loses at the line whatever the gateway does."""
    for name in WAYS:
        way = getattr(line, name)
        if load.kind != "udp" or load.direction not in (name, "both") or not way.rate_bps:
            continue
        bits = sum(line_bits(way, size) for size in frames(load)) / len(frames(load))
        offered = load.rate_pps * bits
        if not load.rate_pps or offered > way.rate_bps:
            much = f"{rate(offered)} on the line" if load.rate_pps else "as fast as it goes"
            key = "rate_bps" if load.rate_bps else "rate_pps"
            yield (
                f"`{key}`{of}: {much} {name} is more than its {rate(way.rate_bps)}; lower it, or "
                "write overload = true in [line] to see it lose"
            )
