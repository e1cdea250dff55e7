# SPDX-License-Identifier: Apache-2.0
"""A setup on a gateway: its path and features applied in order, undone in reverse.

has      addresses, route, NAT, conntrack, filter:100
wanted   addresses, route, conntrack
so       filter:100, conntrack and NAT are undone, conntrack is applied
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from gatemark.error import GatemarkError, UnavailableError, UsageError
from gatemark.gateway import address, far, nat, openwrt, route, switch
from gatemark.gateway.changes import Changes
from gatemark.gateway.difference import differences
from gatemark.gateway.feature import Asked, Feature, Seen, feature_of
from gatemark.gateway.journal import Journal
from gatemark.gateway.observe import path_of
from gatemark.gateway.tools import Means, look
from gatemark.node.inventory import settings
from gatemark.node.remote.ssh import Ssh
from gatemark.node.shield import whole
from gatemark.plan.feature import DIRECT, is_tunnel, parts
from gatemark.plan.model import Arm
from gatemark.station.mode import Mode
from gatemark.station.wiring import Gateway

Apply = Callable[[Gateway, Changes], Awaitable[None]]

# Each path is made of parts, in this order, so that two may have the first ones in common.
PATHS: Final[dict[str, tuple[Apply, ...]]] = {
    "switch": (address.apply, switch.apply),
    "route": (address.apply, route.apply),
    "nat": (address.apply, route.apply, nat.apply),
    "hairpin": (address.apply, route.apply, nat.apply, nat.hairpin),
    "endpoint": (address.apply,),  # the gateway as it is
}
OPENWRT: Final[dict[str, tuple[Apply, ...]]] = PATHS | {
    "route": (address.apply, openwrt.route),
    "nat": (address.apply, openwrt.nat),
    "hairpin": (address.apply, openwrt.nat, nat.hairpin),
}

Part = Apply | str  # of a path, or a feature


@dataclass(frozen=True, slots=True)
class _Made:
    """A part that the gateway has, and what there is of changes with it and those before."""

    part: Part
    changes: int
    held: int  # by agents
    applied: tuple[Feature, Asked] | None  # a feature


class Setup:
    """The setup that a gateway has now. `change` undoes what the next one has not, last first.

    A gateway with a journal outlives the run: from `begin` to `end` nobody else sets it, and `end`
    looks whether it is again as it was. One without goes away whole, with its namespace.
    """

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway
        self.arm: Arm | None = None
        self.means = Means(gateway)
        self.changes = Changes(gateway.node, Journal(gateway.journal) if gateway.journal else None)
        self._made: list[_Made] = []
        self._was: Mapping[str, str] = {}
        self._over = False

    @property
    def lasts(self) -> bool:
        """Return whether the gateway is there after the run."""
        return self.changes.journal is not None

    @property
    def _compared(self) -> bool:
        """Return whether it is looked at, in the end, for what was not given back."""
        return self.lasts or self.gateway.mode is Mode.OPENWRT

    async def begin(self) -> list[str]:
        """Meet the gateway; return the lines to print. Raises GatemarkError."""
        try:
            return await self._meet()
        except BaseException:
            self._leave()
            raise

    async def _meet(self) -> list[str]:
        gateway, notes = self.gateway, []
        if isinstance(gateway.node, Ssh):
            notes.append(gateway.node.note)
        if journal := self.changes.journal:
            notes.append(await journal.open(gateway.node))
        if self._compared or gateway.mode is Mode.OBSERVE:
            self._was = await settings(gateway.node, gateway.devices.values())
        observed = path_of(gateway, self._was) if gateway.mode is Mode.OBSERVE else ""
        self.means = Means(gateway, await look(gateway), observed)
        return [line for line in notes if line]

    def _leave(self) -> None:
        self._over = True
        if journal := self.changes.journal:
            journal.close()

    @property
    def notes(self) -> tuple[str, ...]:
        """Return the means by which features are set, where a gateway has several; for a record."""
        return tuple(note for _, asked in self._applied() for note in asked.notes)

    def lacks(self, arm: Arm) -> str:
        """Why an arm cannot be measured on this gateway, or nothing."""
        return self.means.lacks(arm)

    async def change(self, arm: Arm) -> None:
        """Bring the gateway to an arm's setup; nothing is done if it has it already."""
        restarted = await self._restarted()
        if arm == self.arm and not restarted:
            return
        wanted = self._parts(arm)
        self.arm = None
        await self._undo_to(self._in_common(wanted))
        try:
            await self._apply(arm, wanted)
        except BaseException:
            await whole(self.undo())
            raise
        self.arm = arm

    async def _restarted(self) -> bool:
        """Return whether the gateway has lost our changes by a restart."""
        journal = self.changes.journal
        if not journal or not await journal.renew(self.gateway.node):
            return False
        self._forget()
        return True

    def _forget(self) -> None:
        self.changes.forget()
        self._made.clear()
        self.arm = None

    def _parts(self, arm: Arm) -> Sequence[Part]:
        """All that an arm is made of, in order. Raises UsageError."""
        if self.gateway.mode is Mode.OBSERVE:
            return ()
        if arm.path == DIRECT:  # past the gateway: whatever path that has may stay
            return [made.part for made in self._made if not made.applied]
        paths = OPENWRT if self.gateway.mode is Mode.OPENWRT else PATHS
        if arm.path not in paths:
            raise UsageError(f"no path '{arm.path}'; known are: {', '.join((DIRECT, *paths))}")
        # A tunnel first: it is the others' WAN port.
        return *paths[arm.path], *sorted(arm.features, key=is_tunnel, reverse=True)

    def _in_common(self, wanted: Sequence[Part]) -> int:
        """Count the first parts that may stay. An agent that holds a change ends by any undo."""
        pairs = zip(self._made, wanted, strict=False)
        same = [made for made, _ in takewhile(lambda pair: pair[0].part == pair[1], pairs)]
        while len(same) < len(self._made) and same and same[-1].held:
            same.pop()
        return len(same)

    async def _undo_to(self, kept: int) -> None:
        """Undo all but the first parts. Raises NodeError: then all are still to be undone."""
        changes = self._made[kept - 1].changes if kept else 0
        if kept < len(self._made) or changes < len(self.changes):
            await self.changes.undo(changes)
            del self._made[kept:]

    async def _apply(self, arm: Arm, wanted: Sequence[Part]) -> None:
        """Make the parts that are not there yet."""
        for part in wanted[len(self._made) :]:
            applied = None
            if isinstance(part, str):
                applied = await self._add(part, arm)
            else:
                await part(self.gateway, self.changes)
            counts = len(self.changes), len(self.changes.holding)
            self._made.append(_Made(part, *counts, applied))

    async def _add(self, feature: str, arm: Arm) -> tuple[Feature, Asked]:
        name, arguments = parts(feature)
        gateway = self.gateway if is_tunnel(feature) else far.linked(self.gateway, arm)
        applied = feature_of(name, gateway.mode)
        asked = Asked(gateway, self.changes, arm.path, arguments)
        try:
            await applied.apply(asked)
        except UnavailableError as error:
            raise UnavailableError(f"{feature}: {error}") from None
        return applied, asked

    def _applied(self) -> list[tuple[Feature, Asked]]:
        return [made.applied for made in self._made if made.applied]

    async def seen(self, before: Mapping[str, int]) -> dict[str, int]:
        """Return the gateway's counters of its features' effect, less what was before."""
        counts: dict[str, int] = {}
        for feature, asked in self._applied():
            if isinstance(feature, Seen):
                counts |= await feature.seen(asked, before)
        return counts

    async def again(self) -> None:
        """After a restart: undo what may be left of the setup, and apply it anew."""
        arm = self.arm
        if arm is None:
            return
        try:
            await self.undo()
        except GatemarkError:  # a gateway that has booted has nothing of it left
            self._forget()
        await self.change(arm)

    async def undo(self) -> None:
        """Give the gateway back as it was. Raises NodeError: then it is tried again next time."""
        self.arm = None
        await self.changes.undo()
        self._made.clear()

    async def end(self) -> list[str]:
        """Undo, and look whether all is as it was; returns what is not, a line each."""
        if self._over:
            return []
        try:
            await self.undo()
            if not self._compared:
                return []
            now = await settings(self.gateway.node, self.gateway.devices.values())
        except GatemarkError as error:  # a namespace that is going away needs no undo to succeed
            return [f"{error}; it is given back by its lease, or at the next contact"] * self.lasts
        finally:
            self._leave()
        return differences(self._was, now)
