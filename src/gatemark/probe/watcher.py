# SPDX-License-Identifier: Apache-2.0
"""The watchers of a gateway, a port or a program while a trial lasts."""

from collections.abc import Callable
from typing import Any, Protocol

from gatemark.node.quoted import Script, sh
from gatemark.node.shell import Node


class Watcher(Protocol):
    """Started before the load and stopped after it, or aborted at any time, after a stop too."""

    async def start(self) -> None:
        """Begin to watch. Raises NodeError, UnavailableError."""

    async def stop(self) -> Any:
        """End, and return what was seen."""

    async def abort(self) -> None:
        """End, whatever it is doing."""


class Twice:
    """The output of a shell command on a node before the load and after it, each parsed."""

    def __init__(self, node: Node, command: Script, parse: Callable[[str], Any]) -> None:
        self._node = node
        self._command = command
        self._parse = parse
        self._before = ""

    async def start(self) -> None:
        """Run it for the first time."""
        self._before = await self._node.run(*sh(self._command))

    async def stop(self) -> tuple[Any, Any]:
        """Run it again; what it printed before and after."""
        after = await self._node.run(*sh(self._command))
        return self._parse(self._before), self._parse(after)

    async def abort(self) -> None:
        """Nothing of it goes on."""
