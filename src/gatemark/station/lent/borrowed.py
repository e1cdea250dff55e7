# SPDX-License-Identifier: Apache-2.0
"""Changes on another host that are undone whatever happens to us: its own shell waits to do it.

    its shell:  change it | say so | read to the end of its input | undo it

The input ends when we close it, when we die, when the connection is lost, and when the lease of the
host is over (node/remote/lease.sh): there is one way to undo, and it runs where nobody can take it
away. A SIGTERM ends the reading, too: for a login that may not end its SSH server.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from gatemark.error import StationError
from gatemark.node.quoted import Script, joined, sh, shell
from gatemark.node.shell import Node, Process
from gatemark.node.shield import whole

DONE, FAILED = "done", "failed"
SHELL = """
trap '' HUP INT PIPE; trap : TERM
if said=$( {{ {changing}; }} 2>&1 ); then echo done
else echo "failed $(echo "$said" | tail -n 1)"; fi
cat > /dev/null
trap '' TERM
{undoing}
"""


@dataclass(slots=True)
class Borrowed:
    """The changes of a host, until `give_back`."""

    node: Node
    process: Process

    @classmethod
    async def take(cls, node: Node, change: Sequence[Script], undo: Sequence[Script]) -> Self:
        """Run the lines `change`, to the first that fails.

        Raises StationError: undone then, as where it is cancelled.
        """
        taking = asyncio.create_task(cls._take(node, change, undo))
        try:
            return await whole(taking)
        except asyncio.CancelledError:
            if not taking.cancelled() and taking.exception() is None:
                await whole(taking.result().give_back())
            raise

    @classmethod
    async def _take(cls, node: Node, change: Sequence[Script], undo: Sequence[Script]) -> Self:
        changing = joined((shell("true"), *change), by=" && ")
        undoing = joined(shell("{line} 2> /dev/null", line=line) for line in undo)
        process = await node.start(*sh(shell(SHELL, changing=changing, undoing=undoing)))
        made = cls(node, process)
        word, _, why = (await process.line()).decode(errors="replace").strip().partition(" ")
        if word != DONE:
            await made.give_back()
            raise StationError(f"{node.name}: {why or 'its shell ended without a word'}")
        return made

    @property
    def lost(self) -> bool:
        """Return whether the changes are undone, or their host is lost."""
        return self.process.ended

    async def give_back(self) -> None:
        """Undo the changes, and wait for that; of a host that is lost its shell does it alone."""
        self.process.close_stdin()
        await self.process.wait()
