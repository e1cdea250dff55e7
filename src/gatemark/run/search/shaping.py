# SPDX-License-Identifier: Apache-2.0
"""Whether a shaper held its rate in one trial: what came through it, and what a flow beside waited.

All is of the time after the uploads' slow start, the load of the gateway's CPU too. The delay that
is added is the flow's highest percentile, up to the 99th, that at least ten of its packets exceed,
less what the same flow took before the uploads began.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec.structs import replace

from gatemark.judge.queue import queues, trial
from gatemark.judge.queue.busy import outside
from gatemark.judge.queue.fair import line_bytes, line_share
from gatemark.judge.queue.flow import S_NS
from gatemark.judge.queue.mixed import WAYS, Workload, workloads
from gatemark.judge.queue.swing import SETTLE_NS
from gatemark.judge.queue.wire import HEADERS_BYTES
from gatemark.plan.model import TrialSpec
from gatemark.plan.shaper.shape import ETHERNET_BYTES, Shape
from gatemark.plan.shaper.shaping import ADDED_MS, FRAMES, SHARE, at_rate, shaper
from gatemark.probe.threads import busiest
from gatemark.run.search.ask import Answer
from gatemark.store.record import Record
from gatemark.store.series import Series

SHARE_NAME: Final = "shaped_share"
ADDED: Final = "shaped_added_ns"
MOST: Final = "shaped_most_ns"
CAME: Final = "shaped_bps"
MS_NS: Final = 1e6
START, END = "start_ns", "end_ns"  # of the time that is judged
WORST: Final = {SHARE_NAME: min, CAME: min, ADDED: max, MOST: min, START: max, END: min}
PTM: Final = 65 / 64  # of its payload (IEEE 802.3, 61.3)


def completed(record: Record, spec: TrialSpec, columns: Series) -> Record:
    """The record with what came through the shaper; invalid where the flow was too short for it."""
    if record.status != "ok":
        return record
    seen = dict(_seen(record, spec, columns))
    if ADDED not in seen or CAME not in seen:
        reason = (
            "too few packets came of the flow beside the uploads, or none of these: "
            "longer trials, or a flow of more packets, tell its delay"
        )
        return replace(record, status="invalid", reason=reason)
    # As the trial read them, but over the time that is judged.
    cpu = tuple(outside(record, columns, seen.pop(START), seen.pop(END)))
    busy = {"cpu_busy": min(1.0, busiest(cpu))} if cpu else {}
    evidence = replace(record.evidence, cpu=cpu)
    return replace(record, values=record.values | seen | busy, evidence=evidence)


def answer(record: Record) -> Answer:
    """Of a record that was completed."""
    values, count = record.values, record.accounting
    assert count is not None
    return Answer(
        tried=count.tried,
        lost=count.lost,
        scheduled=0,
        offered_pps=0.0,
        received_pps=0.0,
        held=values[SHARE_NAME] >= SHARE and values[ADDED] <= values[MOST],
        came_mbit=values[CAME] / 1e6,
    )


def _seen(record: Record, spec: TrialSpec, columns: Series) -> Iterator[tuple[str, float]]:
    """Of the direction that is shaped and loaded; of both the worse."""
    asked = shaper(spec.arm)
    assert asked is not None
    loads = workloads(record, columns)
    rates = {"up": asked.up_bps, "down": asked.down_bps}
    ways = [dict(pairs) for way in WAYS if (pairs := _way(spec, asked, loads, way, rates[way]))]
    for name, worst in WORST.items():
        if ways and all(name in way for way in ways):
            yield name, worst(way[name] for way in ways)


def _way(
    spec: TrialSpec, asked: Shape, loads: list[Workload], way: str, bps: int
) -> Mapping[str, float]:
    sight = queues.sight("", way, loads, loads, {spec.trial: spec}) if bps else None
    if sight is None or not sight.seen.goodputs_bps:
        return {}
    payload = max(sight.seen.goodputs_bps)
    frame = counted_bytes(asked, payload + HEADERS_BYTES[spec.workload.family])
    share = line_share(sight.seen.goodputs_bps, bps, frame - payload)
    values = {
        SHARE_NAME: share,
        CAME: share * bps,
        START: min(sight.seen.load_ns[0] + SETTLE_NS, sight.seen.load_ns[1]),
        END: sight.seen.load_ns[1],
        MOST: max(ADDED_MS * MS_NS, FRAMES * frame * 8 * S_NS / bps),
    }
    added = trial.added_tail(sight.seen)
    return values if added is None else values | {ADDED: added[1]}


def counted_bytes(asked: Shape, frame_bytes: float) -> float:
    """What a frame without check sequence counts for, with the overhead that the shaper adds."""
    of_packet = asked.overhead_bytes
    over = 0 if of_packet is None else of_packet - ETHERNET_BYTES
    counted = line_bytes(frame_bytes, over, atm=asked.cells == "atm")
    return counted * PTM if asked.cells == "ptm" else counted


def rated(spec: TrialSpec, mbit: float) -> TrialSpec:
    """The trial with its shaper at a rate."""
    return replace(spec, arm=at_rate(spec.arm, mbit))
