# SPDX-License-Identifier: Apache-2.0
"""Log in to a host over SSH, by way of a jump host if need be; what goes wrong is one line.

The host's key is always checked. What a login does not say is from ~/.ssh/config, the user's own
keys and the SSH agent. Of ~/.ssh/config only `TAKEN` counts, for jump hosts too: nothing in it
gives a device the user's SSH agent, display or environment, or another command than ours.
"""

import getpass
from asyncio import Lock, timeout
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, cast

import asyncssh
from asyncssh.config import SSHClientConfig

from gatemark.error import NodeError
from gatemark.node.remote import refused
from gatemark.node.remote.dial import dial
from gatemark.node.remote.login import Address, Caller, Login

KEEPALIVES = 2  # unanswered ones, before a connection counts as lost

# The options of ~/.ssh/config that say where a host is, who we are and how both prove it
# (ssh_config(5)). asyncssh lets a host at the user's SSH agent as soon as ForwardAgent is set, even
# one that was not asked to.
TAKEN: Final = frozenset(
    {
        *("Hostname", "Port", "User", "AddressFamily", "BindAddress"),
        *("ProxyJump", "ProxyCommand"),
        *("IdentityFile", "CertificateFile", "IdentitiesOnly", "IdentityAgent", "PKCS11Provider"),
        *("UserKnownHostsFile", "GlobalKnownHostsFile", "HostKeyAlias", "HostKeyAlgorithms"),
        *("CASignatureAlgorithms", "KexAlgorithms", "Ciphers", "MACs"),
    }
)


class Taken(SSHClientConfig):
    """The settings of ~/.ssh/config, less what no host may be given."""

    def get_options(self, reload: bool) -> dict[str, object]:
        """For asyncssh, which asks this of a configuration that it goes on from."""
        options = super().get_options(reload)
        return {name: value for name, value in options.items() if name in TAKEN}


class Client(asyncssh.SSHClient):
    """The fate of one connection, and what its server said before it stood."""

    def __init__(self, known: asyncssh.SSHKnownHosts) -> None:
        self.lost = ""  # why it is gone
        self.shown = ""  # the key of a host that is not the one known
        self.familiar = False  # a key of the host is known
        self._known = known

    def keys(self, host: str, address: str, port: int | None) -> Any:
        """The keys that are known of a host (asyncssh: a callable in place of known_hosts)."""
        keys = self._known.match(host, address, port)
        self.familiar = bool(keys[0] or keys[1])
        return keys

    def validate_host_public_key(
        self, host: str, addr: str, port: int, key: asyncssh.SSHKey
    ) -> bool:
        """Asked for a key that is not known: never trusted."""
        del host, addr, port
        self.shown = f"{key.get_algorithm()} {key.get_fingerprint()}"
        return False

    @property
    def seen(self) -> refused.Shown:
        """Return the server's facts by which it is refused."""
        return refused.Shown(self.shown, self.familiar)

    def connection_lost(self, exc: Exception | None) -> None:
        """It has ended."""
        self.lost = str(exc or "closed")


@dataclass(frozen=True, slots=True)
class Link:
    """A connection that stands, and the one to the jump host that carries it."""

    connection: asyncssh.SSHClientConnection
    client: Client
    jump: "Link | None" = None
    turn: Lock = field(default_factory=Lock)  # who opens a channel, or ends a command

    def abort(self) -> None:
        """End it without a word to the host: it may not listen."""
        self.connection.abort()
        if self.jump:
            self.jump.abort()


async def connect(caller: Caller, within_s: float) -> Link:
    """Log in. Raises NodeError."""
    way = ""
    try:
        async with timeout(within_s):
            hops = _hops(caller)
            way = "".join(f" by way of {hop.login.address}" for hop in hops)
            over: Link | None = None
            for each in (*hops, caller):
                over = await _log_in(each, over)
            assert over
            return over
    except TimeoutError:
        raise NodeError(
            f"{caller.name}: {caller.login.address}{way} did not answer in {within_s:g} s: "
            "is it on, and is that its address?"
        ) from None


