# SPDX-License-Identifier: Apache-2.0
"""A host that takes commands: its own way in is all that differs between kinds of host."""

import asyncio
from dataclasses import dataclass
from typing import Protocol

from gatemark.error import NodeError


class Node(Protocol):
    """One host of a station."""

    @property
    def name(self) -> str:
        """How messages call it: `LAN host`, `gateway`, `WAN host`."""

    def argv(self, *command: str) -> tuple[str, ...]:
        """The local command line that runs `command` on this host."""

    async def run(self, *command: str, stdin: str = "") -> str:
        """Run to the end and return what it printed. Raises NodeError if it fails."""


@dataclass(frozen=True, slots=True)
class Namespace:
    """A host that is a network namespace of this machine."""

    name: str
    netns: str

    def argv(self, *command: str) -> tuple[str, ...]:
        """Through `ip netns exec`, which also shows the namespace's own /sys/class/net."""
        return ("ip", "netns", "exec", self.netns, *command)

    async def run(self, *command: str, stdin: str = "") -> str:
        """Run to the end and return what it printed. Raises NodeError if it fails."""
        return await run(self.name, self.argv(*command), stdin)


@dataclass(frozen=True, slots=True)
class Local:
    """This machine itself: for reading its kernel threads and inventory, never for traffic."""

    name: str = "this machine"

    def argv(self, *command: str) -> tuple[str, ...]:
        """The command as it is."""
        return command

    async def run(self, *command: str, stdin: str = "") -> str:
        """Run to the end and return what it printed. Raises NodeError if it fails."""
        return await run(self.name, command, stdin)


async def run(name: str, argv: tuple[str, ...], stdin: str = "") -> str:
    """Run a command for the host `name`; the error says what failed and where."""
    try:
        process = await asyncio.create_subprocess_exec(
            *argv,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except FileNotFoundError:
        raise NodeError(
            f"no '{argv[0]}' on this machine; `gatemark doctor` says how to get it"
        ) from None
    out, err = await process.communicate(stdin.encode())
    if process.returncode:
        said = err.decode(errors="replace").strip().splitlines() or ["no message"]
        raise NodeError(f"{name}: '{' '.join(argv)}' failed: {said[-1]}")
    return out.decode(errors="replace")
