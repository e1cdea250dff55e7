# SPDX-License-Identifier: Apache-2.0
"""What a study gained by leaving something out, on runs of ours."""

from gatemark.plan.model import is_twin
from gatemark.report.group.source import Source
from gatemark.report.words import number, traffic
from gatemark.report.words.number import PERCENT
from gatemark.report.words.table import NONE, Table
from gatemark.stats.change import gain
from gatemark.store.study.outline import Part


def gains(source: Source, part: Part) -> Table:
    """Arms against the first of their plan: from what to what, by how much, in per cent."""
    rows: list[tuple[str, ...]] = []
    for comparison in source.judgement.comparisons:
        first = gain.base(source.judgement, comparison)
        if comparison.plan not in part.plans or is_twin(comparison.arm):
            continue
        if first is None or not first.value:
            continue
        at = traffic.point(comparison.point) if comparison.point else NONE
        about = f"{comparison.plan}: {comparison.arm}", comparison.baseline, at
        if comparison.at_least:
            rows.append((*about, NONE, NONE, NONE, "the tester was the bottleneck"))
            continue
        more = gain.absolute(comparison, first)
        to = number.scale([first.value], gain.unit(comparison))
        rows.append(
            (
                *about,
                f"{number.interval(first, to)} {to.unit}",
                f"{number.interval(more, to)} {to.unit}",
                f"{number.interval(comparison.change.change, PERCENT)} %",
                comparison.change.verdict,
            )
        )
    head = ("setup", "against", "at", "that has", "gain", "gain, relative", "verdict")
    whose = f"{source.label}: " if source.label else ""
    return Table(f"{whose}what is gained against the first setup", head, tuple(rows), frozenset())
