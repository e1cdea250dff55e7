# SPDX-License-Identifier: Apache-2.0
"""A box whose SSH server is old: what it is refused for, and what that line helps."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncssh
import pytest

from gatemark.error import NodeError
from gatemark.node.remote import refused
from gatemark.node.remote.login import Address, Login
from gatemark.node.remote.ssh import Ssh

pytestmark = pytest.mark.long
HOST = "127.0.0.1"
RSA_BITS = 2048  # else asyncssh takes its time
SIZE: dict[str, dict[str, Any]] = {"ssh-rsa": {"key_size": RSA_BITS}}
OLD: dict[str, dict[str, Any]] = {
    "KexAlgorithms +diffie-hellman-group1-sha1": {"kex_algs": ["diffie-hellman-group1-sha1"]},
    "Ciphers +aes128-cbc": {"encryption_algs": ["aes128-cbc"]},
    "MACs +hmac-md5": {"encryption_algs": ["aes128-ctr"], "mac_algs": ["hmac-md5"]},
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's, with a key of RSA."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".ssh").mkdir()
    key = asyncssh.generate_private_key("ssh-rsa", key_size=RSA_BITS)
    key.write_private_key(tmp_path / "key")
    key.write_public_key(tmp_path / "key.pub")
    return tmp_path


@asynccontextmanager
async def served(home: Path, kind: str, **old: Any) -> AsyncIterator[int]:
    """The port of a server with a host key of this kind, which is known; it takes the user's."""
    key = asyncssh.generate_private_key(kind, **SIZE.get(kind, {}))
    server = await asyncssh.create_server(
        *(asyncssh.SSHServer, HOST, 0),
        server_host_keys=[key],
        authorized_client_keys=str(home / "key.pub"),
        process_factory=_answer,
        **old,
    )
    try:
        port = server.sockets[0].getsockname()[1]
        (home / "known").write_text(f"[{HOST}]:{port} {key.export_public_key().decode()}")
        yield port
    finally:
        server.close()
        await server.wait_closed()


def _answer(process: "asyncssh.SSHServerProcess[str]") -> None:
    process.stdout.write("there")
    process.exit(0)


async def word(home: Path, port: int) -> str:
    """What a command there prints."""
    login = Login(Address(HOST, "root", port), key=home / "key", known_hosts=home / "known")
    ssh = Ssh("box", login)
    await ssh.connect()
    try:
        return await ssh.run("anything")
    finally:
        await ssh.close()


def test_a_word_of_the_server_that_is_no_name_is_not_proposed(tmp_path: Path) -> None:
    server = Address(HOST, "root", 22)
    for name in ("x\nProxyCommand", "x\x1b[2J", "`reboot`"):
        failure = f"No matching MAC algorithm found, sent hmac-sha2-256 and received {name}"
        error = asyncssh.KeyExchangeFailed(failure)
        text = refused.why(error, server, refused.Shown("", False), Login(server), tmp_path)
        assert "MACs +" not in text, name


@pytest.mark.parametrize("line", OLD)
def test_a_server_of_old_algorithms_is_got_into_by_the_line_that_its_refusal_names(
    home: Path, line: str
) -> None:
    async def run() -> None:
        async with served(home, "ssh-ed25519", **OLD[line]) as port:
            with pytest.raises(NodeError) as refused:
                await word(home, port)
            assert f"add `Host {HOST}` and `{line}` to ~/.ssh/config" in str(refused.value)
            (home / ".ssh/config").write_text(f"Host {HOST}\n{line}\n")
            assert await word(home, port) == "there"

    asyncio.run(run())


def test_a_host_key_of_an_old_kind_counts_where_it_is_known(home: Path) -> None:
    async def run() -> None:
        async with served(home, "ssh-dss") as port:
            assert await word(home, port) == "there"
            (home / "known").write_text("")
            with pytest.raises(NodeError, match=rf"`ssh-keyscan -t dsa -p {port} {HOST} >> "):
                await word(home, port)

    asyncio.run(run())


def test_a_server_that_signs_and_takes_sha1_alone_is_got_into(home: Path) -> None:
    async def run() -> None:
        async with served(home, "ssh-rsa", signature_algs=["ssh-rsa"]) as port:
            assert await word(home, port) == "there"

    asyncio.run(run())
