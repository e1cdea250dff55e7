# SPDX-License-Identifier: Apache-2.0
"""The path of a forwarded packet, counted and traced: the guest's own function_graph saw the same.

What only one of the two has must be of a class that is known beforehand, or the test fails.
"""

import asyncio
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from typing import cast

import pytest
from lab.planted import plan

from gatemark.plan.model import Arm, Workload
from gatemark.plan.order import order
from gatemark.probe import graph
from gatemark.probe.path import ENTRY, JUMP
from gatemark.probe.symbols import PARTS
from gatemark.run.bench import Bench
from gatemark.station.load import load
from gatemark.station.qemu import VirtualLab
from gatemark.station.recover import recover
from gatemark.station.wiring import wires
from gatemark.store.record import Call
from gatemark.workload import walk
from gatemark.workload.traced import SETTLED_S
from vm.conftest import Booted

ROUTE = Arm(path="route", name="rules", features=("conntrack", "filter:10"))
ONE = Workload(kind="walk", ordered=True, walks=60, frame_bytes=446)
TRIES = 5  # traces, until one has no tick of the clock in it
TICK = "update_process_times"
TRACING = "cat current_tracer tracing_on trace_options; grep -c tracefs /proc/mounts"
IN_TRACEFS = f"""
mount -t tracefs nodev /sys/kernel/tracing; cd /sys/kernel/tracing; {TRACING}
cd /; umount /sys/kernel/tracing"""


@pytest.fixture(scope="module")
def counted() -> Iterator[Booted]:
    if os.geteuid() != 0:
        pytest.skip("needs root: namespaces with their own CPU")
    recover()
    lab = cast(VirtualLab, load("qemu-x86"))
    lab.count()
    with asyncio.Runner() as runner:
        runner.run(lab.up())
        bench = Bench(lab)
        yield Booted(lab, bench, runner)
        runner.run(bench.__aexit__(None, None, None))


async def traced(gateway: Booted) -> tuple[Call, ...]:
    """What function_graph has of one packet, without a tick."""
    (spec, *_) = order([plan(ROUTE, ONE)], seed=1)
    await gateway.bench.prepare(ROUTE, spec.workload, 0)
    lab = gateway.lab
    one = await walk.walk(lab, spec, wires(lab.ports, ROUTE.path, spec.workload.direction))
    with ExitStack() as stack:
        step = one.stepper(stack)
        for number in range(TRIES):
            tracing = graph.Graph(lab.gateway.node)
            await tracing.on()
            await asyncio.sleep(SETTLED_S)
            assert await asyncio.to_thread(step, number)
            await asyncio.sleep(SETTLED_S)
            found = graph.packet(await tracing.off(), "up")
            if all(call.function != TICK for call in found):
                return found
    pytest.fail(f"a tick in each of {TRIES} traces")


@pytest.fixture(scope="module")
def both(counted: Booted) -> tuple[set[str], set[str]]:
    """Functions of the poll that takes the packet in: as counted, and as traced."""
    record = counted.measure(ROUTE, ONE)
    assert record.evidence.counted is not None
    ours = graph.cut(record.evidence.counted.path, "up")
    theirs = counted.run(traced(counted))
    return {call.function for call in ours}, {PARTS.sub("", call.function) for call in theirs}


def test_what_is_counted_and_traced_is_the_same(
    counted: Booted, both: tuple[set[str], set[str]]
) -> None:
    ours, theirs = both
    known = _places(counted.said("cat /proc/kallsyms"))
    traceable = _traceable(counted)
    untraced = {name: _why(name, theirs, known, traceable) for name in sorted(ours - theirs)}
    uncounted = {name: _why(name, ours, known, traceable) for name in sorted(theirs - ours)}
    told = f"{len(ours)} functions counted, {len(theirs)} traced, {len(ours & theirs)} by both"
    sys.stdout.write(f"{told}\ncounted alone: {untraced}\ntraced alone: {uncounted}\n")
    assert [name for name, why in (untraced | uncounted).items() if not why] == []
    assert len(ours & theirs) > 100


def test_both_have_the_packets_own_functions(both: tuple[set[str], set[str]]) -> None:
    for found in both:
        assert {"ip_rcv", "ip_forward", "nft_do_chain", "nf_conntrack_in"} <= found


def test_tracing_is_given_back_as_it_was(counted: Booted) -> None:
    before = counted.said(IN_TRACEFS)
    counted.run(traced(counted))
    assert counted.said(IN_TRACEFS) == before
    assert before.startswith("nop\n")


def test_tracing_ends_with_who_asked_for_it(counted: Booted) -> None:
    before = counted.said(IN_TRACEFS)

    async def cut() -> None:
        tracing = graph.Graph(counted.lab.gateway.node)
        await tracing.on()
        await tracing.abort()

    counted.run(cut())
    assert counted.said(IN_TRACEFS) == before


def _places(kallsyms: str) -> Mapping[str, set[str]]:
    """Function -> all names of its places."""
    at: dict[str, set[str]] = {}
    for line in kallsyms.splitlines():
        address, _, name = line.split()[:3]
        at.setdefault(address, set()).add(PARTS.sub("", name))
    found: dict[str, set[str]] = {}
    for names in at.values():
        for name in names:
            found.setdefault(name, set()).update(names)
    return found


def _traceable(gateway: Booted) -> set[str]:
    said = gateway.said(
        "mount -t tracefs nodev /sys/kernel/tracing; "
        "cat /sys/kernel/tracing/available_filter_functions; umount /sys/kernel/tracing"
    )
    return {PARTS.sub("", line.split()[0]) for line in said.splitlines() if line}


def _why(
    name: str, others: Iterable[str], known: Mapping[str, set[str]], traceable: set[str]
) -> str:
    """Why one of the two has a function alone; empty: nobody knows."""
    if known.get(name, set()) & {*others}:
        return "another name of the same place"
    if JUMP.fullmatch(name):
        return "a jump"
    if ENTRY.fullmatch(name):
        return "an entry of the kernel in assembly"
    if name not in traceable:
        return "not traceable: notrace, noinstr or assembly"
    return ""
