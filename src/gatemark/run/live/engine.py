# SPDX-License-Identifier: Apache-2.0
"""The capture engine with its packets on a pipe of their own, beside what it says.

    gateway:     gm-agent capture -- stdout, events  --> its channel --> this machine
                                  -- fd 3, pcapng    --> stderr of the same channel

So nothing is written there, no second process reads, and all ends with the connection.
"""

from typing import Final

from gatemark.error import UnavailableError
from gatemark.node.agent import Agent
from gatemark.node.quoted import literal, sh
from gatemark.node.shell import Node, Process, Stream, Streaming

PACKETS: Final = "/dev/fd/3"
APART: Final = sh(literal('exec "$0" "$@" 3>&2 2> /dev/null'))


class Engine(Agent):
    """A capture, launched to `ready`. In the class and at the niceness of any program there."""

    @classmethod
    async def begin(cls, node: Node, verb: str) -> Process:
        """Start it on the host. Raises GatemarkError."""
        if not isinstance(node, Streaming):
            raise UnavailableError(f"{node.name}: nothing can be captured on it")
        return await node.stream(*APART, await node.agent(verb), verb)

    async def piece(self) -> bytes:
        """The next bytes of the capture; empty at the end. Raises NodeError."""
        assert isinstance(self.process, Stream)
        return await self.process.piece()
