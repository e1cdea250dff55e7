# SPDX-License-Identifier: Apache-2.0
"""The common part of all kinds of station, for those who measure on it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol

from gatemark.plan.model import Arm
from gatemark.station.ability import Ability
from gatemark.station.counting import Counting
from gatemark.station.cpu import Placement
from gatemark.station.demand import Demand
from gatemark.station.thread import Thread
from gatemark.station.wiring import Gateway, Port
from gatemark.store.run import StationInfo

Again = Callable[[], Awaitable[None]]


async def nothing() -> None:
    """Do nothing: a station after a restart, before anybody has applied a setup."""


class Station(Protocol):
    """A bench: a gateway between hosts of the tester. `up` brings it about, `down` gives it back.

    After `down` it can come `up` again, as new. What it has besides stands from `up` to `down`.
    """

    @property
    def name(self) -> str:
        """Its own, as its file's: `lab`."""

    @property
    def able(self) -> Ability:
        """Return what works on it; known before `up`."""

    @property
    def info(self) -> StationInfo:
        """Return the station's facts for a run."""

    @property
    def placement(self) -> Placement:
        """The CPUs of the tester, and of the gateway if it is of this machine."""

    @property
    def words(self) -> dict[str, str]:
        """The placement as it is now, for a record."""

    @property
    def gateway(self) -> Gateway:
        """Return the gateway that is measured."""

    @property
    def ports(self) -> Mapping[str, Port]:
        """The test ports by role; one that the station has not is missing."""

    @property
    def threads(self) -> Mapping[str, Thread]:
        """Threads of this machine that do the gateway's work; none where it is a box."""

    @property
    def counting(self) -> Counting | None:
        """Counts the gateway's instructions, from `count` on; None: nobody does."""

    def count(self, caches: Sequence[str] = (), *, programs: bool = False) -> None:
        """Before `up`: have the gateway's instructions counted. Raises UnavailableError.

        `caches` are pairs that are to be modelled (`plan.model.Device`); with `programs` what they
        mark is counted, and their data caches are modelled.
        """

    def enter(self) -> None:
        """Before `up`, while there is one thread: what this machine has to be for it.

        An ordinary user goes into namespaces of his own where it needs some. Raises
        UnavailableError with the fix.
        """

    def another(self) -> "Station | None":
        """One like it that can stand beside it; None: there is but this one."""

    def boot_each(self) -> None:
        """Before `up`: have each `up` boot its gateway, where boots are what is compared."""

    def lacks(self, arm: Arm) -> str:
        """Why an arm cannot be measured on it, or nothing; known before `up`."""

    async def up(self) -> None:
        """Bring it about. Raises GatemarkError; what was done till then is undone."""

    async def down(self) -> None:
        """Give back what it took, also half of it."""

    async def meet(self, demand: Demand) -> None:
        """Before a trial: the ports as it needs them. Raises StationError."""

    def rewired(self) -> None:
        """The WAN host's ports are new devices: what the last trial needed of them is undone."""

    async def flush(self) -> None:
        """Empty the gateway's connection tracking table, so that all trials begin the same."""

    after_restart: Again  # brings the setup about anew; given by who applied it

    async def restart(self) -> str:
        """Restart the gateway and wait until it is there and set up; what was done, in words.

        In the end `after_restart` is called. Raises UnavailableError where it cannot be done,
        GatemarkError if the gateway does not come back.
        """

    async def require_alive(self) -> None:
        """Raise StationError if nothing more can be measured on it."""
