# SPDX-License-Identifier: Apache-2.0
"""A made-up run of `counting/estimate`: known events for a packet, the same in every trial.

The plan, the judgements and the whole run are built once, and frozen.
"""

from collections.abc import Sequence
from functools import cache
from typing import Final

import builder
from frozen import frozen
from msgspec.structs import replace

from gatemark.judge.judgement import Judgement
from gatemark.plan.load import load
from gatemark.plan.model import Plan
from gatemark.store.record import Definition, Record
from gatemark.store.run import Run
from gatemark.tell.group.source import Source
from gatemark.tell.sentence.answer import answered

# By arm: instructions; then of the two larger boards' caches and of the smaller one's: fetch, load
# and store misses, write-backs.
EVENTS: Final[dict[str, tuple[int, tuple[int, ...], tuple[int, ...]]]] = {
    "route": (7056, (67, 36, 77, 90), (953, 107, 165, 196)),
    "route + conntrack": (11_525, (165, 88, 79, 95), (1757, 252, 175, 216)),
    "masquerade": (13_076, (314, 94, 79, 97), (2141, 280, 180, 227)),
    "route + filter:100": (24_166, (101, 95, 80, 99), (1236, 787, 202, 273)),
}
NAMES: Final = ("fetch_misses", "load_misses", "store_misses", "write_backs")
# What waits in the pipeline; none in the devices below, so that the sums are those of two lines.
STEADY: Final = {
    "load_cycles": (0.0, 0.0, 0.0),
    "branch_cycles": (0.0, 0.0, 0.0),
    "multiply_cycles": (0.0, 0.0, 0.0),
    "divide_cycles": (0.0, 0.0, 0.0),
}


@cache
def plan(*, steady: bool = False) -> Plan:
    """The shipped one; `steady`: of devices that wait for their memory alone."""
    (found,) = load("counting/estimate")[1]
    devices = found.gateway.devices
    if steady:
        devices = tuple(replace(device, **STEADY) for device in devices)
    return frozen(replace(found, gateway=replace(found.gateway, devices=devices)))


def events(arm: str, device: str) -> dict[str, float]:
    """For a packet."""
    instructions, large, small = EVENTS[arm]
    missed = zip(NAMES, small if device == "BCM5352" else large, strict=True)
    own = {"instructions": instructions, "blocks": 1300, "loads": 1700, "stores": 900}
    other = {"multiplies": 20, "divides": 1, "uncached": 12}
    return {name: float(n) for name, n in (own | other | dict(missed)).items()}


def trials(made: Plan, repeats: int = 6) -> list[Record]:
    """Each point in so many repeats."""
    return [
        _trial(made, at, repeat) for repeat in range(1, repeats + 1) for at in range(len(made.arm))
    ]


def _trial(made: Plan, at: int, repeat: int) -> Record:
    arm = made.arm[at]
    definition = Definition(
        quantity="instructions under load",
        path=arm.path,
        features=arm.features,
        frame_bytes=1496,
        rate_layer="instructions",
        duration_s=4.0,
    )
    seen = {one.name: events(arm.name, one.name) for one in made.gateway.devices}
    values = builder.rates(6000, 1700, 1496)
    values |= {"instructions_under_load": float(EVENTS[arm.name][0])}
    record = builder.record(made.name, arm.name, {}, definition, repeat, values)
    record = builder.renumbered(record, repeat * len(made.arm) + at)
    return replace(record, evidence=replace(record.evidence, modelled=seen))


def run(made: Plan, records: Sequence[Record]) -> Run:
    return replace(
        builder.run(),
        run="20261122-130000-estimate",
        suite="counting/estimate",
        title=made.title,
        command=("gatemark", "run", "counting/estimate", "--station", "qemu-mips"),
        plans=(made,),
        trials=tuple(builder.spec([made], record) for record in records),
        before={"gateway": {"kernel": "6.1.0-test"}},
        notes=(),
    )


def judgement(*, steady: bool = False) -> Judgement:
    return _whole(steady).judgement


def source() -> Source:
    """The run as a page needs it."""
    return _whole(steady=False)


@cache
def _whole(steady: bool) -> Source:
    made = plan(steady=steady)
    found = trials(made)
    whole = run(made, found)
    return frozen(Source(run=whole, records=found, judgement=answered(whole, found)))
