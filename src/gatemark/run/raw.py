# SPDX-License-Identifier: Apache-2.0
"""What a trial reported, before a record is made of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gatemark.probe.caches import Cached
from gatemark.probe.line import Crossed
from gatemark.probe.probe import Seen
from gatemark.probe.reader import Read
from gatemark.probe.starved import Hogs
from gatemark.run.program import Ran
from gatemark.workload.account import Counters
from gatemark.workload.way import Report, Way


@dataclass(slots=True)
class Raw:
    """What was sent and received in each direction, and what each watcher saw, by its name.

    The names are those of run/watching.py; where a watcher was left out, it saw nothing.
    """

    ways: list[Way]
    seen: dict[str, Any] = field(default_factory=dict)
    # CPUs of this machine that are the gateway's; None: all that it reads are its own.
    gateway_cpus: frozenset[int] | None = None
    undrained: str = ""  # why packets may still have been on their way at its end
    # The directions of the workloads beside the first, by name.
    beside: Mapping[str, list[Way]] = field(default_factory=dict)

    @property
    def every_way(self) -> list[Way]:
        """The directions of all workloads."""
        return [*self.ways, *(way for ways in self.beside.values() for way in ways)]

    @property
    def threads(self) -> Report:
        """CPU time of the gateway's threads, from outside."""
        threads: Report = self.seen["threads"]
        return threads

    @property
    def before(self) -> Counters:
        """The test ports' counters before the load."""
        return self._ports[0]

    @property
    def after(self) -> Counters:
        """The same after it."""
        return self._ports[1]

    @property
    def watched(self) -> Report:
        """What was read on the gateway over time, in columns."""
        return self._read.watched

    @property
    def probes(self) -> Seen:
        """What the probes make their outcomes of."""
        return Seen(self._read.watched, self._read.sensed, self.seen)

    @property
    def features(self) -> Mapping[str, int]:
        """What the arm's features counted."""
        features: Mapping[str, int] = self.seen.get("features", {})
        return features

    @property
    def programs(self) -> list[Ran]:
        """The programs on the gateway."""
        programs: list[Ran] = self.seen.get("programs", [])
        return programs

    @property
    def hogs(self) -> Hogs:
        """Who used the CPU of the gateway's threads."""
        hogs: Hogs = self.seen.get("starved", Hogs())
        return hogs

    @property
    def caches(self) -> Cached:
        """What modelled caches counted."""
        caches: Cached = self.seen.get("caches", Cached())
        return caches

    @property
    def line(self) -> Crossed:
        """What crossed the emulated line."""
        crossed: Crossed = self.seen.get("line", Crossed())
        return crossed

    @property
    def _ports(self) -> tuple[Counters, Counters]:
        ports: tuple[Counters, Counters] = self.seen["ports"]
        return ports

    @property
    def _read(self) -> Read:
        read: Read = self.seen.get("gateway", Read())
        return read
