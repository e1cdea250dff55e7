# SPDX-License-Identifier: Apache-2.0
"""What was changed on a gateway, each change with the shell commands that undo it.

An undo is text, so that it can be run later, by somebody else, or by hand. Where there is a
journal, the undo is in it before the change is made.
"""

from gatemark.gateway.journal import Journal
from gatemark.gateway.undo import undo_script
from gatemark.node.script import script
from gatemark.node.shell import Node


class Changes:
    """The changes of one gateway in the order in which they were made.

    An undo must be right after its change was made whole, by half, or not at all.
    """

    def __init__(self, node: Node, journal: Journal | None = None) -> None:
        self.node = node
        self.journal = journal
        self._undos: list[str] = []

    def __len__(self) -> int:
        return len(self._undos)

    async def make(self, change: str, undo: str) -> None:
        """Run `change` on the gateway. Raises NodeError if it fails; its undo is kept all the same.

        With a journal it is refused on a gateway that restarted since, and where the journal
        cannot be written.
        """
        self._undos.append(undo)
        before = self.journal.keep(self._undos) if self.journal else ""
        await script(self.node, f"set -e\n{before}\n{change}")

    async def undo(self, kept: int = 0) -> None:
        """Undo all but the first `kept` changes, the last one first.

        Raises NodeError if one could not be undone, or the gateway is not reached: then all are
        still to be undone.
        """
        if len(self._undos) <= kept:
            return
        text = undo_script(self._undos[kept:])
        if self.journal:
            text = self.journal.around(text, self._undos[:kept])
        await script(self.node, text)
        self.forget(kept)

    def forget(self, kept: int = 0) -> None:
        """The gateway lost its changes by itself: it restarted."""
        del self._undos[kept:]
        if self.journal:
            self.journal.save(self._undos)
