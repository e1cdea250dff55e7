# SPDX-License-Identifier: Apache-2.0
"""The probes by name: the plan has the names, and each has a module in `kind/`."""

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any, Final

from gatemark.plan.probe import PROBES as NAMES
from gatemark.probe.probe import Outcome, Probe, Seen, Sent
from gatemark.store.record import Evidence
from gatemark.store.series import Series

PROBES: Final[Mapping[str, Probe]] = {
    name: import_module(f"gatemark.probe.kind.{name}").PROBE for name in NAMES
}
FIELDS: Final = frozenset(Evidence.__struct_fields__)


def harmless() -> tuple[str, ...]:
    """The probes that run in every pass, since they do nothing while packets are sent."""
    return tuple(name for name, probe in PROBES.items() if probe.every_pass)


def asked(names: Iterable[str]) -> dict[str, Probe]:
    """The probes of a trial, in the order in which they start."""
    wanted = frozenset(names)
    return {name: probe for name, probe in PROBES.items() if name in wanted}


def outcomes(seen: Seen, sent: Sent) -> Outcome:
    """Return the outcome of all probes that saw something, together."""
    values: dict[str, float] = {}
    evidence: dict[str, Any] = {}
    notes: list[str] = []
    for probe in _that_read(seen):
        outcome = probe.outcome(seen, sent)
        values |= outcome.values
        evidence |= outcome.evidence
        notes += outcome.notes
    probes = {name: value for name, value in evidence.items() if name not in FIELDS}
    fields = {name: value for name, value in evidence.items() if name in FIELDS}
    return Outcome(values, fields | ({"probes": probes} if probes else {}), tuple(notes))


def series(seen: Seen) -> Series:
    """Return the series that all of them keep, besides columns."""
    kept: dict[str, Any] = {}
    for probe in _that_read(seen):
        kept |= probe.series(seen)
    return kept


def _that_read(seen: Seen) -> Iterator[Probe]:
    return (probe for name, probe in PROBES.items() if probe.has_read(name, seen))
