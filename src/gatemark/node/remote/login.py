# SPDX-License-Identifier: Apache-2.0
"""Where a host is reached over SSH and what it is shown: the keys of a station file."""

import getpass
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

from gatemark.error import UsageError
from gatemark.plan.toml import line_of

SSH_PORT: Final = 22
KEYS: Final = ("address", "key", "password", "jump", "known_hosts")
LEASE: Final = "lease_s"  # the key of a host that outlives us
LEASE_S: Final = 120
LEASES_S: Final = range(5, 3601)
ASK: Final = "ask"
PASSWORD: Final = "GATEMARK_PASSWORD"  # the last resort where there is no terminal: for all hosts

# user@host:port; an IPv6 address stands in brackets where a port follows it.
# Nothing that a shell or ssh(1) reads as more than a name: messages have commands to be pasted.
IPV6 = r"[0-9A-Fa-f:.]+(?:%[\w.-]+)?"
ADDRESS = re.compile(
    r"(?:(?P<user>[\w.][\w.+-]*)@)?"
    rf"(?:\[(?P<bracketed>{IPV6})\]|(?P<ipv6>(?=\S*:\S*:){IPV6})|(?P<host>\w[\w.-]*))"
    r"(?::(?P<port>[0-9]+))?"
)


@dataclass(frozen=True, slots=True)
class Address:
    """An SSH server; what is not said is as ~/.ssh/config has it, or as ssh(1) takes it."""

    host: str
    user: str = ""
    port: int = 0

    @classmethod
    def parse(cls, text: str) -> Self:
        """From `user@host:port`. Raises ValueError."""
        match = ADDRESS.fullmatch(text)
        if not match or not 0 <= (port := int(match["port"] or 0)) < 1 << 16:
            raise ValueError(
                f"'{text}' is no address: write root@192.0.2.1:22 or root@[2001:db8::1]:22"
            )
        return cls(match["bracketed"] or match["ipv6"] or match["host"], match["user"] or "", port)

    @property
    def variable(self) -> str:
        """The environment variable that has its password: GATEMARK_PASSWORD_192_0_2_1."""
        text = f"{self.host}_{self.port}" if self.port else self.host
        return f"{PASSWORD}_{re.sub('[^A-Z0-9]', '_', text.upper())}"

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host and self.port else self.host
        user = f"{self.user}@" if self.user else ""
        return f"{user}{host}{f':{self.port}' if self.port else ''}"


@dataclass(frozen=True, slots=True)
class Login:
    """The way into a host over SSH."""

    address: Address
    key: Path | None = None  # None: the user's own keys, and those of the SSH agent
    password: str = field(default="", repr=False)  # "": none; ASK: asked for when it is needed
    jump: Address | None = None  # shown the same key, never the password
    known_hosts: Path | None = None  # None: the user's own
    lease_s: int = 0  # silence after which it gives itself back (lease.py); 0: it goes when we go

    def secret(self) -> str:
        """The password, asked for if it is to be. Raises UsageError if there is nobody to ask."""
        if self.password != ASK:
            return self.password
        for variable in (self.address.variable, PASSWORD):
            if variable in os.environ:
                return os.environ[variable]
        if not sys.stdin.isatty():
            raise UsageError(
                f"{self.address}: no terminal to ask for its password: set "
                f"{self.address.variable}, or {PASSWORD} for all hosts"
            )
        return getpass.getpass(f"{self.address}'s password: ")


def login(table: Mapping[str, Any], path: Path, name: str) -> Login:
    """Return the login in a station file's table `name`; its other keys are not looked at.

    Files are sought from the station file's folder. Raises UsageError with file and line.
    """

    def text(key: str) -> str:
        value = table.get(key, "")
        if not isinstance(value, str):
            raise UsageError(f"{path}:{line_of(path, key, table=name)}: {key} is a text in quotes")
        return value

    def address(key: str) -> Address:
        try:
            return Address.parse(text(key))
        except ValueError as error:
            line = line_of(path, key, name, table=name)
            raise UsageError(f"{path}:{line}: {key}: {error}") from None

    def file(key: str) -> Path | None:
        return path.parent / Path(text(key)).expanduser() if text(key) else None

    return Login(
        address=address("address"),
        key=file("key"),
        password=text("password"),
        jump=address("jump") if "jump" in table else None,
        known_hosts=file("known_hosts"),
    )


@dataclass(frozen=True, slots=True)
class Caller:
    """A host to log in to, as whom, and how patiently."""

    name: str  # of the host, for messages
    login: Login
    namespace: str = ""  # where the connection begins, if not where we are
    patience_s: float = 9.0  # silence after which a connection counts as lost
