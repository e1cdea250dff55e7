# SPDX-License-Identifier: Apache-2.0
"""Where the lost packets went: of each setup, by the gateway's counters."""

from collections.abc import Iterable, Iterator

from gatemark.judge.shape.reconcile import Reconciled, grouped, name, reconciled, together
from gatemark.store.record import Record
from gatemark.tell.words import number
from gatemark.tell.words.table import Table

ANCHOR = "drops"
CAPTION = "Where the lost packets went"
MOST = 5  # causes of a setup; what is left is one row
FEW = 1e-4  # of what was lost: not worth a row

Part = tuple[str, str, int]  # stage, cause, packets


def table(records: Iterable[Record]) -> Table:
    """A row for each cause of each setup that lost more than the tolerance."""
    by_setup: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        if record.status == "ok":
            by_setup.setdefault((record.plan, record.arm), []).append(record)
    rows = []
    for (plan, arm), trials in by_setup.items():
        whole = together(filter(None, map(reconciled, _best(trials))))
        if whole and whole.lost > whole.tolerance:
            rows += [(plan, arm, *row) for row in _rows(whole)]
    head = ("plan", "setup", "stage", "cause", "packets", "of those lost")
    return Table(CAPTION, head, tuple(rows), frozenset({4}))


def _best(records: list[Record]) -> list[Record]:
    """The trials with the kernel's reasons, where there are any."""
    reasoned = [record for record in records if record.evidence.freed]
    return reasoned or [record for record in records if record.pass_ == "outside"]


def _rows(whole: Reconciled) -> Iterator[tuple[str, ...]]:
    for stage, cause, packets in _parts(whole):
        if abs(packets) > FEW * whole.lost:
            share = number.quantity(packets / whole.lost, "ratio")
            yield stage, cause, grouped(packets), share


def _parts(whole: Reconciled) -> Iterator[Part]:
    """Refused, the tester's, the largest causes, and what is left."""
    yield "port in", "refused to the sender: the gateway's queue was full", whole.refused
    yield "tester", "the sink's own", whole.own
    for drop in whole.by_cause[:MOST]:
        yield drop.stage, name(drop), drop.packets
    yield "several", "other causes", sum(drop.packets for drop in whole.by_cause[MOST:])
    if not whole.agrees:
        words = "in no counter" if whole.remains > 0 else "counted, but not lost"
        yield "none", words, whole.remains
