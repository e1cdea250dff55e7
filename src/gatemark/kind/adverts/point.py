# SPDX-License-Identifier: Apache-2.0
"""Faults of a gateway's router advertisements: a host loses its router or prefix, or waits."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from gatemark.judge.fact import fact
from gatemark.judge.finding import Finding
from gatemark.judge.point.group import Group, middle, readings
from gatemark.judge.point.kind import by_share
from gatemark.kind.adverts.plan import KIND as RULES

KEPT: Final = 0.999  # of the time
# RFC 4861, section 6.2.6: half a second by chance, and three seconds from one advert to the next.
LATE_NS: Final = 3.5e9


def find(groups: Sequence[Group]) -> Iterator[Finding]:
    """Name adverts that do not last to the next one, and an answer that comes late."""
    kept = [middle(readings(group.outside, "ra_kept")) for group in groups]
    least = min((share for share in kept if share is not None), default=1.0)
    if least < KEPT:
        yield Finding(
            shape="adverts-end",
            fact=fact("ra.ends", share=1 - least),
            values={"share": 1 - least},
        )
    asked = [middle(readings(group.outside, "ra_asked_ns")) or 0.0 for group in groups]
    if (ns := max(asked, default=0.0)) > LATE_NS:
        yield Finding(
            shape="adverts-late",
            fact=fact("ra.late", ns=ns, limit=LATE_NS),
            values={"late_ns": ns},
        )


KIND: Final = replace(by_share(RULES), find=find)
