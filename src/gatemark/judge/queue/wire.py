# SPDX-License-Identifier: Apache-2.0
"""The line of a trial as the arithmetic of its queue needs it: rate, buffer, frames, round trip."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from gatemark.judge.queue.fair import line_bytes
from gatemark.judge.queue.flow import S_NS, Flow
from gatemark.judge.queue.formula import Bottleneck, mean_bytes
from gatemark.judge.queue.mixed import SEGMENT_BYTES, Workload
from gatemark.plan.model import Line, LineWay, TrialSpec
from gatemark.store.drops import QDISC
from gatemark.store.record import Record

# Ethernet, IP and TCP with time stamps (RFC 7323), without check sequence.
HEADERS_BYTES: Final = {"ipv4": 66.0, "ipv6": 86.0}
PACKETS: Final = 50  # of a buffer that a plan leaves open
SHORTEST_BYTES: Final = 60.0  # of a frame, without check sequence
MS_NS: Final = 1_000_000


def way_of(line: Line | None, way: str) -> LineWay | None:
    """One way of a line; None: there is none, or its rate is not bounded."""
    asked = {"up": line.up, "down": line.down}[way] if line else None
    return asked if asked and asked.rate_bps else None


def bottleneck(
    spec: TrialSpec, way: str, flow: tuple[Flow, Flow], loads: Sequence[Workload]
) -> Bottleneck | None:
    """Return the line of one way; None without one, or of one that changes by a course.

    `flow`: under the load, and idle.
    """
    line = spec.line
    asked = way_of(line, way)
    if line is None or asked is None or asked.course:
        return None
    segment = segment_bytes(loads, asked)
    tcp = [load.definition for load in loads if load.definition.l4 == "tcp"]
    packets = 0 if asked.buffer_bytes else asked.buffer_packets or PACKETS
    return Bottleneck(
        rate_bps=asked.rate_bps,
        buffer_packets=packets,
        buffer_bytes=asked.buffer_bytes,
        segment_bytes=segment,
        mean_bytes=mean_bytes(asked.rate_bps, segment, [_frames(flow, asked)]),
        round_trip_ns=(line.up.fixed_ms + line.down.fixed_ms) * MS_NS,
        streams=sum(d.streams or 1 for d in tcp) or 1,
        congestion=next((d.congestion for d in tcp if d.congestion), ""),
    )


def segment_bytes(loads: Sequence[Workload], asked: LineWay) -> float:
    """What a full segment of the load takes of the line."""
    full = max((_payload(load) + _headers(load) for load in loads), default=0.0)
    return line_bytes(full, asked.overhead_bytes, atm=asked.atm)


def around_bytes(loads: Sequence[Workload], asked: LineWay) -> float:
    """What a full segment takes of the line beside its payload."""
    return segment_bytes(loads, asked) - max((_payload(load) for load in loads), default=0.0)


def goodputs_bps(loads: Sequence[Workload], way: str) -> dict[float, float]:
    """Payload of a full segment -> goodput of all loads with such segments."""
    sums: dict[float, float] = {}
    for load in loads:
        if (bps := load.goodput_bps(way)) is not None:
            sums[_payload(load)] = sums.get(_payload(load), 0.0) + bps
    return sums


def dropped(record: Record, way: str) -> bool | None:
    """Whether the line's queue dropped anything; None: its books were not kept."""
    line = record.evidence.line
    return None if line is None else line.ways[way].dropped > 0


def drops(records: Sequence[Record], way: str) -> dict[str, float]:
    """Packets that each queue on the way dropped, whoever sent them: `htb at eth2`, `the line`.

    Means of the trials; queues that dropped none are left out.
    """
    sums: Counter[str] = Counter()
    for record in records:
        if line := record.evidence.line:
            sums["the line"] += line.ways[way].dropped
        for drop in record.evidence.drops.causes if record.evidence.drops else ():
            if drop.stage == QDISC:
                sums[f"{drop.cause} at {drop.where}"] += drop.packets
    return {name: packets / len(records) for name, packets in sums.items() if packets}


def _frames(flow: tuple[Flow, Flow], asked: LineWay) -> tuple[float, float]:
    """Packets/s of the flow, and bytes of its frames: by how long the idle line takes for one.

    That is as good as it need be: where the rest of the way matters beside it, the line is so fast
    that the flow's part of the frames is small.
    """
    loaded, idle = flow
    sent = sorted([*loaded.sent_ns, *loaded.lost_ns])
    if len(sent) < 2 or not idle.delay_ns:
        return 0.0, SHORTEST_BYTES
    pps = (len(sent) - 1) * S_NS / (sent[-1] - sent[0])
    alone_ns = idle.percentile(0.5) - asked.fixed_ms * MS_NS
    size = alone_ns / S_NS * asked.rate_bps / 8
    full = line_bytes(SEGMENT_BYTES + HEADERS_BYTES["ipv4"], asked.overhead_bytes, atm=asked.atm)
    return pps, min(max(SHORTEST_BYTES, size), full)


def _payload(load: Workload) -> float:
    return load.value("mss_bytes") or SEGMENT_BYTES


def _headers(load: Workload) -> float:
    return HEADERS_BYTES[load.definition.family]
