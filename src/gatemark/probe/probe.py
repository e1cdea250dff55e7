# SPDX-License-Identifier: Apache-2.0
"""The parts of a probe: how it reads the gateway, and what a record gets of it.

Each probe is a module of `kind/`, named as plans name it. It reads in one of three ways: columns
over time by the agent's `watch`, sensors in sysfs, or a watcher of its own.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gatemark.node.quoted import Script
from gatemark.probe.column import Source
from gatemark.probe.sensor import Sensed
from gatemark.probe.watcher import Twice, Watcher
from gatemark.probe.window import Report, Window, whole
from gatemark.station.counting import Counting
from gatemark.station.wiring import Gateway
from gatemark.store.record import Accounting
from gatemark.store.series import Series

Kept = dict[str, Any]  # what probes keep, by their names


@dataclass(frozen=True, slots=True)
class Place:
    """Where a probe reads, and for how long at most."""

    gateway: Gateway
    cpu: int  # the tester's, for processes on this machine
    longest_s: float
    # CPUs of this machine that are the gateway's; None: all that it reads are its own.
    own: frozenset[int] | None = None
    counting: Counting | None = None  # of an emulated gateway
    kept: Kept = field(default_factory=dict)  # from one trial of an arm to the next


@dataclass(frozen=True, slots=True)
class Seen:
    """The readings of all probes of one trial."""

    watched: Report = field(default_factory=dict)  # columns, as the agent's `watch` gives them
    sensed: Sequence[Sensed] = ()
    own: Mapping[str, Any] = field(default_factory=dict)  # what probes' own watchers saw, by name

    def columns(self, what: str) -> tuple[Any, Window] | None:
        """Return the columns that the agent's `watch` calls so, and the time that it was read."""
        over = whole(self.watched)
        return (self.watched[what], over) if over and what in self.watched else None


@dataclass(frozen=True, slots=True)
class Sent:
    """The load that the probes watched."""

    t0_ns: int
    t1_ns: int
    delivered_pps: float
    values: Mapping[str, float] = field(default_factory=dict)  # of the trial, without the probes
    accounting: Accounting | None = None
    path: str = ""  # direct: the gateway had no part in it
    own: frozenset[int] | None = None  # as in `Place`


@dataclass(frozen=True, slots=True)
class Outcome:
    """A probe's part of a record."""

    # A name is of UNITS, or `PROBE.QUANTITY`, with the unit as its ending (quantity.py).
    values: Mapping[str, float] = field(default_factory=dict)
    # A name is a field of `Evidence`; any other goes to its open field `probes`.
    evidence: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # what could not be read, and why


def twice(command: Script, parse: Callable[[str], Any] = str) -> Callable[[Place], Watcher]:
    """A watcher of what a shell command prints on the gateway before the load and after it."""
    return lambda place: Twice(place.gateway.node, command, parse)


def _nothing(seen: Seen) -> Series:
    del seen
    return {}


@dataclass(frozen=True, slots=True)
class Probe:
    """One probe. `outcome` and `series` are asked only where something was seen for it."""

    outcome: Callable[[Seen, Sent], Outcome] = lambda _seen, _sent: Outcome()
    series: Callable[[Seen], Series] = _nothing  # besides its columns, which are all kept
    column: Source | None = None  # what the agent's `watch`, or a shell loop, reads for it
    sensors: bool = False  # whether it needs those in sysfs
    watcher: Callable[[Place], Watcher] | None = None  # what it reads by itself
    last: bool = False  # whether its watcher starts after all others, just before the load
    every_pass: bool = False  # it reads before the load and after it alone: unasked, too

    def has_read(self, name: str, seen: Seen) -> bool:
        """Return whether something was seen for it."""
        if self.column:
            return self.column.what in seen.watched
        return name in seen.own if self.watcher else bool(seen.sensed)
