# SPDX-License-Identifier: Apache-2.0
"""What a study claims in words, tested on runs of ours."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final

from gatemark.judge.change import claim
from gatemark.judge.change.cmp import clock_of
from gatemark.judge.coverage import boxes
from gatemark.judge.coverage.boxes import Side, claimed
from gatemark.judge.study import blocks
from gatemark.judge.study.blocks import Claim
from gatemark.store.study.outline import Part
from gatemark.tell.group.source import Source
from gatemark.tell.study.matter import Gateway
from gatemark.tell.words import number, traffic
from gatemark.tell.words.number import PERCENT
from gatemark.tell.words.table import NONE, Table

WORDS: Final = {
    claim.UDP_LESS: "UDP carries less payload than TCP, at the longest length",
    claim.IPV6_FASTER: "IPv6 is faster than IPv4, at the longest length",
    claim.RECEIVES_MORE: "a gateway receives more over TCP than it sends",
    claim.ENDPOINT_IPV6: "a gateway as an end carries more over IPv6 than over IPv4",
    claim.DIRECTIONS_ALIKE: "both directions carry the same",
    claim.BUFFER_IDLE: "a socket buffer of 256 KiB carries what a tuned one does",
    claim.SST_FASTER: "a shape shifting trie looks up faster than a tree bitmap",
    claim.D2FA_PATTERNS: "a delayed-input automaton is faster for patterns alone",
    claim.HFA_MIXED: "a hybrid automaton is faster for patterns and expressions together",
    claim.ACTIVE_MORE: "an active flow takes more memory than an idle one",
    claim.QUERY_FASTER: "a Bloom filter is asked faster than it is filled",
    blocks.LARGEST: "buffer handling is the largest block of a send",
    blocks.FIXED: "socket API, UDP and IP take the same at each size of a datagram",
    blocks.GROWING: "buffer handling and the driver take more for a larger datagram",
    boxes.CLOCK: "payload differs less than the clock does",
}
WHY: Final = {
    claim.LIMITED: "the tester was the bottleneck",
    claim.FEW: "too few repeats: three decide",
}


def claims(source: Source, part: Part) -> Table:
    """Each claim at each setup of a run."""
    rows = tuple(
        (
            WORDS[each.claim],
            f"{each.plan}: {each.arm}",
            f"{traffic.way(each.direction)}, {traffic.protocol(each.between)}",
            f"{number.interval(each.change, PERCENT)} %",
            _here(each),
        )
        for each in _tested(source)
        if each.plan in part.plans
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
        (WORDS[row.claim], row.between, number.quantity(row.rate, "times"), row.beside, row.holds)
        for row in claimed(sides)
    )
    head = ("claim", "gateways", "payload, the median of all points", "beside", "here")
    return Table("What the study claims of several boxes, tested", head, rows, frozenset())


def verdicts(gateway: Gateway, name: str, plans: Collection[str]) -> str:
    """How often a claim holds at setups of ours."""
    every = (each for source in gateway.sources for each in _tested(source))
    own = [c for c in every if c.claim in claim.NAMES[name] and c.plan in plans]
    counts = Counter(map(_here, own))
    return "; ".join(f"{word} in {n} of {len(own)}" for word, n in counts.items()) or NONE


def _here(tested: Claim) -> str:
    """The verdict, and why there is none."""
    return f"{tested.holds} ({WHY[tested.why]})" if tested.why else tested.holds


def _tested(source: Source) -> list[Claim]:
    """Each claim at each setup of a run."""
    judgement = source.judgement
    return [*claim.claims(source.records, judgement.points), *blocks.claims(judgement.travels)]
