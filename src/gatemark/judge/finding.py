# SPDX-License-Identifier: Apache-2.0
"""A fault of an arm, by name, with words and numbers.

It is found in the shape of what was lost (judge/shape), or named by a counter (judge/cause).
"""

from typing import Final, Literal

import msgspec

from gatemark.judge.fact import Fact
from gatemark.judge.subject import About

Shape = Literal[
    "tester",
    "nothing",
    "first-packets",
    "some-flows",
    "some-sizes",
    "one-direction",
    "one-family",
    "one-level",
    "over-time",
    "stalls",
    "triggered",
    "constant-share",
    "policer",
    "shaper",
    "limiter",
    "overload",
    "corruption",
    "exchange",
    "duplication",
    "reordering",
    "slow-flows",
    "waiting-packets",
    "not-monotone",
    "unexplained",
    "grows",
    "group",
    "changed-marks",
    "too-large",
    "full-table",
    "no-entry",
    "reverse-path",
    "not-forwarding",
    "martians",
    "no-route",
    "time-to-live",
    "checksum",
    "neighbour-table",
    "no-neighbour",
    "fragments",
    "headers",
    "discards",
    "ipsec",
    "invalid",
    "rule",
    "no-listener",
    "listen-queue",
    "socket-buffer",
    "send-buffer",
    "errors",
    "ring",
    "not-taken",
    "backlog",
    "ingress",
    "queue",
    "lookups-lost",
    "lookups-refused",
    "lookups-late",
    "not-leased",
    "not-renewed",
    "shared-lease",
    "late-leases",
    "adverts-end",
    "adverts-late",
    "prefix-gone",
    "prefix-not-renewed",
]

# That explain a part of the loss at any rate: a knee is judged without that part.
EXPLAINED: Final[tuple[Shape, ...]] = (
    "nothing",
    "first-packets",
    "some-flows",
    "some-sizes",
    "corruption",
    "exchange",
    "over-time",
    "stalls",
    "constant-share",
)
# That a counter names (judge/cause/table.py).
COUNTED: Final[tuple[Shape, ...]] = (
    *(
        "changed-marks",
        "too-large",
        "full-table",
        "no-entry",
        "reverse-path",
        "not-forwarding",
        "martians",
        "no-route",
    ),
    *("time-to-live", "checksum", "neighbour-table", "no-neighbour", "fragments", "headers"),
    *("discards", "ipsec", "invalid", "rule", "no-listener", "listen-queue", "socket-buffer"),
    *("send-buffer", "errors", "ring", "not-taken", "backlog", "ingress", "queue"),
)
# Of these, those of which no test packet was lost.
LOSSLESS: Final[tuple[Shape, ...]] = (
    *("changed-marks", "full-table", "listen-queue"),
    "send-buffer",
)


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One shape of loss."""

    shape: Shape
    fact: Fact  # what is seen; its words have a clause for what follows "it", too
    # What was measured of it: share (of packets or of time), rate_pps, burst_packets, queue_ms,
    # stall_ms, period_ms, flows, capacity_pps, ...
    values: dict[str, float] = {}


class Diagnosis(About, frozen=True, kw_only=True):
    """All shapes of one direction of an arm, over its rates; its point lacks the rate."""

    direction: str
    findings: tuple[Finding, ...]  # in the order in which they were found

    @property
    def wrong(self) -> tuple[Finding, ...]:
        """The faults: all but a full CPU at overload."""
        return tuple(finding for finding in self.findings if finding.shape != "overload")

    @property
    def counted(self) -> "Diagnosis":
        """The same with what counters name alone."""
        own = tuple(finding for finding in self.findings if finding.shape in COUNTED)
        return msgspec.structs.replace(self, findings=own)

    def get(self, *shapes: Shape) -> Finding | None:
        """The first finding of one of these shapes."""
        return next((finding for finding in self.findings if finding.shape in shapes), None)
