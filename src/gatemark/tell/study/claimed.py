# SPDX-License-Identifier: Apache-2.0
"""What a study claims in words, tested on runs of ours."""

from collections import Counter
from collections.abc import Collection, Sequence

from gatemark.judge.change.claim import NAMES
from gatemark.judge.change.claim import claims as of_run
from gatemark.judge.change.cmp import clock_of
from gatemark.judge.coverage.boxes import Side, claimed
from gatemark.judge.study import blocks
from gatemark.judge.study.blocks import Claim
from gatemark.store.study.outline import Part
from gatemark.tell.group.source import Source
from gatemark.tell.study.matter import Gateway
from gatemark.tell.words import number, traffic
from gatemark.tell.words.number import PERCENT
from gatemark.tell.words.table import NONE, Table


def claims(source: Source, part: Part) -> Table:
    """Each claim at each setup of a run."""
    rows = tuple(
        (
            claim.claim,
            f"{claim.plan}: {claim.arm}",
            f"{traffic.way(claim.direction)}, {traffic.protocol(claim.between)}",
            f"{number.interval(claim.change, PERCENT)} %",
            _here(claim),
        )
        for claim in _tested(source)
        if claim.plan in part.plans
    )
    head = ("claim", "setup", "traffic", "change", "here")
    whose = f"{source.label}: " if source.label else ""
    return Table(f"{whose}what the study claims, tested", head, rows, frozenset())


def of_boxes(gateways: Sequence[Gateway], part: Part) -> Table:
    """What the study claims of several boxes: of their clocks."""
    sides = [
        Side(
            gateway.label,
            clock_of(gateway.sources[0].run),
            [p for s in gateway.sources for p in s.judgement.points if p.plan in part.plans],
        )
        for gateway in gateways
    ]
    rows = tuple(
        (row.claim, row.between, number.quantity(row.rate, "times"), row.beside, row.holds)
        for row in claimed(sides)
    )
    head = ("claim", "gateways", "payload, the median of all points", "beside", "here")
    return Table("What the study claims of several boxes, tested", head, rows, frozenset())


def verdicts(gateway: Gateway, name: str, plans: Collection[str]) -> str:
    """How often a claim holds at setups of ours."""
    every = (claim for source in gateway.sources for claim in _tested(source))
    own = [c for c in every if c.claim in NAMES[name] and c.plan in plans]
    counts = Counter(map(_here, own))
    return "; ".join(f"{word} in {n} of {len(own)}" for word, n in counts.items()) or NONE


def _here(claim: Claim) -> str:
    """The verdict, and why there is none."""
    return f"{claim.holds} ({claim.why})" if claim.why else claim.holds


def _tested(source: Source) -> list[Claim]:
    """Each claim at each setup of a run."""
    judgement = source.judgement
    return [*of_run(source.records, judgement.points), *blocks.claims(judgement.travels)]
