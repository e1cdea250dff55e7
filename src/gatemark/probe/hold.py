# SPDX-License-Identifier: Apache-2.0
"""A shell on the gateway that changes something, holds it, and sets it back at its end.

It says `ready`, or a line on why not; asked to go on it prints what it has to say. However it ends,
its own trap undoes what it did.
"""

from typing import Final

from gatemark.node.quoted import Script, sh
from gatemark.node.reader import Printed
from gatemark.node.shell import Node, Process

READY: Final = "ready"


class Hold:
    """One such shell, from `start` to `stop`."""

    def __init__(self, node: Node, script: Script) -> None:
        self._node = node
        self._script = script
        self._process: Process | None = None

    async def start(self) -> str:
        """Begin; returns why it could not, or nothing. Then nothing was changed."""
        process = self._process = await self._node.start(*sh(self._script))
        line = (await process.line()).decode(errors="replace").strip()
        if line == READY:
            return ""
        why = line or (await process.errors()).strip() or "it ended"
        await self.abort()
        return why

    async def stop(self) -> list[str]:
        """End; what it printed, line by line. All is again as it was."""
        process = self._process
        if process is None:
            return []
        process.write(b"go\n")
        process.close_stdin()
        lines: list[str] = []
        while line := await process.line():
            text = line.decode(errors="replace").rstrip("\n")
            lines.append(Printed.by(self._node.name, text))
        await process.wait()
        self._process = None
        return lines

    async def abort(self) -> None:
        """End it, whatever it does; it sets back what it did."""
        if self._process:
            self._process.close_stdin()
            await self._process.wait()
            self._process = None
