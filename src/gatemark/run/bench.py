# SPDX-License-Identifier: Apache-2.0
"""A station at work: the lab, the setup and the slowdown that its gateway has now."""

import asyncio
from asyncio import sleep
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from gatemark.error import GatemarkError, StationError, StuckError
from gatemark.gateway import leftover
from gatemark.gateway.setup import Setup
from gatemark.gateway.slowdown import Slowdown
from gatemark.node.inside.door import Door
from gatemark.node.shell import Here, door
from gatemark.node.shield import whole
from gatemark.plan.model import Arm, Workload
from gatemark.plan.model import Line as Asked
from gatemark.probe.probe import Kept
from gatemark.probe.threads import port_counters
from gatemark.station.demand import demand
from gatemark.station.far.far import Far
from gatemark.station.line.line import Line
from gatemark.station.station import Station
from gatemark.store.packets import Packets

QUIET_S, LONGEST_S = 0.02, 2.0  # of the ports after a change: so long, waited for at most
GROUPS = ("/proc/net/igmp", "/proc/net/igmp6")  # that each port of a host is in

# The counters of the ports near by, and the groups of the hosts there.
_Seen = tuple[dict[str, int], list[str]]

# Of a command that leaves something behind: what to write.
END = "let it take that back as it ends: `trap '...; exit' TERM`"


class Bench:
    """`async with Bench(lab)`: brought up, and taken down whatever happens.

    `messages` are warnings from setting the gateway and giving it back, a line each. `stuck` says
    what a trial left that would spoil the next; "": nothing.
    """

    def __init__(self, station: Station) -> None:
        self.station = station
        self.messages: list[str] = []
        self.stuck = ""
        self.left: list[str] = []  # what commands of a trial left, which was undone
        self.packets: dict[str, Packets] = {}  # trial -> those to be kept of it
        self.kept: dict[Arm, Kept] = {}  # what probes keep of it
        self.silences: dict[str, float] = {}  # arm -> the longest, s, that a sink has seen
        self.setup = Setup(station.gateway)
        self.slowdown = Slowdown(station.gateway)
        self.line = Line(station)
        self.far = Far(station)
        self._settled: object = None  # what was set when the ports last were quiet

    async def __aenter__(self) -> Self:
        """Build the station."""
        await self.station.up()
        try:
            self.messages += await self.setup.begin()
        except BaseException:
            await whole(self.station.down())
            raise
        self.station.after_restart = self.setup.again
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Undo the setup, release the slowdown, remove the station; each even if another fails."""
        try:
            await whole(self.give_back())
        finally:
            await whole(self.station.down())

    async def prepare(
        self, arm: Arm, load: Workload, slow_to_pps: int, line: Asked | None = None, *more: Workload
    ) -> None:
        """Bring the gateway to an arm's setup, and the station to what all workloads need.

        `line`: that the arm's packets cross.
        """
        settled, self._settled = self._settled, None
        was = await _seen(self.station) if settled else None
        slowed = 0 if arm.path == "direct" else slow_to_pps
        await self.slowdown.set(slowed, own=arm.path == "endpoint")
        await self.far.set(arm, lined=line is not None)
        await self.line.set(line, arm.path)
        await self.setup.change(arm)
        wanted = demand(arm, load, *more, lined=line is not None)
        await self.station.meet(wanted)
        now = (arm, line, wanted)
        if now != settled:
            await _settle(self.station, was)
        self._settled = now

    @property
    def words(self) -> dict[str, str]:
        """Who runs where, for a record."""
        return self.station.words | self.line.words

    async def free(self, error: StuckError) -> None:
        """After a program that could not be ended: a virtual machine is restarted, else stuck.

        A real device may be more than our gateway: nobody restarts it unasked.
        """
        self.stuck = str(error)
        station = self.station
        if station.info.virtual and not isinstance(station.gateway.node, Here):
            with suppress(GatemarkError):
                await station.restart()
                self.stuck = ""
                self.messages.append(f"{error}: the virtual machine was restarted")

    @asynccontextmanager
    async def unchanged(self, commands: Iterable[str]) -> AsyncIterator[None]:
        """Leave the gateway as it was found, where commands of the user's own run meanwhile.

        What they left is undone; else no other trial can follow. Without a command nobody looks.
        """
        names = " and ".join(f"command:{name}" for name in commands)
        if not names:
            yield
            return
        was = await leftover.look(self.station.gateway)
        try:
            yield
        finally:
            await whole(self._undo(names, was))

    async def _undo(self, names: str, was: leftover.Settings) -> None:
        left, rest = await leftover.undo(self.station.gateway, was)
        if rest:
            text = f"{names} left the gateway otherwise than it was: {rest}; {END}"
            await self.free(StuckError(text))
        elif left:
            self.left.append(f"what {names} left was undone: {left}")
            self.messages += [line for line in self.left if line not in self.messages]

    def require_free(self) -> None:
        """Raise StationError if a program that cannot be ended has it."""
        if self.stuck:
            raise StationError(self.stuck)

    def lacks(self, arm: Arm) -> str:
        """Why an arm cannot be measured here, or nothing."""
        return self.station.lacks(arm) or self.setup.lacks(arm)

    async def give_back(self) -> None:
        """Undo the setup, release line, far end and slowdown; each even if another fails."""
        self.messages += await self.setup.end()
        with suppress(GatemarkError):  # what holds it is dead or going away
            await self.line.release()
        with suppress(GatemarkError):
            await self.far.release()
        with suppress(GatemarkError):
            await self.slowdown.release()


async def _settle(station: Station, was: _Seen | None) -> None:
    """Wait until what a change itself has sent, such as reports of groups, is over.

    `was`: what was seen before it. Where no port has counted a packet since, and each host is in
    the same groups, there is nothing to wait for.

    The kernel acts on a new carrier up to a second later (net/core/link_watch.c), and a router then
    reports the groups that it is in. Ports of another machine have had the time of round trips.
    """
    loop = asyncio.get_running_loop()
    until_s, last = loop.time() + LONGEST_S, was
    while loop.time() < until_s:
        now = await _seen(station)
        if now == last and (now == was or not _settles(station)):
            return
        last = now
        await sleep(QUIET_S)


async def _seen(station: Station) -> _Seen:
    near = [port for port in station.ports.values() if door(port.node)]
    there = [path for path in GROUPS if Path(path).exists()]
    groups = [at.read(path) for at in _doors(station) for path in there]
    return await port_counters(near), groups


def _settles(station: Station) -> bool:
    """Return whether the kernel has yet to act on a carrier."""
    return any(link.settles for at in _doors(station) for link in at.links().values())


def _doors(station: Station) -> list[Door]:
    nodes = dict.fromkeys((station.gateway.node, *(port.node for port in station.ports.values())))
    return [*filter(None, map(door, nodes))]
