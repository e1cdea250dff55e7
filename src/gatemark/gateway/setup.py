# SPDX-License-Identifier: Apache-2.0
"""A setup on a gateway: its path and features applied in order, undone in reverse."""

from collections.abc import Awaitable, Callable, Mapping
from itertools import filterfalse

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
from gatemark.plan.feature import is_tunnel, parts
from gatemark.plan.model import Arm
from gatemark.station.mode import Mode
from gatemark.station.wiring import Gateway

ApplyPath = Callable[[Gateway, Changes], Awaitable[None]]

PATHS: dict[str, ApplyPath] = {
    "switch": switch.apply,
    "route": route.apply,
    "nat": nat.apply,
}
OPENWRT: dict[str, ApplyPath] = {
    "switch": switch.apply,
    "route": openwrt.route,
    "nat": openwrt.nat,
}
BARE = ("direct", "endpoint")  # nothing to set: no gateway, or the gateway as it is


class Setup:
    """The setup that a gateway has now. `change` undoes the old one before it applies the new.

    A gateway with a journal outlives the run: from `begin` to `end` nobody else sets it, and `end`
    looks whether it is again as it was. One without goes away whole, with its namespace.
    """

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway
        self.arm: Arm | None = None
        self.means = Means(gateway)
        self.changes = Changes(gateway.node, Journal(gateway.journal) if gateway.journal else None)
        self._applied: list[tuple[Feature, Asked]] = []
        self._was: Mapping[str, str] = {}
        self._over = False
        self._path_changes = 0  # the first of the changes: what the path is made of

    @property
    def lasts(self) -> bool:
        """Whether the gateway is there after the run."""
        return self.changes.journal is not None

    @property
    def _compared(self) -> bool:
        """Whether it is looked at, in the end, for what was not given back."""
        return self.lasts or self.gateway.mode is Mode.OPENWRT

    async def begin(self) -> list[str]:
        """Meet the gateway; returns what is to be told, a line each. Raises GatemarkError."""
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
        """By what features are set, where a gateway has more than one means; for a record."""
        return tuple(note for _, asked in self._applied for note in asked.notes)

    def lacks(self, arm: Arm) -> str:
        """Why an arm cannot be measured on this gateway, or nothing."""
        return self.means.lacks(arm)

    async def change(self, arm: Arm) -> None:
        """Bring the gateway to an arm's setup; nothing is done if it has it already."""
        restarted = await self._restarted()
        if arm == self.arm and not restarted:
            return
        on_path = await self._undo_to(arm)
        try:
            if self.gateway.mode is not Mode.OBSERVE:
                await self._apply(arm, on_path=on_path)
        except BaseException:
            await whole(self.undo())
            raise
        self.arm = arm

    async def _restarted(self) -> bool:
        """Whether the gateway has lost our changes by a restart."""
        journal = self.changes.journal
        if not journal or not await journal.renew(self.gateway.node):
            return False
        self.changes.forget()
        self.arm = None
        return True

    async def _undo_to(self, arm: Arm) -> bool:
        """Undo what an arm has not; whether the path stays.

        On OpenWrt a path is made by a reload of its firewall, which takes seconds on a small box.
        """
        stays = self.gateway.mode is Mode.OPENWRT and arm.path not in BARE
        if not stays or self.arm is None or self.arm.path != arm.path:
            await self.undo()
            return False
        self.arm = None
        self._applied.clear()
        await self.changes.undo(self._path_changes)
        return True

    async def _apply(self, arm: Arm, *, on_path: bool) -> None:
        if arm.path == "direct":
            return
        if not on_path:
            await self._travel(arm)
        linked = far.linked(self.gateway, arm)
        for feature in filter(is_tunnel, arm.features):  # first: it is the others' WAN port
            await self._add(feature, self.gateway, arm)
        for feature in filterfalse(is_tunnel, arm.features):
            await self._add(feature, linked, arm)

    async def _travel(self, arm: Arm) -> None:
        """Set the path."""
        await address.apply(self.gateway, self.changes)
        if arm.path not in BARE:
            paths = OPENWRT if self.gateway.mode is Mode.OPENWRT else PATHS
            if arm.path not in paths:
                known = ", ".join((*BARE, *paths))
                raise UsageError(f"no path '{arm.path}'; known are: {known}")
            await paths[arm.path](self.gateway, self.changes)
        self._path_changes = len(self.changes)

    async def _add(self, feature: str, gateway: Gateway, arm: Arm) -> None:
        name, arguments = parts(feature)
        applied, asked = (
            feature_of(name, gateway.mode),
            Asked(gateway, self.changes, arm.path, arguments),
        )
        try:
            await applied.apply(asked)
        except UnavailableError as error:
            raise UnavailableError(f"{feature}: {error}") from None
        self._applied.append((applied, asked))

    async def seen(self, before: Mapping[str, int]) -> dict[str, int]:
        """What is counted on the gateway of its features' effect, less what was before."""
        counts: dict[str, int] = {}
        for feature, asked in self._applied:
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
            self.changes.forget()
        await self.change(arm)

    async def undo(self) -> None:
        """Give the gateway back as it was. Raises NodeError: then it is tried again next time."""
        self.arm = None
        self._applied.clear()
        await self.changes.undo()

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
