# SPDX-License-Identifier: Apache-2.0
"""Packets of one flow, one way: when each was sent, which came, and the longest time without."""

from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from gatemark.workload.hand import NUMBERS

LAST_S: Final = 0.5  # a stream of which nothing came for so long at its end did not come back


@dataclass(slots=True)
class Stream:
    """One flow, one way."""

    at: int  # its place among the streams
    sent_ns: list[int] = field(default_factory=list)
    came: set[int] = field(default_factory=set)

    def next(self, at_ns: int) -> int:
        """Note a packet that is sent now; return its number."""
        self.sent_ns.append(at_ns)
        return self.at * NUMBERS + len(self.sent_ns) - 1

    def gap_ns(self, end_ns: int) -> int:
        """The longest time from a packet that did not come to the next one that did, or to the end.

        0: all came.
        """
        longest, since = 0, 0
        for came, group in groupby(range(len(self.sent_ns)), lambda at: at in self.came):
            numbers = list(group)
            if came and since:
                longest, since = max(longest, self.sent_ns[numbers[0]] - since), 0
            elif not came:
                since = self.sent_ns[numbers[0]]
        return max(longest, end_ns - since) if since else longest

    def has_died(self, end_ns: int) -> bool:
        """Return whether nothing came of what was sent at its end."""
        last = [at for at, ns in enumerate(self.sent_ns) if ns > end_ns - LAST_S * 1e9]
        return bool(last) and not self.came & {*last}
