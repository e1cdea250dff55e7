# SPDX-License-Identifier: Apache-2.0
"""What is found in the loss of an arm: shapes by name, each with its words and its numbers."""

from typing import Final, Literal

import msgspec

from gatemark.stats.subject import About

Shape = Literal[
    "tester",
    "first-packets",
    "some-flows",
    "some-sizes",
    "one-direction",
    "one-family",
    "stalls",
    "constant-share",
    "policer",
    "shaper",
    "limiter",
    "overload",
    "corruption",
    "duplication",
    "reordering",
    "not-monotone",
    "unexplained",
]

# In words, for heads of tables and for what changed.
NAMES: Final[dict[Shape, str]] = {
    "tester": "the tester's own fault",
    "first-packets": "first packets are lost",
    "some-flows": "some flows lose",
    "some-sizes": "some sizes are lost",
    "one-direction": "one direction loses",
    "one-family": "one address family loses",
    "stalls": "it stands still at times",
    "constant-share": "a constant share is lost",
    "policer": "a policer",
    "shaper": "a shaper",
    "limiter": "a rate limit",
    "overload": "overload",
    "corruption": "corrupted packets",
    "duplication": "duplicated packets",
    "reordering": "reordered packets",
    "not-monotone": "not monotone",
    "unexplained": "loss without explanation",
}

# That explain a part of the loss at any rate: a knee is judged without that part.
EXPLAINED: Final[tuple[Shape, ...]] = (
    "first-packets",
    "some-flows",
    "some-sizes",
    "corruption",
    "stalls",
    "constant-share",
)


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One shape of loss."""

    shape: Shape
    words: str  # a sentence or two: what is seen, with numbers; where to look
    clause: str  # the same in short, after "it": `loses 2.0 % at any rate`
    # What was measured of it: share (of packets or of time), rate_pps, burst_packets, queue_ms,
    # stall_ms, period_ms, flows, capacity_pps, ...
    values: dict[str, float] = {}


class Diagnosis(About, frozen=True, kw_only=True):
    """All shapes of one direction of an arm, over its rates; its point lacks the rate."""

    direction: str
    findings: tuple[Finding, ...]  # in the order in which they were found

    @property
    def wrong(self) -> tuple[Finding, ...]:
        """What is wrong: all but a full CPU at overload."""
        return tuple(finding for finding in self.findings if finding.shape != "overload")

    def get(self, *shapes: Shape) -> Finding | None:
        """The first finding of one of these shapes."""
        return next((finding for finding in self.findings if finding.shape in shapes), None)
