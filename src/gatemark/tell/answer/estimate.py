# SPDX-License-Identifier: Apache-2.0
"""Estimates of a packet's time in words and as a table, published cycles beside them."""

from collections.abc import Iterable

from gatemark.judge.judgement import Estimate, Judgement
from gatemark.judge.math.interval import Interval
from gatemark.judge.point.estimate import (
    FETCHES,
    FILLS,
    INSTRUCTIONS,
    PIPELINE,
    WRITE_BACKS,
    beside,
)
from gatemark.store.published import Published
from gatemark.store.run import Run
from gatemark.tell.group.each_run import by_run
from gatemark.tell.group.source import Source
from gatemark.tell.words import number, traffic
from gatemark.tell.words.number import KPPS, Scale
from gatemark.tell.words.table import NONE, Table

ANCHOR = "estimates"
KILO = Scale(1e3, "k cycles")
WARNING = "an ESTIMATE from counted instructions and modelled caches, not measured"
# Parts as a reader knows them.
PARTS = {
    INSTRUCTIONS: "instructions, 1 cycle each",
    PIPELINE: "loads, branches, multiplies",
    FETCHES: "instruction cache misses",
    FILLS: "data cache misses",
    WRITE_BACKS: "write-backs",
}
COUNTED = ("instructions", "fetch_misses", "load_misses", "store_misses", "write_backs")


def kernels(source: Source) -> str:
    """The emulated gateway's, whose instructions were counted; of each run that estimates."""
    runs = [run.run for run in by_run(source).values() if run.judgement.estimates]
    return ", ".join(dict.fromkeys(map(_kernel, runs))) or "not known"


def _kernel(run: Run) -> str:
    return str(run.before.get("gateway", {}).get("kernel", "")) or "not known"


def table(judgement: Judgement, published: Iterable[Published], counted: str) -> Table:
    """A row for each setup and device: events, cycles, the rate, what was published.

    `counted` is the kernel whose instructions they are.
    """
    known = tuple(published)
    rows = tuple(_row(estimate, known) for estimate in judgement.estimates)
    head = ("device", "setup", "instructions", "I misses", "D load", "D store", "write-backs")
    more = ("k cycles a packet", KPPS.unit, "published, k cycles", "its kernel")
    caption = f"Cycles of a packet, kernel {counted}: {WARNING}"
    return Table(caption, head + more, rows, frozenset(range(2, 10)))


def setups(estimates: Iterable[Estimate]) -> list[tuple[tuple[str, str], list[Estimate]]]:
    """The estimates of one plan and point together: what makes a figure."""
    groups: dict[tuple[str, str], list[Estimate]] = {}
    for estimate in estimates:
        groups.setdefault((estimate.plan, traffic.point(estimate.point)), []).append(estimate)
    return list(groups.items())


def finding(estimates: Iterable[Estimate]) -> str:
    """A figure's title: what the dearest setup spends most on, and that it is an estimate."""
    estimate = max(estimates, key=lambda each: each.cycles.value)
    name, dear = max(estimate.parts.items(), key=lambda item: item[1].value)
    share = number.quantity(dear.value / estimate.cycles.value, "ratio")
    return f"ESTIMATE: on {estimate.device.name}, {share} of {estimate.setup} is {PARTS[name]}"


def within(i: Interval) -> str:
    """With its bounds, which are no ± of a measurement: `18.2 (15.1 to 21.0)`."""
    value, lo, hi = (number.plain(x / KILO.factor, 1) for x in (i.value, i.lo, i.hi))
    return f"{value} ({lo} to {hi})"


def _row(estimate: Estimate, known: tuple[Published, ...]) -> tuple[str, ...]:
    beside_it = beside(estimate, known)
    rate = (number.plain(x / KPPS.factor, 1) for x in (estimate.rate_pps.lo, estimate.rate_pps.hi))
    reference = estimate.device.reference
    return (
        estimate.device.name,
        estimate.setup,
        *(number.plain(estimate.events[name], 0) for name in COUNTED),
        within(estimate.cycles),
        " to ".join(rate),
        number.plain(beside_it[1] / KILO.factor, 1) if beside_it else NONE,
        reference.kernel if beside_it and reference else NONE,
    )
