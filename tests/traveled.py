# SPDX-License-Identifier: Apache-2.0
"""A made-up run of paths: one packet through a kernel of a dozen functions, with netfilter or not.

The walk begins and ends in idle. What conntrack adds is known, and so is what a larger packet does.
"""

from collections.abc import Sequence
from pathlib import Path

import builder
from known import known
from msgspec.structs import replace

from gatemark.judge.judgement import Judgement
from gatemark.plan.model import PLAN_SCHEMA, Arm, Plan, Repeat, TrialSpec, Workload
from gatemark.store.naming import read
from gatemark.store.record import Call, Counted, Definition, Evidence, Record
from gatemark.store.run import Run
from gatemark.store.subsystem import Subsystem
from gatemark.tell.group.source import Source
from gatemark.tell.sentence.answer import answered

ROOT = Path(__file__).resolve().parents[1]
ARMS = (
    Arm(path="route", name="netfilter absent", features=("netfilter-absent",)),
    Arm(path="route", name="conntrack", features=("conntrack",)),
)
COPIED = {400: 40, 1450: 145}  # instructions of memcpy
SIZES = tuple(COPIED)


@known
def subsystems() -> tuple[Subsystem, ...]:
    return read(ROOT / "counter" / "subsystems.toml")


def path(payload: int, *, tracked: bool) -> tuple[Call, ...]:
    """Woken by an interrupt, received, forwarded, sent, and back to idle."""
    hooks = [Call("nf_hook_slow", 7, 12)] if tracked else []
    hooks += [Call("nf_conntrack_in", 8, 90), Call("__siphash_aligned", 9, 60)] if tracked else []
    zeroed = [Call("__bzero", 6, 10)] * 3
    return (
        Call("__r4k_wait", 0, 2),
        Call("handle_int", 1, 20),
        Call("plat_irq_dispatch", 2, 8),
        Call("pcnet32_interrupt", 3, 50),
        Call("__do_softirq", 2, 30),
        Call("net_rx_action", 3, 25),
        Call("pcnet32_poll", 4, 100),
        Call("__netdev_alloc_skb", 5, 35),
        *zeroed,
        Call("memcpy", 5, COPIED[payload]),
        Call("netif_receive_skb", 5, 20),
        Call("ip_rcv", 6, 60),
        *hooks,
        Call("ip_forward", 6, 45),
        Call("pcnet32_start_xmit", 7, 70),
        Call("made_up_thing", 7, 5),
        Call("do_idle", 0, 40),
        Call("ktime_get", 1, 15),
    )


def counted(payload: int, *, tracked: bool) -> Counted:
    calls = path(payload, tracked=tracked)
    functions: dict[str, tuple[int, int]] = {}
    for call in calls:
        instructions, times = functions.get(call.function, (0, 0))
        functions[call.function] = (instructions + call.instructions, times + 1)
    dearest = sorted(functions.items(), key=lambda item: (-item[1][0], item[0]))
    total = sum(call.instructions for call in calls)
    return Counted(
        walks=200,
        lost=0,
        modes={str(total): 180, str(total + 900): 20},
        functions=dict(dearest),
        path=calls,
        plugin="counter-1",
    )


def plan() -> Plan:
    return Plan(
        schema=PLAN_SCHEMA,
        name="counting/kernel-path",
        title="The path of one forwarded packet",
        why="Which functions a packet meets says where the time goes.",
        reading="Bars are instructions by subsystem.",
        arm=ARMS,
        workload=Workload(kind="walk", ordered=True),
        sweep={"payload_bytes": SIZES},
        repeat=Repeat(times=1),
        figure="path",
    )


def trials() -> list[Record]:
    return [
        record(arm, payload, counted(payload, tracked=arm.name == "conntrack"), place)
        for place, (payload, arm) in enumerate((size, arm) for size in SIZES for arm in ARMS)
    ]


def record(arm: Arm, payload: int, found: Counted, place: int = 0) -> Record:
    total = next(iter(found.modes), "")
    return Record(
        trial=f"{plan().name}/{arm.name}/{payload}/1/outside",
        plan=plan().name,
        arm=arm.name,
        point={"payload_bytes": payload},
        repeat=1,
        pass_="outside",  # noqa: S106
        sequence=place,
        status="ok",
        started="2026-11-22T10:00:00.000Z",
        definition=Definition(
            quantity="instructions",
            path=arm.path,
            features=arm.features,
            frame_bytes=payload + 46,
            rate_layer="instructions",
        ),
        values={"instructions": float(total), "mode_share": 0.9} if total else {},
        evidence=Evidence(counted=found),
    )


def run(records: Sequence[Record]) -> Run:
    specs = tuple(
        TrialSpec(
            trial=record.trial,
            plan=record.plan,
            arm=next(arm for arm in ARMS if arm.name == record.arm),
            gateway=plan().gateway,
            workload=plan().workload,
            point=record.point,
            repeat=1,
            pass_="outside",  # noqa: S106
            sequence=record.sequence,
        )
        for record in records
    )
    made = builder.run()
    return replace(
        made,
        run="20261122-100000-counting",
        suite="counting",
        title="Counted",
        command=("gatemark", "run", "counting", "--station", "qemu-mips", "--seed", "1"),
        station=replace(made.station, name="qemu-mips", kind="qemu"),
        plans=(plan(),),
        trials=specs,
    )


def judgement(records: Sequence[Record] | None = None) -> Judgement:
    return _judgement() if records is None else _judged(records)


@known
def _judgement() -> Judgement:
    return _judged(trials())


def _judged(records: Sequence[Record]) -> Judgement:
    return answered(run(records), records, subsystems())


@known
def source() -> Source:
    return Source(run=run(trials()), records=trials(), judgement=judgement())
