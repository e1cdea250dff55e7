# SPDX-License-Identifier: Apache-2.0
"""Why an SSH server could not be logged in to, and the fix: one line."""

import re
from pathlib import Path
from typing import Final, NamedTuple

import asyncssh

from gatemark.node.remote.login import SSH_PORT, Address, Login

# What a server lacks in common with us, as asyncssh says it -> the option that adds one of its own.
OPTIONS: Final = {"key exchange": "KexAlgorithms", "encryption": "Ciphers", "MAC": "MACs"}
# The server's word goes into a line that is to be pasted: nothing but a name's characters.
NO_MATCH: Final = re.compile(
    r"No matching ([\w ]+) algorithm found, sent \S* and received ([\w@.+-]+)(?:,|\Z)", re.ASCII
)
NO_KEY: Final = "Unable to find compatible server host key"  # asyncssh's words


class Shown(NamedTuple):
    """The facts of a server that were seen before it stood."""

    key: str  # that of a host that is not the one known; empty: none was refused
    familiar: bool  # a key of the host is known


def why(error: Exception, server: Address, shown: Shown, login: Login, known: Path) -> str:
    """Why a server could not be logged in to, and the fix. `known`: where a new key belongs."""
    changed = isinstance(error, asyncssh.KeyExchangeFailed) and "host key" in str(error)
    if isinstance(error, asyncssh.HostKeyNotVerifiable) or (changed and shown.familiar):
        return _not_known(server, shown, known)
    match error:
        case asyncssh.PermissionDenied():
            key = f"the key {login.key}" if login.key else "your keys"
            given = f"{key} and the password" if login.password else key
            return (
                f"does not take {given}: put the public key into its authorized_keys "
                "(dropbear: /etc/dropbear; one before 2020.79 takes RSA keys alone), or fix user, "
                "key and password"
            )
        case asyncssh.KeyExchangeFailed():
            return _old(str(error), server, login, known)
        case asyncssh.ConnectionLost():
            return "hangs up before we are logged in: its own log says why"
        case ConnectionRefusedError():
            return (
                f"refuses connections: does an SSH server listen on port {server.port}? "
                "And does the firewall there let in what comes by this port?"
            )
    return f"cannot be reached: {word(error)}"


def word(error: Exception) -> str:
    """Return an error's words, with the file that it is about."""
    if isinstance(error, asyncssh.KeyImportError):
        return f"the key: {error}: if it needs a passphrase, `ssh-add` it and leave `key` out"
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}"
    return str(getattr(error, "strerror", None) or error)


def _not_known(server: Address, shown: Shown, known: Path) -> str:
    named = server.host if server.port == SSH_PORT else f"'[{server.host}]:{server.port}'"
    learn = _learn(server, known)
    key = f" ({shown.key})" if shown.key else ""
    if not shown.familiar:
        return f"has a host key that is not known{key}: if it is the device's, `{learn}`"
    forget = f"ssh-keygen -f {known} -R {named}"
    return (
        f"has another host key than before{key}: somebody may stand in between; "
        f"if it was installed anew, `{forget} && {learn}`"
    )


def _old(failure: str, server: Address, login: Login, known: Path) -> str:
    """The words about an old server: what it needs is never believed unasked."""
    if failure == NO_KEY:
        return (
            "has a host key of an old kind, which counts only where it is known: "
            f"if it is the device's, `{_learn(server, known, 'dsa')}`"
        )
    match = NO_MATCH.match(failure)
    if not match or match[1] not in OPTIONS:
        return f"shares no algorithm with us: name one of its own in ~/.ssh/config ({failure})"
    option = f"{OPTIONS[match[1]]} +{match[2]}"
    return (
        f"has old SSH alone, which is weak: update it, or add `Host {login.address.host}` and "
        f"`{option}` to ~/.ssh/config"
    )


def _learn(server: Address, known: Path, kind: str = "") -> str:
    """The command that learns a host's key, of a kind that is not asked for by itself."""
    port = f"-p {server.port} " if server.port != SSH_PORT else ""
    only = f"-t {kind} " if kind else ""
    return f"ssh-keyscan {only}{port}{server.host} >> {known}"
