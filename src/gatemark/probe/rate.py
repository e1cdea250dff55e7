# SPDX-License-Identifier: Apache-2.0
"""Instructions that an emulated gateway runs in all, at rest and while packets come at a rate.

    total of instructions    ___/‾‾‾
                        idle __/ load
                       |----|----------|
                        IDLE_S  the trial

Interrupts and polls are shared by the packets of a batch, so the value falls with the rate. What
the gateway runs anyhow is measured in a second of rest just before the load, and taken off.
"""

import asyncio
import time
from array import array
from dataclasses import dataclass
from typing import Final

from gatemark.error import UnavailableError
from gatemark.probe.path import Functions, by_function
from gatemark.station.counter import Counter, changed
from gatemark.station.counting import NOT_EMULATED, Counting
from gatemark.station.symbols import Symbols

IDLE_S: Final = 1.0  # a hundred ticks of a guest, or more
SETTLE_S: Final = 0.2  # after it was asked for its symbols


@dataclass(frozen=True, slots=True)
class Span:
    """The instructions that ran between two readings."""

    lasts_ns: int
    instructions: int
    functions: Functions
    cpus: tuple[int, ...] = ()  # of each virtual processor, where there are several


@dataclass(frozen=True, slots=True)
class Rated:
    """At rest, and under the load."""

    idle: Span
    load: Span
    plugin: str


@dataclass(frozen=True, slots=True)
class _Reading:
    at_ns: int
    total: int
    cpus: tuple[int, ...]
    runs: "array[int]"


class Rate:
    """The readings of one trial, from outside the guest: none costs it an instruction."""

    def __init__(self, counting: Counting | None) -> None:
        if counting is None:
            raise UnavailableError(NOT_EMULATED)
        self._counting = counting
        self._symbols: Symbols | None = None
        self._read: list[_Reading] = []

    async def start(self) -> None:
        """Watch it at rest; whatever else is to be started on it was started before."""
        self._symbols = await self._counting.names.read(anew=True)
        await asyncio.sleep(SETTLE_S)
        self._look()
        await asyncio.sleep(IDLE_S)
        self._look()

    async def stop(self) -> Rated:
        """The load is over, and all of it has come through."""
        self._look()
        first, begin, end = self._read
        return Rated(self._span(first, begin), self._span(begin, end), self._counting.plugin.stem)

    async def abort(self) -> None:
        """Nothing of it goes on."""

    def _look(self) -> None:
        counter: Counter = self._counting.counter()
        self._read.append(
            _Reading(time.monotonic_ns(), counter.total, self._cpus(counter), counter.runs())
        )

    def _cpus(self, counter: Counter) -> tuple[int, ...]:
        return counter.of_cpus(self._counting.cpus) if self._counting.cpus > 1 else ()

    def _span(self, before: _Reading, after: _Reading) -> Span:
        assert self._symbols is not None
        risen = changed(before.runs, after.runs)
        return Span(
            after.at_ns - before.at_ns,
            after.total - before.total,
            by_function(self._counting.counter(), self._symbols, risen),
            tuple(b - a for a, b in zip(before.cpus, after.cpus, strict=True)),
        )
