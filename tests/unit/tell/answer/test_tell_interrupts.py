# SPDX-License-Identifier: Apache-2.0
"""Interrupts in print: a row for each queue, the CPU that took most of them."""

import builder
from msgspec.structs import replace

from gatemark.store.record import Evidence, Record
from gatemark.tell.answer.trials import interrupts
from gatemark.tell.group.together import together


def probed(counts: dict[str, int], queue: str = "24") -> Record:
    reading = {"name": "IR-PCI-MSI eth0-rx-0", "cpus": counts, "affinity": "0-1"}
    evidence = Evidence(probes={"interrupts": {"irq": {queue: reading}}})
    return replace(builder.trials()[-1], evidence=evidence)


def test_a_queue_has_a_row_with_its_busiest_cpu() -> None:
    made = interrupts(
        [probed({"0": 10, "1": 50}), probed({"0": 20, "1": 20}), probed({"1": 3}, "25")]
    )
    queue, other = made.rows
    assert queue[1:] == ("24 IR-PCI-MSI eth0-rx-0", "100", "1", "70.0 %", "0-1")
    assert other[1:4] == ("25 IR-PCI-MSI eth0-rx-0", "3", "1")


def test_of_several_runs_each_counts_its_own() -> None:
    runs = [
        builder.source(records=[probed({"0": count})], label=label)
        for label, count in (("A", 10), ("B", 30))
    ]
    made = interrupts(together(runs).records)
    assert [(row[0][:2], row[2]) for row in made.rows] == [("A:", "10"), ("B:", "30")]


def test_without_the_probe_there_is_no_row() -> None:
    assert interrupts(builder.trials()).rows == ()
