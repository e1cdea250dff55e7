# SPDX-License-Identifier: Apache-2.0
"""Counters that name no cause by themselves, and why not."""

from collections.abc import Mapping
from typing import Final

from gatemark.judge.cause.table import EXPIRED

TESTERS: Final = "the tester's own (the shape `tester`, the bottleneck)"
SHAPED: Final = "named by the shape of what was lost"
READ: Final = "what is there or passed: nothing was dropped for it"
AGAIN: Final = "about packets that another counter has"
NO_CAUSE: Final[Mapping[str, str]] = {
    "icmp.Icmp.OutDestUnreachs": AGAIN,
    **dict.fromkeys(EXPIRED, AGAIN),
    "icmp.Icmp6OutDestUnreachs": AGAIN,
    "icmp.Icmp6OutPktTooBigs": AGAIN,
    "freed.*": "a reason without a counter: told by the table of what was dropped",
    "line.*": "the emulated line's own books (the bottleneck `line`)",
    "tester.*": TESTERS,
    "record.refused": "overload (the shape of that name, the bottleneck `cpu`)",
    "record.lost": SHAPED,
    "record.duplicated": SHAPED,
    "record.reordered": SHAPED,
    "record.corrupt": SHAPED,
    "record.stale": TESTERS,
    "record.foreign": TESTERS,
    "record.altered": TESTERS,
    "record.beyond": TESTERS,
    "record.strange": TESTERS,
    "record.ring_dropped": TESTERS,
    "record.mismatch": "a trial whose counters contradict each other is invalid",
    "record.interfaces": "of the tester's ports: they check the accounting",
    "record.scheduled": READ,
    "record.tried": READ,
    "record.unique": READ,
    "record.conntrack.entries": READ,
    "record.conntrack.max": READ,
    "record.conntrack.chainlength": "a long chain takes time, which the CPU shows",
    "record.softnet.dropped": AGAIN,
    "record.softnet.squeezed": "work that was put off, and done",
    "record.qdisc.drops": AGAIN,
    "record.qdisc.overlimits": "packets that waited, as a shaper has them do",
    "record.qdisc.requeues": "packets that waited for a port",
    "record.retransmits": "TCP looks for its rate by losing packets",
    "record.offload": READ,
    "record.programs": "a program's own counters (the captured share)",
}
