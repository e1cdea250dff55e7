# SPDX-License-Identifier: Apache-2.0
"""What a feature is asked for: on which gateway, on which path, with which words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from gatemark.gateway.changes import Changes
from gatemark.gateway.means import ROLES
from gatemark.gateway.program import Program
from gatemark.station.wiring import Gateway


@dataclass(frozen=True, slots=True)
class Asked:
    """A feature of an arm."""

    gateway: Gateway
    changes: Changes
    path: str
    said: tuple[str, ...]  # behind its name, complete: filter:100 has ("100", "nft")

    @property
    def ports(self) -> tuple[str, ...]:
        """The test ports' devices that packets of this path cross."""
        return tuple(self.gateway.devices[role] for role in ROLES[self.path])


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
        """What is counted now, less what was before the trial (nothing: it is before it).

        `usual` is the packets that the kernel forwarded its usual way.
        """


class Running(Protocol):
    """A module of this folder whose feature is a program: it runs in each trial anew."""

    def program(self, asked: Asked) -> Program:
        """What runs while a trial does."""
