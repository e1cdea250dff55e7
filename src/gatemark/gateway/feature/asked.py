# SPDX-License-Identifier: Apache-2.0
"""What a feature is asked for: on which gateway, on which path, with which words."""

from dataclasses import dataclass
from typing import Protocol

from gatemark.gateway.changes import Changes
from gatemark.gateway.program import Program
from gatemark.station.wiring import Gateway


@dataclass(frozen=True, slots=True)
class Asked:
    """A feature of an arm."""

    gateway: Gateway
    changes: Changes
    path: str
    said: tuple[str, ...]  # behind its name, complete: filter:100 has ("100",)


class Feature(Protocol):
    """A module of this folder."""

    async def apply(self, asked: Asked) -> None:
        """Change the gateway by `asked.changes`, whose undo is right after it was made by half.

        Raises UnavailableError with the reason where this gateway lacks what it needs: its arms
        are then recorded as skipped, and nothing of it stays.
        """


class Running(Protocol):
    """A module of this folder whose feature is a program: it runs in each trial anew."""

    def program(self, asked: Asked) -> Program:
        """What runs while a trial does."""
