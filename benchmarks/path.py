# SPDX-License-Identifier: Apache-2.0
"""The path of a forwarded packet, counted and traced: does the guest's own tracer see the same?

One packet passes connection tracking and ten rules of the x86-64 virtual gateway. Compared are the
functions of the poll that receives it: by the plugin's blocks, and by the guest's function_graph. A
function that only one of the two has must be of a known class. Exit code 1: a function remains
unexplained, or tracing was not restored.
"""

import argparse
import asyncio
import json
import re
import sys
from collections.abc import Mapping, Sequence, Set
from contextlib import ExitStack
from typing import Any, cast

from msgspec.structs import replace

from benchmarks.compare import progress
from gatemark.kind.walk import load as walk
from gatemark.kind.walk.traced import SETTLED_S
from gatemark.plan.model import Arm, Plan, Probe, Repeat, TrialSpec, Workload
from gatemark.plan.order import order
from gatemark.probe import graph
from gatemark.probe.path import ENTRY, JUMP
from gatemark.run import trial
from gatemark.run.bench import Bench
from gatemark.station import lock
from gatemark.station.load import load
from gatemark.station.qemu.lab import VirtualLab
from gatemark.station.recover import recover
from gatemark.station.symbols import PARTS
from gatemark.station.wiring import wires
from gatemark.store.record import Call

ARM = Arm(path="route", name="rules", features=("conntrack", "filter:10"))
ONE = Workload(kind="walk", ordered=True, walks=60, frame_bytes=446)
TRIES = 5  # traces, until one has no tick of the clock
TICK = "update_process_times"
# Interrupts that came while the packet was processed, and what they ran.
MEANWHILE = re.compile(r"(__)?common_interrupt|irq_(enter|exit)_rcu|__sysvec_\w+|asm_\w+")
STATE = "cat current_tracer tracing_on trace_options"
IN_TRACEFS = "mount -t tracefs nodev /sys/kernel/tracing; cd /sys/kernel/tracing; {}; cd /; "
IN_TRACEFS += "umount /sys/kernel/tracing"

Differences = dict[str, Any]  # see `compared`


