# SPDX-License-Identifier: Apache-2.0
"""A setup on a gateway: its path and features applied in order, undone in reverse."""

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress

from gatemark.error import GatemarkError, UsageError
from gatemark.gateway import conntrack, filter, nat, route, switch  # noqa: A004  a feature's word
from gatemark.plan.feature import parts
from gatemark.plan.model import Arm
from gatemark.station.wiring import Gateway

Undo = Callable[[], Awaitable[None]]
ApplyPath = Callable[[Gateway], Awaitable[Undo]]
ApplyFeature = Callable[[Gateway, str, int], Awaitable[Undo]]

PATHS: dict[str, ApplyPath] = {
    "switch": switch.apply,
    "route": route.apply,
    "nat": nat.apply,
}
BARE = ("direct", "endpoint")  # nothing to set: no gateway, or the gateway as it is
FEATURES: dict[str, ApplyFeature] = {"conntrack": conntrack.apply, "filter": filter.apply}


class Setup:
    """The setup that a gateway has now. `change` undoes the old one before it applies the new."""

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway
        self.arm: Arm | None = None
        self._undo = AsyncExitStack()

    async def change(self, arm: Arm) -> None:
        """Bring the gateway to an arm's setup; nothing is done if it has it already."""
        if arm == self.arm:
            return
        await self.undo()
        try:
            await self._apply(arm)
        except BaseException:
            await self.undo()
            raise
        self.arm = arm

    async def _apply(self, arm: Arm) -> None:
        if arm.path not in BARE:
            if arm.path not in PATHS:
                known = ", ".join((*BARE, *PATHS))
                raise UsageError(f"no path '{arm.path}'; known are: {known}")
            self._undo.push_async_callback(await PATHS[arm.path](self.gateway))
        for feature in arm.features:
            name, number = parts(feature)
            undo = await FEATURES[name](self.gateway, arm.path, number)
            self._undo.push_async_callback(undo)

    async def again(self) -> None:
        """After a restart: undo what may be left of the setup, and apply it anew."""
        arm, self.arm = self.arm, None
        if arm is None:
            return
        with suppress(GatemarkError):  # a gateway that has booted has nothing of it left
            await self.undo()
        await self.change(arm)

    async def undo(self) -> None:
        """Give the gateway back as it was."""
        self.arm = None
        await self._undo.aclose()
