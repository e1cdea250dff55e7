# SPDX-License-Identifier: Apache-2.0
"""Probe `interrupts`: which CPUs took the interrupts of each queue, and which ones may.

A namespace reads those of this machine, which all its namespaces share. A virtual machine or a box
has its own. Formats: show_interrupts() in kernel/irq/proc.c, fs/proc/softirqs.c.
"""

from typing import Final

from gatemark.node.quoted import literal
from gatemark.node.reader import reader
from gatemark.probe.probe import Outcome, Probe, Seen, Sent, twice

AFFINITY: Final = "/proc/irq/*/smp_affinity_list /proc/irq/*/effective_affinity_list"  # since 4.15
READ: Final = literal(
    f"cat /proc/interrupts; echo; cat /proc/softirqs; echo; grep -Hs . {AFFINITY} || true"
)

Counts = dict[str, int]  # by CPU
Table = dict[str, tuple[Counts, str]]  # row -> its counts, and what stands behind them


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
def parse(text: str) -> tuple[Table, Table, dict[str, str]]:
    """Interrupts, softirqs, and the CPUs of each interrupt: effective ones where they are known."""
    interrupts, softirqs, rest = text.split("\n\n", 2)
    files = (line.split(":", 1) for line in rest.splitlines())
    return table(interrupts), table(softirqs), {file.split("/")[3]: cpus for file, cpus in files}


def rise(row: str, before: Table, after: Table) -> Counts:
    """By how much a row rose on each CPU; nothing if it did not."""
    old, new = before.get(row, after[row])[0], after[row][0]
    risen = {cpu: count - old.get(cpu, count) for cpu, count in new.items()}
    return risen if any(risen.values()) else {}


def outcome(seen: Seen, sent: Sent) -> Outcome:
    """The rises; of CPUs that are all the gateway's own, the share of the busiest in NET_RX."""
    (interrupts, softirqs, _), (after, softirqs_after, affinity) = seen.own["interrupts"]
    irq = {
        row: {"name": name, "cpus": cpus, "affinity": affinity.get(row, "")}
        for row, (_, name) in after.items()
        if (cpus := rise(row, interrupts, after))
    }
    softirq = {row: rise(row, softirqs, softirqs_after) for row in ("NET_RX", "NET_TX")}
    received = list(softirq["NET_RX"].values()) if sent.own is None else []
    share = {"interrupts.busiest_share": max(received) / sum(received)} if received else {}
    of = "the gateway" if sent.own is None else "this machine, which all its namespaces share"
    return Outcome(share, {"interrupts": {"of": of, "irq": irq, "softirq": softirq}})


PROBE: Final = Probe(outcome, watcher=twice(READ, parse), last=True)
