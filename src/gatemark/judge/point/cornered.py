# SPDX-License-Identifier: Apache-2.0
"""Warnings of paths that turn bad beside work and over time: busy CPUs, flow tables that age."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any, Final

from gatemark.judge.fact import fact
from gatemark.judge.judgement import Warning_
from gatemark.judge.point.warn import warning
from gatemark.store.record import CpuReading, Evidence, Record

FULL: Final = 0.8  # of a CPU: a queue that it serves waits
IDLE: Final = 0.5  # of another CPU, at most: it could have the queue
OTHERS: Final = 0.2  # of a CPU: work that is no packet's
MOST_OF_IT: Final = 0.9  # of a queue's interrupts
FEW: Final = 100  # interrupts say nothing
PACKETS: Final = ("softirq", "irq")  # modes of a CPU that are packets' work
TIMER: Final = "timer"
AGED, FORGOTTEN = ": aged", ": forgotten"  # at the end of a line of `Evidence.fastpath`


def busy_queue(instrumented: Sequence[Evidence]) -> Warning_ | None:
    """Warn of a queue whose interrupts go to a CPU that other work fills, beside an idle one."""
    for evidence in instrumented:
        cpus = {each.thread.removeprefix("cpu"): each for each in evidence.inside}
        for number, name, cpu in _queues(evidence.probes.get("interrupts", {})):
            idle = min((c for c in cpus if c != cpu), key=lambda c: cpus[c].busy, default="")
            if cpu not in cpus or not idle:
                continue
            busy, other = cpus[cpu].busy, _others(cpus[cpu])
            if busy >= FULL and other >= OTHERS and cpus[idle].busy <= IDLE:
                seen = fact(
                    "seen.busy-queue", queue=name, cpu=cpu, busy=busy, other=other, idle=idle
                )
                return warning("busy-queue", fact("advice.move", irq=number, cpu=idle), seen, other)
    return None


def _queues(interrupts: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield each interrupt of a device with the CPU that takes nearly all of it."""
    for number, row in interrupts.get("irq", {}).items():
        counts: Mapping[str, int] = row["cpus"]
        total = sum(counts.values())
        if not number.isdigit() or TIMER in row["name"] or total < FEW:
            continue
        cpu = max(counts, key=lambda each: counts[each])
        if counts[cpu] >= MOST_OF_IT * total:
            yield number, row["name"].split()[-1], cpu


def _others(cpu: CpuReading) -> float:
    """The share of a CPU that is no packet's work."""
    return max(0.0, cpu.busy - sum(cpu.modes.get(mode, 0.0) for mode in PACKETS))


def fell_out(records: Sequence[Record]) -> Warning_ | None:
    """Warn of connections that fell out of a flow table as they were silent."""
    names = _flows(records, AGED)
    ages = [r.values["fastpath_age_ns"] for r in records if "fastpath_age_ns" in r.values]
    if not names or not ages:
        return None
    again = median(record.values.get("fastpath_again", 0.0) for record in records)
    seen = fact("seen.fell-out", flows=", ".join(names), s=median(ages) / 1e9, again=again)
    return warning("fell-out", fact("advice.flow-timeout"), seen, len(names))


def forgotten(records: Sequence[Record]) -> Warning_ | None:
    """Warn of connections that the gateway forgot while they were open."""
    names = _flows(records, FORGOTTEN)
    if not names:
        return None
    kept = median(record.values.get("fastpath_slow_kept", 1.0) for record in records)
    dead = median(record.values.get("fastpath_idle_died", 0.0) for record in records)
    seen = fact("seen.forgotten", flows=", ".join(names), kept=kept, dead=dead)
    return warning("forgotten", fact("advice.remember"), seen, len(names))


def _flows(records: Sequence[Record], why: str) -> list[str]:
    """The flows that went so: slow UDP, idle TCP."""
    named = {
        at.partition(" s ")[2]
        for record in records
        for at, line in record.evidence.fastpath.items()
        if why in line
    }
    return sorted(named)
