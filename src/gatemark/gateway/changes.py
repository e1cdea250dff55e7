# SPDX-License-Identifier: Apache-2.0
"""The changes of a gateway, each with the shell commands that undo it.

An undo is text, so that it can be run later, by somebody else, or by hand. Where there is a
journal, the undo is in it before the change is made.
"""

import asyncio
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

from gatemark.error import NodeError, UnavailableError
from gatemark.gateway.journal import Journal
from gatemark.gateway.undo import undo_script
from gatemark.node.agent import Agent
from gatemark.node.quoted import Script, literal, shell
from gatemark.node.script import kill, script
from gatemark.node.shell import Node
from gatemark.node.shield import whole

STRICT: Final = "set -e\n{before}\n{change}"
REFUSED: Final = 97  # exit code of a change that the gateway refuses, behind its journal
REFUSABLE: Final = f"""set -e
{{before}}
set +e
(
set -e
{{change}}
)
[ $? = 0 ] || exit {REFUSED}"""
NOTHING: Final = literal(":")
LONGEST_S: Final = 150.0  # that a change is waited for; a host over SSH gives up earlier


class Changes:
    """The changes of one gateway in the order in which they were made.

    An undo must be right after its change was made whole, by half, or not at all.
    """

    def __init__(self, node: Node, journal: Journal | None = None) -> None:
        self.node = node
        self.journal = journal
        self._undos: list[Script] = []
        self._held: list[Agent] = []

    def __len__(self) -> int:
        return len(self._undos)

    async def make(self, change: Script, undo: Script) -> None:
        """Run `change` on the gateway. Raises NodeError if it fails; its undo is kept all the same.

        With a journal it is refused on a gateway that restarted since, and where the journal
        cannot be written.
        """
        self._undos.append(undo)
        before = self.journal.keep(self._undos) if self.journal else NOTHING
        await self._run(before, change)

    async def attempt(self, change: Script, undo: Script, refused: str = "") -> None:
        """Make a change, as `make` does, that this gateway may lack.

        Raises UnavailableError with its own word where it refuses `change`, behind `refused`.
        """
        self._undos.append(undo)
        if not self.journal:
            with _lacking(refused):
                await self._run(NOTHING, change)
            return
        before = self.journal.keep(self._undos)
        with _lacking(refused, REFUSED):
            await self._to_end(shell(REFUSABLE, before=before, change=change))

    async def hold(self, verb: str, request: Mapping[str, Any]) -> None:
        """Change it by an agent there, for as long as that lives: it undoes by its end.

        Raises UnavailableError with the agent's word where it refuses.
        """
        with _lacking():
            self._held.append(await Agent.launch(self.node, verb, dict(request)))

    @property
    def holding(self) -> Sequence[Agent]:
        """The agents that hold a change."""
        return tuple(self._held)

    def held(self, verb: str) -> Agent:
        """The one of a verb."""
        return next(agent for agent in self._held if agent.verb == verb)

    async def undo(self, kept: int = 0) -> None:
        """Undo all but the first `kept` changes, the last one first; none is held any more.

        Raises NodeError if one could not be undone, or the gateway is not reached: then all are
        still to be undone.
        """
        await self._let_go()
        if len(self._undos) <= kept:
            return
        text = undo_script(self._undos[kept:])
        if self.journal:
            text = self.journal.around(text, self._undos[:kept])
        await script(self.node, text)
        self.forget(kept)

    def forget(self, kept: int = 0) -> None:
        """The gateway lost its changes by itself: it restarted."""
        self._held.clear()
        del self._undos[kept:]
        if self.journal:
            self.journal.save(self._undos)

    async def _run(self, before: Script, change: Script) -> None:
        if before != NOTHING or change != NOTHING:
            await self._to_end(shell(STRICT, before=before, change=change))

    async def _to_end(self, text: Script) -> None:
        """Run a change to its end, also where we are cancelled: no undo is to overtake it."""
        await whole(self._ended(text))

    async def _ended(self, text: Script) -> None:
        name = f"gatemark-change-{secrets.token_hex(8)}"
        try:
            async with asyncio.timeout(LONGEST_S):
                await script(self.node, text, name)
        except TimeoutError:
            raise NodeError(f"{self.node.name}: a change did not end in {LONGEST_S:g} s") from None
        except NodeError as error:
            if not error.output:  # it did not end in time, and may go on there
                with suppress(NodeError):  # its host is lost
                    await kill(self.node, name)
            raise

    async def _let_go(self) -> None:
        while self._held:
            agent = self._held.pop()
            if agent.alive:  # a dead one has taken its change back as it died
                with suppress(NodeError):  # it was killed then, or its host is lost
                    await agent.close()


@contextmanager
def _lacking(refused: str = "", code: int = 0) -> Iterator[None]:
    """Turn a refusal into what the gateway lacks; a host that is lost stays an error.

    `code`: the exit code of a refusal; 0: any.
    """
    try:
        yield
    except NodeError as error:
        if not error.output or (code and error.code != code):
            raise
        raise UnavailableError(f"{refused}{error.output}") from None