def main() -> None:
    """Measure, print and judge."""
    parser = argparse.ArgumentParser(prog="benchmarks.path", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args()
    recover()
    differences = asyncio.run(_measured())
    if options.json:
        sys.stdout.write(json.dumps(differences) + "\n")
    else:
        _show(differences)
    unexplained = [
        *differences["counted alone"].get("", ()),
        *differences["traced alone"].get("", ()),
    ]
    sys.exit(bool(unexplained) or not differences["given back"])


def _show(differences: Differences) -> None:
    sys.stdout.write(
        f"{differences['counted']} functions counted, {differences['traced']} traced, "
        f"{differences['both']} by both\n"
    )
    for side in ("counted alone", "traced alone"):
        for why, names in differences[side].items():
            sys.stdout.write(f"{side}, {why or 'UNEXPLAINED'}: {', '.join(names)}\n")
    sys.stdout.write(f"tracing given back as it was: {differences['given back']}\n")


async def _measured() -> Differences:
    lab = cast(VirtualLab, load("qemu-x86"))
    lab.count()
    progress("booting x86-64")
    async with Bench(lab) as bench:
        (spec, *_) = order([_plan()], seed=1)
        progress("counting")
        with lock.machine(progress):
            record, _ = await trial.run(bench, spec, lambda *_: None)
            if record.evidence.counted is None:
                raise RuntimeError(record.reason)
            before = await _output(lab, IN_TRACEFS.format(STATE))
            progress("tracing")
            theirs = await _traced(lab, spec)
            after = await _output(lab, IN_TRACEFS.format(STATE))
        listed = await _output(lab, IN_TRACEFS.format("cat available_filter_functions"))
        kallsyms = await _output(lab, "cat /proc/kallsyms")
    progress("")
    ours = graph.cut(record.evidence.counted.path, "up")
    theirs = tuple(replace(call, function=PARTS.sub("", call.function)) for call in theirs)
    traceable = {PARTS.sub("", line.split()[0]) for line in listed.splitlines() if line}
    return compared(ours, theirs, places(kallsyms), traceable) | {"given back": before == after}


def compared(
    ours: Sequence[Call],
    theirs: Sequence[Call],
    known: Mapping[str, set[str]],
    traceable: Set[str],
) -> Differences:
    """Functions of both, and those of only one by reason; "" has those without a reason."""
    counted, traced = ({call.function for call in calls} for calls in (ours, theirs))
    untraced: dict[str, list[str]] = {}
    for name in sorted(counted - traced):
        why = _why(name, traced, known, _meanwhile(ours)) or _untraceable(name, traceable)
        untraced.setdefault(why, []).append(name)
    uncounted: dict[str, list[str]] = {}
    for name in sorted(traced - counted):
        why = _why(name, counted, known, _meanwhile(theirs))
        uncounted.setdefault(why, []).append(name)
    return {
        "counted": len(counted),
        "traced": len(traced),
        "both": len(counted & traced),
        "counted alone": untraced,
        "traced alone": uncounted,
    }


def places(kallsyms: str) -> Mapping[str, set[str]]:
    """Function -> all names of its addresses."""
    at: dict[str, set[str]] = {}
    for line in kallsyms.splitlines():
        address, _, name = line.split()[:3]
        at.setdefault(address, set()).add(PARTS.sub("", name))
    aliases: dict[str, set[str]] = {}
    for names in at.values():
        for name in names:
            aliases.setdefault(name, set()).update(names)
    return aliases


def _meanwhile(calls: Sequence[Call]) -> set[str]:
    """Functions that ran only in interrupts that came meanwhile."""
    inside: set[str] = set()
    outside: set[str] = set()
    depth: int | None = None
    for call in calls:
        if depth is not None and call.depth <= depth:
            depth = None
        if depth is None and MEANWHILE.fullmatch(call.function):
            depth = call.depth
        (outside if depth is None else inside).add(call.function)
    return inside - outside


def _why(name: str, others: Set[str], known: Mapping[str, set[str]], aside: Set[str]) -> str:
    """The reason why only one of the two has a function; empty: unknown."""
    if known.get(name, set()) & others:
        return "another name of the same place"
    return "an interrupt that came meanwhile" if name in aside else ""


def _untraceable(name: str, traceable: Set[str]) -> str:
    """The reason why the tracer does not see a function that ran; empty: it should."""
    if JUMP.fullmatch(name):
        return "a jump"
    if ENTRY.fullmatch(name):
        return "assembly"
    return "" if name in traceable else "not traceable (notrace, noinstr, a section without it)"


async def _traced(lab: VirtualLab, spec: TrialSpec) -> tuple[Call, ...]:
    """The calls of one packet by function_graph, without a tick."""
    walker = await walk.walk(lab, spec, wires(lab.ports, ARM.path, spec.workload.direction))
    with ExitStack() as stack:
        step = walker.stepper(stack)
        for number in range(TRIES):
            tracing = graph.Graph(lab.gateway.node)
            await tracing.on()
            await asyncio.sleep(SETTLED_S)
            arrived = await asyncio.to_thread(step, number)
            await asyncio.sleep(SETTLED_S)
            calls = graph.packet(await tracing.off(), "up")
            if arrived and all(call.function != TICK for call in calls):
                return calls
    raise RuntimeError(f"a tick in each of {TRIES} traces")


async def _output(lab: VirtualLab, script: str) -> str:
    return await lab.gateway.run("sh", "-c", script)


def _plan() -> Plan:
    return Plan(
        schema="gatemark.plan/1",
        title="",
        why="",
        reading="",
        name="path/one",
        arm=(ARM,),
        workload=ONE,
        repeat=Repeat(times=1),
        probe=Probe(),
    )


if __name__ == "__main__":
    main()
