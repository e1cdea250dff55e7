# SPDX-License-Identifier: Apache-2.0
"""What of ~/.ssh/config counts: how to reach a host. Nothing of the user's is given to it."""

import asyncio
from pathlib import Path

import pytest
import sshd
from asyncssh.config import SSHClientConfig

from gatemark.node.remote.connect import TAKEN
from gatemark.node.remote.login import Address, Login
from gatemark.node.remote.ssh import Ssh

# All that a user may have set for hosts that are trusted, which a device under test is not.
GIVING = """
Host *
  ForwardAgent yes
  ForwardX11Trusted yes
  SetEnv SECRET=of-the-user
  SendEnv HOME
  RemoteCommand echo another
  RequestTTY force
  GSSAPIDelegateCredentials yes
Host box
  HostName 127.0.0.1
  Port {port}
  User root
  IdentityFile {folder}/user
  UserKnownHostsFile {folder}/known
Host behind
  HostName 127.0.0.1
  Port {port}
  User root
  IdentityFile {folder}/user
  UserKnownHostsFile {folder}/known
  ProxyJump box
"""


def asked_of(host: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> sshd.Server:
    """What a server was asked for that is reached as `host` of the user's configuration."""
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("SSH_AUTH_SOCK", str(folder / "agent"))
    monkeypatch.setenv("DISPLAY", ":9")

    async def run() -> sshd.Server:
        async with sshd.serving(folder) as server:
            (folder / ".ssh").mkdir()
            text = GIVING.format(port=server.port, folder=folder)
            (folder / ".ssh/config").write_text(text)
            node = Ssh("gateway", Login(Address(host)))
            await node.connect()
            try:
                assert await node.run("echo", "in") == "in\n"
                assert _agent_refused(node)
            finally:
                await node.close()
            return server

    return asyncio.run(run())


def _agent_refused(node: Ssh) -> bool:
    """Whether nobody behind the connection, or behind one that carries it, gets at the agent."""
    link = node._link
    while link:
        if link.connection._agent_forward_path:
            return False
        link = link.jump
    return True


@pytest.mark.parametrize("host", ["box", "behind"])
def test_nothing_of_the_users_is_given_to_a_host(
    host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = asked_of(host, tmp_path, monkeypatch)
    assert server.commands == ["echo in"]
    assert server.environments == [{}]
    assert (server.agents, server.displays) == ([""], [""])
    assert server.terminals == [""]


def test_each_option_that_is_taken_is_one_that_asyncssh_knows() -> None:
    known = {name for name, _ in SSHClientConfig._handlers.values()}
    assert known >= TAKEN


def test_a_jump_host_that_is_no_address_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh/config").write_text("Host box\n  ProxyJump a:b@c:d\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(Exception, match="gateway: box: ProxyJump: 'a:b@c:d' is no address"):
        asyncio.run(Ssh("gateway", Login(Address("box"))).connect())