def _hops(caller: Caller) -> list[Caller]:
    """The jump hosts: the login's, or those of ~/.ssh/config. Raises NodeError."""
    login = caller.login
    if login.jump:
        return [replace(caller, login=replace(login, address=login.jump, jump=None, password=""))]
    named = _options(caller).tunnel
    try:
        addresses = [Address.parse(hop) for hop in str(named or "").split(",") if hop]
    except ValueError as error:
        raise NodeError(f"{caller.name}: {login.address}: ProxyJump: {error}") from None
    return [replace(caller, login=Login(address)) for address in addresses]


async def _log_in(caller: Caller, over: Link | None) -> Link:
    """One connection: over another, from a namespace, or from where we are.

    Where it fails, the one that was to carry it is ended.
    """
    try:
        return await _stand(caller, over)
    except BaseException:
        if over:
            over.abort()
        raise


async def _stand(caller: Caller, over: Link | None) -> Link:
    address = caller.login.address
    options = _options(caller)
    files = _known_hosts(caller.login, options)
    try:
        known = "\n".join(file.read_text() for file in files if file.is_file())
        client = Client(asyncssh.import_known_hosts(known))
    except (OSError, ValueError) as error:
        raise NodeError(f"{caller.name}: {address}: {refused.word(error)}") from None
    # No file, and no jump host, but what `options` have: () would be the user's own.
    way: dict[str, Any] = {"config": [], "tunnel": over.connection if over else None}
    try:
        if caller.namespace and not over:
            way["sock"] = await dial(caller.namespace, options.host, options.port)
        connection, _ = await asyncssh.create_connection(
            lambda: client, address.host, options=options, known_hosts=client.keys, **way
        )
    except TimeoutError:
        raise
    except (OSError, ValueError, asyncssh.Error) as error:
        server = Address(options.host, options.username, options.port)
        why = refused.why(error, server, client.seen, caller.login, files[0])
        raise NodeError(f"{caller.name}: {address} {why}") from None
    return Link(connection, client, over)


def _options(caller: Caller) -> asyncssh.SSHClientConnectionOptions:
    """Return the options of a login, by the host's own and what is `TAKEN`. Raises NodeError."""
    address = caller.login.address
    file = Path("~/.ssh/config").expanduser()
    try:
        config = Taken.load(
            *(None, [file] if file.is_file() else [], False, False, False),
            *(getpass.getuser(), address.user or (), address.host, address.port or ()),
        )
        base = asyncssh.SSHClientConnectionOptions(config=[])
        base.config = cast(Taken, config)  # where asyncssh goes on from
        return asyncssh.SSHClientConnectionOptions(
            base,
            **_login(caller),
            keepalive_interval=caller.patience_s / (KEEPALIVES + 1),
            keepalive_count_max=KEEPALIVES,
        )
    except (OSError, ValueError) as error:
        raise NodeError(f"{caller.name}: {address}: {refused.word(error)}") from None


def _login(caller: Caller) -> dict[str, Any]:
    """Return the login's own words: the rest is as ~/.ssh/config has it."""
    login, address = caller.login, caller.login.address
    text = {
        "host": address.host,
        "port": address.port,
        "username": address.user,
        "client_keys": [login.key] if login.key else None,
        "password": login.password,
    }
    return {key: value for key, value in text.items() if value}


def _known_hosts(login: Login, options: asyncssh.SSHClientConnectionOptions) -> list[Path]:
    """The files of known hosts; there need be none. The first is where a new key belongs."""
    if login.known_hosts:
        return [login.known_hosts]
    named = options.known_hosts if isinstance(options.known_hosts, list) else []
    return [Path(file).expanduser() for file in named] or [Path("~/.ssh/known_hosts").expanduser()]
