# SPDX-License-Identifier: Apache-2.0
"""A trial whose record nobody should believe is tried once more; both records are kept.

Three reasons: another program had the gateway's CPU; the tester's own programs had too little of
theirs; or next to nothing came through while the gateway did next to nothing, unlike in the arm's
trials before.
"""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from statistics import median

from msgspec.structs import replace

from gatemark.error import TOO_SLOW, StationError
from gatemark.node import leftover
from gatemark.station import blocking
from gatemark.store.record import FIRST, Record
from gatemark.store.series import Series

IMPOSSIBLE_SHARE = 0.01  # of the arm's median received so far
IDLE_CPU = 0.05  # of the gateway's busiest CPU
MOST_LOST = 0.5  # of what was tried: a low rate that comes through is no wonder

Done = tuple[Record, Series]


@dataclass(frozen=True, slots=True)
class Attempts:
    """A trial's record with its series, the record before it, why the run cannot go on."""

    done: Done
    first: Record | None = None
    stop: str = ""


async def attempts(run: Callable[[], Awaitable[Done]], so_far: Iterable[Record]) -> Attempts:
    """Run a trial, and again if its record is not to be believed."""
    records = list(so_far)
    done = await run()
    why = _foreign(done[0]) or _slow(done[0], records) or impossible(done[0], records)
    if not why:
        return Attempts(done)
    await blocking.run(leftover.sweep)
    trial = done[0].trial + FIRST
    first = replace(done[0], trial=trial, status="invalid", reason=why)
    record, columns = await run()
    notes = [*record.notes, f"tried again: {why}"]
    if impossible(record, records):
        notes.append("the second attempt was the same, so it counts")
    stop = _foreign(record)
    return Attempts((replace(record, notes=tuple(notes)), columns), first, stop)


def require(attempts: Attempts) -> None:
    """Raise StationError where another has the gateway's CPU still."""
    if attempts.stop:
        raise StationError(f"{attempts.stop}, twice: end that program")


def impossible(record: Record, so_far: Iterable[Record]) -> str:
    """Why a trial's values cannot be, by those of its arm with the same definition; or nothing."""
    values, accounting = record.values, record.accounting
    if record.status != "ok" or not accounting or accounting.lost < MOST_LOST * accounting.tried:
        return ""
    received, cpu = values.get("received_pps"), values.get("cpu_busy")
    if received is None or cpu is None or cpu >= IDLE_CPU:
        return ""
    before = [
        other.values["received_pps"]
        for other in so_far
        if other.status == "ok" and (other.plan, other.arm) == (record.plan, record.arm)
        if other.definition == record.definition and "received_pps" in other.values
    ]
    if not before or received >= IMPOSSIBLE_SHARE * median(before):
        return ""
    usual = f"the arm's trials before received {median(before):.4g} packets/s"
    return f"received {received:.4g} packets/s with the CPU {100 * cpu:.1f} % busy; {usual}"


def _slow(record: Record, so_far: Iterable[Record]) -> str:
    """Why the tester was too slow; nothing where it was so twice before: it will be so again."""
    if not record.reason.startswith(TOO_SLOW):
        return ""
    twice = (
        other.reason.startswith(TOO_SLOW) and not other.trial.endswith(FIRST)
        for other in so_far
        if other.definition.application == record.definition.application
    )
    return "" if any(twice) else record.reason


def _foreign(record: Record) -> str:
    starved = record.evidence.starved
    return record.reason if starved and starved.foreign and record.status == "invalid" else ""
