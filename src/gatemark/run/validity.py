# SPDX-License-Identifier: Apache-2.0
"""Whether a finished trial may be used: every packet of every workload is accounted for."""

from gatemark.error import InvalidTrialError
from gatemark.plan.workloads import MAIN
from gatemark.run.result import line
from gatemark.store.record import Accounting, Record
from gatemark.workload import stray


def require_valid(record: Record, undrained: str) -> None:
    """Raise InvalidTrialError if another had the gateway's CPU, or a packet is unaccounted for.

    TCP accounts for itself.
    """
    starved = record.evidence.starved
    if starved and starved.foreign:
        raise InvalidTrialError(
            f"{starved.thread} was ready and got no CPU for {starved.longest_ms:.0f} ms: "
            f"{starved.who} had it"
        )
    if undrained:
        raise InvalidTrialError(undrained)
    if why := line.why_invalid(record.evidence.line):
        raise InvalidTrialError(why)
    accounts = {name: part.accounting for name, part in record.parts.items()}
    for name, accounting in {MAIN: record.accounting, **accounts}.items():
        if accounting and (why := _unaccounted(accounting)):
            raise InvalidTrialError(f"{name}: {why}" if name else why)


def _unaccounted(accounting: Accounting) -> str:
    """Why an account says nothing of its packets, or nothing."""
    if accounting.lost < 0:
        return f"{-accounting.lost} more packets delivered than tried"
    if why := stray.why_invalid(accounting):
        return why
    if accounting.mismatch:
        where = ", ".join(
            f"{name} {difference:+d}" for name, difference in accounting.mismatch.items()
        )
        return f"interface counters and accounting differ: {where} packets"
    return ""
