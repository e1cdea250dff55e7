# SPDX-License-Identifier: Apache-2.0
"""A host reached over SSH: one connection, a channel for each command.

The host needs a POSIX shell and an SSH server: busybox and dropbear do. No sftp, no Python. The
SSH library is imported by the first connection: most runs have none, and would wait for it.
"""

import asyncio
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gatemark.error import NodeError
from gatemark.node.binary import AGENT, agent_path, part_of
from gatemark.node.bound import in_short
from gatemark.node.inside.staying import Staying
from gatemark.node.reader import Printed
from gatemark.node.remote import push
from gatemark.node.remote.lease import Lease
from gatemark.node.remote.login import Caller, Login
from gatemark.node.shell import Clock, Process, Stream, failure
from gatemark.node.uptime import clock

if TYPE_CHECKING:
    from gatemark.node.remote.connect import Link

CONNECT_S = 10.0
LONGEST_S = 120.0  # a command that is run to its end; what takes longer is started
AGAIN_S = 1.0  # between two attempts to get a host back


class Ssh:
    """A host of a station. `connect` before anything else; `close` leaves nothing on it."""

    def __init__(
        self, name: str, login: Login, *, namespace: str = "", patience_s: float = 9.0
    ) -> None:
        """`namespace`: where the connection begins. `patience_s`: of silence, before it is lost."""
        self.name = name
        self.looks = True  # whether our agent may read it
        self._longest_s = LONGEST_S  # of a command
        self._caller = Caller(name, login, namespace, patience_s)
        self._asked = False
        self._link: Link | None = None
        self._lease: Lease | None = None
        self._arch = ""
        self._files: dict[Path, str] = {}  # of this machine -> where they are there
        self._staying: dict[str, Staying] = {}  # by the agent's path there
        self._pushing = asyncio.Lock()

    def wait(self, within_s: float) -> None:
        """Wait so long for each command's end, and for a host that is silent meanwhile."""
        self._longest_s = within_s
        self._caller = replace(self._caller, patience_s=within_s)

    async def connect(self, within_s: float = CONNECT_S) -> None:
        """Log in, and take the host where its login has a lease.

        Raises NodeError with the fix, UsageError if nobody can be asked a password, StationError if
        another laboratory has the host.
        """
        from gatemark.node.remote.connect import connect

        if not self._asked:
            secret = await asyncio.to_thread(self._caller.login.secret)
            self._caller = replace(self._caller, login=replace(self._caller.login, password=secret))
            self._asked = True
        self._link = await connect(self._caller, within_s)
        if lease_s := self._caller.login.lease_s:
            try:
                self._lease = await Lease.take(self, lease_s)
            except BaseException:
                self._drop()
                raise

    async def reconnect(self, within_s: float) -> None:
        """Get a host back that was lost or restarts. Raises NodeError with the last reason.

        What ran on it counts as ended; what was put there is taken as gone.
        """
        self._drop()
        self._files = {}
        until = time.monotonic() + within_s
        while True:
            left = max(until - time.monotonic(), AGAIN_S)
            try:
                return await self.connect(min(left, CONNECT_S))
            except NodeError:
                if time.monotonic() + AGAIN_S > until:
                    raise
            await asyncio.sleep(AGAIN_S)

    async def close(self) -> None:
        """Remove what was put there, let others have it, and log out; nothing if it is lost."""
        if not self.lost:
            with suppress(NodeError):  # lost meanwhile: the next agent put there removes it
                for agent in self._staying.values():
                    await agent.end()
                if self._files:
                    await push.forget(self, *self._files.values())
                if self._lease:
                    await self._lease.free()
        self._files = {}
        self._drop()

    @property
    def lost(self) -> str:
        """Why nothing may be done on it any more; empty while a connection stands."""
        if self._link is None:
            return "not connected"
        lease = self._lease
        over = lease.over if lease else ""
        return over or self._link.client.lost or (lease.ended if lease else "")

    @property
    def note(self) -> str:
        """From whom it was taken over, a line; mostly nothing."""
        return self._lease.note if self._lease else ""

    async def pipe(self, *command: str, stdin: bytes = b"") -> bytes:
        """Run to the end, bytes in and bytes out; one at a time. Raises NodeError if it fails."""
        from gatemark.node.remote.channel import Remote

        try:
            async with asyncio.timeout(self._longest_s):
                process, data = await Remote.complete(self.name, self._stands(), command, stdin)
        except TimeoutError:
            late = f"'{in_short(command)}' did not end in {self._longest_s:g} s"
            raise NodeError(f"{self.name}: {late}") from None
        if code := await process.wait():
            raise failure(self.name, command, await process.errors(), code)
        return data

    async def run(self, *command: str, stdin: str = "") -> str:
        """Run to the end and return what it printed. Raises NodeError if it fails."""
        data = await self.pipe(*command, stdin=stdin.encode())
        return Printed.by(self.name, data.decode(errors="replace"))

    async def start(self, *command: str) -> Process:
        """Run it with pipes, in the session of this connection. Raises NodeError."""
        from gatemark.node.remote.channel import Remote

        return await Remote.start(self.name, self._stands(), command)

    async def stream(self, *command: str) -> Stream:
        """Start as `start` does; standard error is a stream of bytes. Raises NodeError."""
        from gatemark.node.remote.channel import RemoteStream

        return await RemoteStream.start(self.name, self._stands(), command)

    async def agent(self, verb: str) -> str:
        """The path of the part of gm-agent that has this verb; put there if it is not.

        Raises GatemarkError.
        """
        file = await asyncio.to_thread(agent_path, await self.arch(), part_of(verb))
        return await self.put(file, AGENT)

    async def job(self, verb: str) -> Process:
        """Start a job, by the agent that stays here. Raises GatemarkError."""
        path = await self.agent(verb)
        agent = self._staying.setdefault(path, Staying(self.name))
        return await agent.job(lambda: self.stream(path, "stay"), verb)

    async def arch(self) -> str:
        """The kind of its processor. Raises GatemarkError where nothing is built for it."""
        self._arch = self._arch or await push.arch_of(self)
        return self._arch

    async def put(self, file: Path, program: str = "") -> str:
        """The path of a file on this host, put there if it is not; removed when it is left.

        `program`: it is one, called so. Raises GatemarkError.
        """
        async with self._pushing:
            if not self._files:
                await push.clean(self)
            if file not in self._files:
                name = program or push.FILE
                self._files[file] = await push.push(self, file, name, runs=bool(program))
            return self._files[file]

    async def clock(self) -> Clock:
        """Return its clock: see uptime.py for the error. Raises NodeError."""
        return await clock(self)

    def _stands(self) -> "Link":
        if self._lease and (over := self._lease.over):
            raise NodeError(f"{self.name}: {over}")
        if self._link is None or self.lost:
            from gatemark.node.remote.channel import lost

            raise lost(self.name, self.lost)
        return self._link

    def _drop(self) -> None:
        self._staying = {}  # they end with the connection
        if self._lease:
            self._lease.drop()
        self._lease = None
        if self._link:
            self._link.abort()
        self._link = None
