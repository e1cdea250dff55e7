# SPDX-License-Identifier: Apache-2.0
"""The circumstances of a feature: on which gateway, on which path, with which words."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from gatemark.gateway.changes import Changes
from gatemark.gateway.program import Program
from gatemark.gateway.tools import ROLES
from gatemark.plan.model import Command
from gatemark.station.wiring import ADDRESS, Gateway


@dataclass(frozen=True, slots=True)
class Asked:
    """A feature of an arm."""

    gateway: Gateway
    changes: Changes
    path: str
    arguments: tuple[str, ...]  # behind its name, complete: filter:100 has ("100", "nft")
    # By what it was set, where a gateway has more than one means. A feature adds to it.
    notes: list[str] = field(default_factory=list)

    @property
    def ports(self) -> tuple[str, ...]:
        """The test ports' devices that packets of this path cross."""
        return tuple(self.gateway.devices[role] for role in ROLES[self.path])


@dataclass(frozen=True, slots=True)
class Wanted:
    """A program that a trial wants to run."""

    gateway: Gateway
    path: str
    word: str  # the whole feature: capture:tcpdump:68
    arguments: tuple[str, ...]  # behind its name, complete
    commands: Mapping[str, Command] = field(default_factory=dict)  # of the plan
    far: str = ADDRESS["wan0"]["ipv4"].partition("/")[0]  # the WAN host's address

    @property
    def outer(self) -> str:
        """The device of its external port: the WAN port; of a path without one the LAN port."""
        return self.gateway.devices["gw1" if self.path in ("route", "nat") else "gw0"]


class Feature(Protocol):
    """A module of this folder."""

    async def apply(self, asked: Asked) -> None:
        """Change the gateway by `asked.changes`, whose undo is right after it was made by half.

        Raises UnavailableError with the reason where this gateway lacks what it needs: its arms
        are then recorded as skipped, and nothing of it stays.
        """


@runtime_checkable
class Seen(Protocol):
    """A module of this folder whose effect is counted on the gateway in each trial."""

    async def seen(self, asked: Asked, before: Mapping[str, int]) -> dict[str, int]:
        """Return the counters now, less those before the trial (nothing: it is before it).

        `usual` is the packets that the kernel forwarded its usual way.
        """


class Running(Protocol):
    """A module of this folder whose feature is a program: it runs in each trial anew."""

    async def apply(self, asked: Asked) -> None:
        """Change what it needs changed; mostly nothing."""

    def program(self, wanted: Wanted) -> Program:
        """Return the program that runs while a trial does."""
