# SPDX-License-Identifier: Apache-2.0
"""A fault of an arm, by name, with words and numbers.

It is found in the shape of what was lost (judge/shape), or named by a counter (judge/cause).
"""

from typing import Final, Literal

import msgspec

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
]

# In words, for heads of tables and for what changed.
NAMES: Final[dict[Shape, str]] = {
    "tester": "the tester's own fault",
    "nothing": "nothing comes through",
    "first-packets": "first packets are lost",
    "some-flows": "some flows lose",
    "some-sizes": "some sizes are lost",
    "one-direction": "one direction is worse",
    "one-family": "one address family is worse",
    "one-level": "one kind of traffic is worse",
    "over-time": "loss that begins or ends during the trial",
    "stalls": "it stands still at times",
    "triggered": "loss that a rate triggers",
    "constant-share": "a constant share is lost",
    "policer": "a policer",
    "shaper": "a shaper",
    "limiter": "a rate limit",
    "overload": "overload",
    "corruption": "corrupted packets",
    "exchange": "packets with the content of others",
    "duplication": "duplicated packets",
    "reordering": "reordered packets",
    "slow-flows": "some flows are slow",
    "waiting-packets": "some packets wait",
    "not-monotone": "not monotone",
    "unexplained": "loss without explanation",
    "changed-marks": "changed marks",
    "too-large": "packets that are too large",
    "full-table": "a full connection table",
    "no-entry": "connections without an entry",
    "reverse-path": "the reverse path filter",
    "not-forwarding": "a gateway that does not forward",
    "martians": "addresses that may not be there",
    "no-route": "no route",
    "time-to-live": "the time to live",
    "checksum": "wrong checksums",
    "neighbour-table": "a full neighbour table",
    "no-neighbour": "no MAC address",
    "fragments": "fragments that make no packet",
    "headers": "headers that are not taken",
    "discards": "discards of the IP layer",
    "ipsec": "IPsec that drops",
    "invalid": "packets of no connection",
    "rule": "a rule that drops",
    "no-listener": "ports that nobody listens at",
    "listen-queue": "a full listen queue",
    "socket-buffer": "a full socket buffer",
    "send-buffer": "a full buffer of a sender",
    "errors": "errors of a port",
    "ring": "a full ring of a port",
    "not-taken": "packets that nobody takes",
    "backlog": "a full backlog of a CPU",
    "ingress": "drops by a filter of a port",
    "queue": "a full queue of a port",
}

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
