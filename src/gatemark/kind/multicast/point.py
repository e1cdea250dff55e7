# SPDX-License-Identifier: Apache-2.0
"""Groups as they are judged: by the share that came; one that stops, or never comes, is a fault."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import median
from typing import Final

from gatemark.judge.fact import Fact, fact
from gatemark.judge.finding import Finding
from gatemark.judge.point.group import Group, readings
from gatemark.judge.point.kind import by_share
from gatemark.kind.multicast.plan import KIND as RULES
from gatemark.store.record import Record

SILENT: Final = 2.0  # times as long as from a question to the next: nobody asks any more
SECOND_NS: Final = 1e9


def find(groups: Sequence[Group]) -> Iterator[Finding]:
    """Yield where groups stop in half of the trials, or never come."""
    for trials in groups:
        records = trials.outside
        for name, code in (("group_stopped", _stopped), ("group_never", _never)):
            faulty = [record for record in records if record.values.get(name, 0.0) > 0]
            if faulty and 2 * len(faulty) >= len(records):
                share = median(readings(faulty, name))
                yield Finding(shape="group", fact=code(faulty, share), values={"share": share})


def _never(faulty: list[Record], share: float) -> Fact:
    del faulty
    return fact("group.never", share=share)


def _stopped(faulty: list[Record], share: float) -> Fact:
    """Return why groups stop: nobody asks any more, another member left, or it is not known."""
    lasted_ns = median(readings(faulty, "group_lasted_ns"))
    every, silent = (readings(faulty, f"query_{name}_ns") for name in ("every", "silent"))
    words = {"share": share, "ns": lasted_ns}
    if not silent:
        return fact("group.unasked", **words)
    if every and median(silent) > SILENT * median(every):
        return fact("group.querier", **words, every=median(every), silent=median(silent))
    its = faulty[0].definition
    if its.clients > 1 and _is_middle(lasted_ns, SECOND_NS * its.duration_s):
        return fact("group.left", **words)
    return fact("group.forgotten", **words)


def _is_middle(lasted_ns: float, member_ns: float) -> bool:
    """Return whether it stopped as the neighbour left."""
    return abs(lasted_ns - member_ns / 2) < SECOND_NS / 2


KIND: Final = replace(by_share(RULES), find=find)
