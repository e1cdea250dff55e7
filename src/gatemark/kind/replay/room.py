# SPDX-License-Identifier: Apache-2.0
"""The room that the line has for a conversation made here, on its mean."""

from typing import Final

from gatemark.error import UsageError
from gatemark.kind.replay.source import conversation
from gatemark.plan.line.keys import WAYS
from gatemark.plan.line.time import line_bits, rate
from gatemark.plan.model import Line, LineWay, Workload
from gatemark.plan.trace import SOURCES
from gatemark.unit import frame_bytes

LOOKED_AT_S: Final = 10.0  # of a conversation, for its mean


def require(load: Workload, line: Line | None) -> None:
    """Raise UsageError for a replay of a made source that is larger than the line, either way.

    A capture's packets are not looked at: what it loses, the line's books tell.
    """
    if line is None or line.overload or load.kind != "replay" or load.trace not in SOURCES:
        return
    for name in WAYS:
        way: LineWay = getattr(line, name)
        offered = offered_bps(load, way, is_up=name == "up")
        if way.rate_bps and load.direction in (name, "both") and offered > way.rate_bps:
            raise UsageError(
                f"`trace` = {load.trace}: {rate(offered)} on the line {name} is more than its "
                f"{rate(way.rate_bps)}; raise rate_bps of [line], or write overload = true in it "
                "to see it lose"
            )


def offered_bps(load: Workload, way: LineWay, *, is_up: bool) -> float:
    """Bits that one way of a made conversation takes on the line each second."""
    packets = conversation(load.trace, LOOKED_AT_S)
    times = load.rate_pps * LOOKED_AT_S / len(packets) if load.rate_pps else load.speed
    bits = sum(
        line_bits(way, frame_bytes(packet.payload_bytes, load.family))
        for packet in packets
        if packet.up == is_up
    )
    return bits * times * (1 if load.rate_pps else load.clones) / LOOKED_AT_S
