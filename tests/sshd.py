# SPDX-License-Identifier: Apache-2.0
"""An SSH server on this machine's loopback that runs what it is asked, and keeps what it was asked.

It needs neither root nor a namespace. What busybox and dropbear do is tested in tests/lab/station.
"""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import asyncssh

from gatemark.node.remote.login import Address, Login


@dataclass
class Server:
    """What came of its clients."""

    port: int = 0
    folder: Path = Path()
    answer: bytes | None = None  # in place of what a command prints; b"": nothing, for ever
    commands: list[str] = field(default_factory=list)
    environments: list[dict[str, str]] = field(default_factory=list)
    terminals: list[str] = field(default_factory=list)
    agents: list[str] = field(default_factory=list)  # ways to the client's SSH agent
    displays: list[str] = field(default_factory=list)
    running: "list[asyncio.Task[None]]" = field(default_factory=list, repr=False)

    def login(self) -> Login:
        """By a key that it does not look at, to a host that is known."""
        address = Address("127.0.0.1", "root", self.port)
        return Login(address, key=self.folder / "user", known_hosts=self.folder / "known")


@asynccontextmanager
async def serving(folder: Path, answer: bytes | None = None) -> AsyncIterator[Server]:
    """Listen on a port of its own until the end."""
    server = Server(folder=folder, answer=answer)
    key = asyncssh.generate_private_key("ssh-ed25519")
    asyncssh.generate_private_key("ssh-ed25519").write_private_key(folder / "user")
    listener = await asyncssh.create_server(
        _Open,
        "127.0.0.1",
        0,
        server_host_keys=[key],
        process_factory=lambda process: server.running.append(
            asyncio.create_task(_run(server, process))
        ),
        encoding=None,
        agent_forwarding=True,
        x11_forwarding=True,
    )
    server.port = listener.get_port()
    public = key.export_public_key().decode().strip()
    (folder / "known").write_text(f"[127.0.0.1]:{server.port} {public}\n")
    try:
        yield server
    finally:
        listener.close()
        await listener.wait_closed()
        await asyncio.gather(*server.running, return_exceptions=True)


class _Open(asyncssh.SSHServer):
    """Lets everybody in."""

    def begin_auth(self, username: str) -> bool:
        """No authentication."""
        del username
        return False

    def connection_requested(
        self, dest_host: str, dest_port: int, orig_host: str, orig_port: int
    ) -> bool:
        """A jump host for everybody."""
        del dest_host, dest_port, orig_host, orig_port
        return True


async def _run(server: Server, process: "asyncssh.SSHServerProcess[bytes]") -> None:
    """Run the command, with its three pipes."""
    server.commands.append(process.command or "")
    environment = process.channel.get_environment()
    server.environments.append(dict(environment))
    server.terminals.append(process.channel.get_terminal_type() or "")
    server.agents.append(process.channel.get_agent_path() or "")
    server.displays.append(process.channel.get_x11_display() or "")
    if server.answer is not None:
        process.stdout.write(server.answer)
        await process.wait_closed()
        return
    child = await asyncio.create_subprocess_shell(
        process.command or "true",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    ending = asyncio.create_task(child.wait())
    closing = asyncio.create_task(process.channel.wait_closed())
    try:
        await process.redirect(child.stdin, child.stdout, child.stderr)
        await asyncio.wait([ending, closing], return_when=asyncio.FIRST_COMPLETED)
        if ending.done():
            await process.stdout.drain()
            process.exit(ending.result())
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child._transport.close()  # type: ignore[attr-defined]  # a full pipe is read no further
        await asyncio.gather(ending, closing)
        await process.wait_closed()
