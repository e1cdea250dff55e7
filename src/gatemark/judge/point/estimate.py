# SPDX-License-Identifier: Apache-2.0
"""What a packet would take on a device: an ESTIMATE, from counted events and described hardware.

cycles = instructions
       + loads, branches, multiplies, divides x what each waits on average       (pipeline)
       + fetch misses x a line                                           (instruction cache)
       + load and store misses x a line                                         (data cache)
       + write-backs x a line                                                  (write-backs)

An interval is no statistical one: it spans what is not known of the device (`Device`, and what a
line costs, `lines`), and the spread of the trials. Events come from the emulator (probe/caches.py).
"""

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Final

from gatemark.judge.judgement import Estimate
from gatemark.judge.math.interval import Interval
from gatemark.judge.subject import Subject
from gatemark.plan.model import Device, Plan
from gatemark.store.published import Published
from gatemark.store.record import Record
from gatemark.unit import payload_bytes

INSTRUCTIONS: Final = "instructions"
PIPELINE: Final = "pipeline"
FETCHES: Final = "instruction cache"
FILLS: Final = "data cache"
WRITE_BACKS: Final = "write-backs"
WORD_BYTES: Final = 4  # that a load or a store of the core moves
MEGA: Final = 1e6

# What stands beside a setup of ours: experiment and parameter of reference/published.csv. There
# rules and NAT were taken away in both; a kernel that has netfilter then still tracks.
BESIDE: Final[dict[tuple[str, ...], tuple[str, str]]] = {
    (): ("ablate.netfilter.forward.udp.ramp", "peak_throughput"),
    ("conntrack",): ("forward.udp.ramp", "peak_throughput"),
}
PATH: Final = "route"

Bounds = tuple[float, float, float]  # least, likely, most


def estimates(plans: Sequence[Plan], records: Iterable[Record]) -> tuple[Estimate, ...]:
    """One for each device of each point, by device, in the order of the plan."""
    asked = {plan.name: plan for plan in plans if plan.gateway.devices}
    groups: dict[tuple[str, str, str], list[Record]] = {}
    for record in records:
        if record.plan in asked and record.status == "ok" and record.evidence.modelled:
            key = record.plan, str(sorted(record.point.items())), record.arm
            groups.setdefault(key, []).append(record)
    order = {p.name: [a.name or a.setup for a in p.arm] for p in asked.values()}
    keys = sorted(groups, key=lambda key: (key[0], key[1], order[key[0]].index(key[2])))
    return tuple(
        _estimate(device, groups[key])
        for plan in asked.values()
        for device in plan.gateway.devices
        for key in keys
        if key[0] == plan.name
    )


def lines(device: Device) -> list[tuple[float, float]]:
    """Cycles to fetch a line, and to write one back: the likely pair, then what else may be.

    STREAM's copy tells what two fetches and a write-back cost together, since it counts what it
    reads and what it writes. They may cost alike; or alike and without the time of the loop's own
    instructions, a load and a store for each word at least; or a write-back may cost nothing, as it
    waits in a buffer while the core goes on.
    """
    if device.line_cycles:
        least, likely, most = device.line_cycles
        return [(likely, likely), (least, least), (most, most)]
    line_bytes = device.data_cache.line_bytes
    copied = 2 * line_bytes * device.clock_mhz / device.stream_copy_mbps
    own = 2 * line_bytes / WORD_BYTES
    alone = max(0.0, copied - own) / 3
    return [(copied / 3, copied / 3), (alone, alone), (copied / 2, 0.0)]


def cycles(device: Device, events: Mapping[str, float]) -> dict[str, Bounds]:
    """Of a packet, by part; and all together under an empty name."""
    instructions = events[INSTRUCTIONS]
    pipeline = _pipeline(device, events)
    fetches, fills = events["fetch_misses"], events["load_misses"] + events["store_misses"]
    written = events["write_backs"]
    ways = lines(device)
    memory = [(fetches + fills) * fetch + written * back for fetch, back in ways]
    fetch, back = _spread([way[0] for way in ways]), _spread([way[1] for way in ways])
    whole = zip((instructions,) * 3, pipeline, _spread(memory), strict=True)
    return {
        INSTRUCTIONS: (instructions, instructions, instructions),
        PIPELINE: pipeline,
        FETCHES: _times(fetches, fetch),
        FILLS: _times(fills, fetch),
        WRITE_BACKS: _times(written, back),
        "": _three(sum(item) for item in whole),
    }


def _pipeline(device: Device, events: Mapping[str, float]) -> Bounds:
    waits = (
        (events["loads"], device.load_cycles),
        (events["blocks"], device.branch_cycles),  # nearly each ends with one
        (events["multiplies"], device.multiply_cycles),
        (events["divides"], device.divide_cycles),
    )
    return _three(sum(count * each[at] for count, each in waits) for at in range(3))


def _spread(values: Sequence[float]) -> Bounds:
    """The first is the likely one."""
    return min(values), values[0], max(values)


def _times(count: float, each: Bounds) -> Bounds:
    return _three(count * value for value in each)


def _three(values: Iterable[float]) -> Bounds:
    least, likely, most = values
    return least, likely, most


def _estimate(device: Device, records: Sequence[Record]) -> Estimate:
    first = records[0]
    events = [record.evidence.modelled[device.name] for record in records]
    made = [cycles(device, event) for event in events]
    parts = {name: _interval([item[name] for item in made]) for name in made[0]}
    whole = parts.pop("")
    second = device.clock_mhz * MEGA
    rate = Interval(second / whole.value, second / whole.hi, second / whole.lo, whole.n, 0.0)
    return Estimate(
        subject=Subject.of(first),
        device=device,
        events={name: median(event[name] for event in events) for name in events[0]},
        parts=parts,
        cycles=whole,
        rate_pps=rate,
    )


def _interval(results: Sequence[Bounds]) -> Interval:
    least, likely, most = zip(*results, strict=True)
    return Interval(median(likely), min(least), max(most), len(results), 0.0)


def beside(estimate: Estimate, published: Iterable[Published]) -> tuple[Published, float] | None:
    """What was published of the device with a like setup, and its cycles for a packet."""
    reference, definition = estimate.device.reference, estimate.definition
    key = BESIDE.get(definition.features) if definition.path == PATH else None
    if reference is None or key is None:
        return None
    for value in published:
        same = (value.device, value.experiment, value.parameter) == (reference.device, *key)
        if same and value.stated.get("frame_bytes") == definition.frame_bytes:
            bits = 8 * payload_bytes(definition.frame_bytes or 0, definition.family)
            return value, estimate.device.clock_mhz * MEGA * bits / value.value
    return None
