# SPDX-License-Identifier: Apache-2.0
"""The effect of modelled devices' caches on a packet: events of a trial, the idle ones taken off.

    total   ____/‾‾‾‾ packets, at overload ‾‾‾‾\\____
            idle |         the sending window    |

The emulator feeds every fetch and access of the guest through the caches (counter/cache.h) while a
trial lasts. An emulated guest is slower than the device, so its timer ticks more often between two
packets: what it ran in a second of idleness before is taken off by the second.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Final

from gatemark.error import InvalidTrialError, UnavailableError
from gatemark.plan.model import Device
from gatemark.probe.window import Report, Window, window
from gatemark.station.counter import Counter
from gatemark.station.counting import NOT_EMULATED, Counting

INTERVAL_S: Final = 0.1
BELOW_NONE: Final = 1.0  # events a packet, by which a count may come out below none
IDLE_S: Final = 1.0  # of quiet before the load
# Of what ran under the load, at most so much may be what an idle guest does: a guest that others
# keep from its processor loses ticks, and then too much is taken off.
MOST_IDLE: Final = 0.1
INSTRUCTIONS: Final = "instructions"
# Which pair of caches a report's column is of: "1.load_misses" is the second one's.
OF_PAIR: Final = "{}.{}"

Events = dict[str, float]  # for a packet


@dataclass(frozen=True, slots=True)
class Cached:
    """The counts over time, column by column, and the caches in the plugin's order."""

    report: Report = field(default_factory=dict)
    pairs: Sequence[str] = ()


class Caches:
    """The caches of one trial; nothing is done where no device was asked for."""

    def __init__(self, counting: Counting | None, devices: Sequence[Device]) -> None:
        if devices and counting is None:
            raise UnavailableError(NOT_EMULATED)
        self._counting = counting if devices else None
        self._held = ExitStack()
        self._task: asyncio.Task[None] | None = None
        self._seen: Report = {}

    async def start(self) -> None:
        """Let them work, and see what an idle guest does with them."""
        if self._counting is None:
            return
        counter = self._counting.counter()
        self._held.enter_context(counter.model())
        self._seen = {"t_ns": []}
        self._task = asyncio.create_task(self._look(counter, len(self._counting.caches)))
        await asyncio.sleep(IDLE_S)
        self._seen["idle_to_ns"] = time.monotonic_ns()

    async def stop(self) -> Cached:
        """End it; returns the counts."""
        await self.abort()
        return Cached(self._seen, self._counting.caches if self._counting else ())

    async def abort(self) -> None:
        """End it, whatever it is doing."""
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None
        self._held.close()

    async def _look(self, counter: Counter, pairs: int) -> None:
        while True:
            row = {"t_ns": time.monotonic_ns(), INSTRUCTIONS: counter.total, **counter.events}
            for pair in range(pairs):
                row |= {OF_PAIR.format(pair, k): n for k, n in counter.misses(pair).items()}
            for name, count in row.items():
                self._seen.setdefault(name, []).append(count)
            await asyncio.sleep(INTERVAL_S)


def events(
    cached: Cached, devices: Sequence[Device], sent: tuple[int, int, float]
) -> dict[str, Events]:
    """For each device, by its name: events for each packet delivered.

    `sent` is the start and end in ns, and the packets/s delivered in between. Raises
    InvalidTrialError where too little was seen.
    """
    if not devices:
        return {}
    report, (t0_ns, t1_ns, delivered_pps) = cached.report, sent
    idle = window(report, report["t_ns"][0], report["idle_to_ns"])
    load = window(report, t0_ns, t1_ns)
    if idle is None or load is None or not delivered_pps:
        raise InvalidTrialError(
            "no packet came through, or the trial was too short to count its instructions"
        )
    _require_busy(report[INSTRUCTIONS], idle, load)
    risen = _for_each(report, idle, load, delivered_pps)
    _require_more(risen, delivered_pps)
    shared = {name: n for name, n in risen.items() if "." not in name}
    pairs = {device.name: cached.pairs.index(device.caches) for device in devices}
    return {name: shared | _of_pair(risen, pair) for name, pair in pairs.items()}


def _require_busy(total: Sequence[float], idle: Window, load: Window) -> None:
    rest, ran = idle.change(total) / idle.seconds, load.change(total) / load.seconds
    if rest > MOST_IDLE * ran:
        raise InvalidTrialError(
            f"the gateway ran {ran:.3g} instructions/s under load and {rest:.3g} at rest: it needs "
            "a processor for itself, or a higher rate"
        )


def _require_more(risen: Events, delivered_pps: float) -> None:
    """Refuse a trial in which other work outweighs the few packets that came through."""
    for name, n in risen.items():
        if n < -BELOW_NONE:
            raise InvalidTrialError(
                f"{delivered_pps:.0f} packets/s came through, and {name} rose more at rest than "
                "under load: set a rate that the gateway carries"
            )


def _for_each(report: Report, idle: Window, load: Window, delivered_pps: float) -> Events:
    columns = {name: column for name, column in report.items() if isinstance(column, list)}
    return {
        name: (load.change(column) / load.seconds - idle.change(column) / idle.seconds)
        / delivered_pps
        for name, column in columns.items()
        if name != "t_ns"
    }


def _of_pair(risen: Mapping[str, float], pair: int) -> Events:
    prefix = OF_PAIR.format(pair, "")
    return {name.removeprefix(prefix): n for name, n in risen.items() if name.startswith(prefix)}
