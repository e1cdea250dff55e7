# SPDX-License-Identifier: Apache-2.0
"""Probe `interrupts`: which CPUs took the interrupts of each queue, which ones may, how many.

A gateway with a kernel of its own has values for each packet that came through: interrupts without
those of timers, NET_RX softirqs (each polls the ports once or oftener), and context switches.

A namespace reads those of this machine, which all its namespaces share. A virtual machine or a box
has its own. Formats: show_interrupts() in kernel/irq/proc.c, fs/proc/softirqs.c,
fs/proc/stat.c.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from gatemark.node.quoted import literal
from gatemark.node.reader import reader
from gatemark.probe.probe import Outcome, Probe, Seen, Sent, twice

AFFINITY: Final = "/proc/irq/*/smp_affinity_list /proc/irq/*/effective_affinity_list"  # since 4.15
READ: Final = literal(
    "cat /proc/interrupts; echo; cat /proc/softirqs; echo; grep ^ctxt /proc/stat; echo; "
    f"grep -Hs . {AFFINITY} || true"
)

Counts = dict[str, int]  # by CPU
Table = dict[str, tuple[Counts, str]]  # row -> its counts, and what stands behind them
TIMER: Final = "timer"  # in what stands behind an interrupt that no packet raises


class Reading(NamedTuple):
    """A reading at a time."""

    interrupts: Table
    softirqs: Table
    switches: int  # context switches since the kernel started
    affinity: dict[str, str]  # the CPUs of each interrupt: effective ones where they are known


def table(text: str) -> Table:
    """A head that names CPUs, and a row for each interrupt; some have one count for all CPUs."""
    head, *lines = text.splitlines()
    cpus = [name.removeprefix("CPU") for name in head.split()]
    rows: Table = {}
    for name, _, rest in (line.partition(":") for line in lines):
        words = rest.split()
        counts = {cpu: int(word) for cpu, word in zip(cpus, words, strict=False)}
        rows[name.strip()] = counts, " ".join(words[len(cpus) :])
    return rows


@reader("its interrupts")
def parse(text: str) -> Reading:
    """One reading."""
    interrupts, softirqs, switches, rest = text.split("\n\n", 3)
    files = (line.split(":", 1) for line in rest.splitlines())
    affinity = {file.split("/")[3]: cpus for file, cpus in files}
    return Reading(table(interrupts), table(softirqs), int(switches.split()[1]), affinity)


def rise(row: str, before: Table, after: Table) -> Counts:
    """The rise of a row on each CPU; nothing if it did not rise."""
    old, new = before.get(row, after[row])[0], after[row][0]
    risen = {cpu: count - old.get(cpu, count) for cpu, count in new.items()}
    return risen if any(risen.values()) else {}


def outcome(seen: Seen, sent: Sent) -> Outcome:
    """The rises; and, of a gateway whose kernel is its own, values."""
    before, after = seen.own["interrupts"]
    irq = {
        row: {"name": name, "cpus": cpus, "affinity": after.affinity.get(row, "")}
        for row, (_, name) in after.interrupts.items()
        if (cpus := rise(row, before.interrupts, after.interrupts))
    }
    softirq = {row: rise(row, before.softirqs, after.softirqs) for row in ("NET_RX", "NET_TX")}
    of = "the gateway" if sent.own is None else "this machine, which all its namespaces share"
    evidence = {"interrupts": {"of": of, "irq": irq, "softirq": softirq}}
    if sent.own is not None:
        return Outcome({}, evidence)
    values = _shares(list(softirq["NET_RX"].values()))
    if sent.accounting and sent.accounting.unique:
        raised = [
            sum(queue["cpus"].values())
            for row, queue in irq.items()
            if row.isdigit() and TIMER not in queue["name"]
        ]
        totals = {
            "per_packet": sum(raised),
            "polls": sum(softirq["NET_RX"].values()),
            "switches": after.switches - before.switches,
        }
        packets = sent.accounting.unique
        values |= {f"interrupts.{name}_ratio": n / packets for name, n in totals.items()}
    return Outcome(values, evidence)


def _shares(received: Sequence[int]) -> dict[str, float]:
    """The share of the busiest CPU in NET_RX."""
    return {"interrupts.busiest_share": max(received) / sum(received)} if received else {}


PROBE: Final = Probe(outcome, watcher=twice(READ, parse), last=True)
