# SPDX-License-Identifier: Apache-2.0
"""A setup on a gateway: its path and features applied in order, undone in reverse."""

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

from gatemark.error import UsageError
from gatemark.gateway import nat, route
from gatemark.node.shell import Node
from gatemark.plan.model import Arm

Undo = Callable[[], Awaitable[None]]
Apply = Callable[[Node], Awaitable[Undo]]

PATHS: dict[str, Apply] = {"route": route.apply, "nat": nat.apply}


class Setup:
    """The setup that a gateway has now. `change` undoes the old one before it applies the new."""

    def __init__(self, gateway: Node) -> None:
        self.gateway = gateway
        self.arm: Arm | None = None
        self._undo = AsyncExitStack()

    async def change(self, arm: Arm) -> None:
        """Bring the gateway to an arm's setup; nothing is done if it has it already."""
        if arm == self.arm:
            return
        await self.undo()
        if arm.path != "direct":
            if arm.path not in PATHS:
                raise UsageError(f"no path '{arm.path}'; known are: direct, {', '.join(PATHS)}")
            self._undo.push_async_callback(await PATHS[arm.path](self.gateway))
        self.arm = arm

    async def undo(self) -> None:
        """Give the gateway back as it was."""
        self.arm = None
        await self._undo.aclose()
