# SPDX-License-Identifier: Apache-2.0
"""Probe `conntrack`: how full the table of connections was, and what it refused."""

from collections.abc import Sequence
from typing import Final

from gatemark.node.quoted import literal
from gatemark.probe.column import HEX, Row, Source
from gatemark.probe.probe import Outcome, Probe, Seen, Sent, twice

FILE: Final = "/proc/net/stat/nf_conntrack"
# How many entries the table may have.
MAX: Final = literal("cat /proc/sys/net/netfilter/nf_conntrack_max 2> /dev/null || true")
COUNTERS: Final = ("drop", "early_drop", "insert_failed", "chainlength")  # the last since 5.15


def rows(lines: Sequence[str]) -> Row:
    """A head, and a row in hex for each CPU; each of them has the same number of entries."""
    head, *rest = [line.split() for line in lines]
    cpus = [dict(zip(head, (int(word, 16) for word in row), strict=False)) for row in rest]
    sums = {name: sum(cpu.get(name, 0) for cpu in cpus) for name in COUNTERS}
    return {"": {"entries": cpus[0]["entries"] if cpus else 0, **sums}}


def outcome(seen: Seen, sent: Sent) -> Outcome:
    """The most entries, and how often the table dropped or did not insert."""
    del sent
    if (read := seen.columns("conntrack")) is None:
        return Outcome()
    columns, over = read
    risen = {name: int(over.change(columns[name])) for name in COUNTERS}
    _, most = seen.own.get("conntrack", ("", ""))
    known = {"max": int(most)} if most.strip() else {}
    return Outcome(evidence={"conntrack": {"entries": max(columns["entries"]), **risen, **known}})


PROBE: Final = Probe(
    outcome, column=Source("conntrack", FILE, f"^entries|{HEX}", rows), watcher=twice(MAX)
)
