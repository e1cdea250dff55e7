# SPDX-License-Identifier: Apache-2.0
"""The feature `buckets:N`: only where the flow table is the gateway's own, and given back."""

import asyncio
from dataclasses import dataclass, field

import pytest

from gatemark.error import UnavailableError
from gatemark.gateway.changes import Changes
from gatemark.gateway.feature import buckets
from gatemark.gateway.feature.asked import Asked
from gatemark.node.shell import Clock, Local, Process
from gatemark.station.wiring import Gateway


@dataclass
class Kernel:
    """A host whose kernel rounds buckets up to pages, as a device's shell shows it."""

    name: str = "gateway"
    has: str = "16384"
    page: int = 512
    scripts: list[str] = field(default_factory=list)

    async def run(self, *command: str, stdin: str = "") -> str:
        text = stdin or " ".join(command)
        self.scripts.append(text)
        for word in text.split("echo ")[1:]:
            self.has = str(-(-int(word.split()[0]) // self.page) * self.page)
        return self.has

    async def start(self, *command: str) -> Process:
        raise NotImplementedError

    async def agent(self, verb: str) -> str:
        raise NotImplementedError

    async def job(self, verb: str) -> Process:
        raise NotImplementedError

    async def clock(self) -> Clock:
        return Clock()


def apply(node: Kernel | Local, n: int) -> Changes:
    changes = Changes(node)
    asked = Asked(Gateway(node, {}), changes, "route", (str(n),))
    asyncio.run(buckets.apply(asked))
    return changes


def test_the_table_has_so_many_and_is_given_back() -> None:
    kernel = Kernel()
    changes = apply(kernel, 1024)
    assert kernel.has == "1024"
    asyncio.run(changes.undo())
    assert kernel.has == "16384"


def test_this_machines_own_table_is_left_alone() -> None:
    with pytest.raises(UnavailableError, match="of this machine's kernel"):
        apply(Local("gateway"), 1024)


def test_a_kernel_that_makes_others_is_told() -> None:
    with pytest.raises(UnavailableError, match="makes 1024 buckets of 512"):
        apply(Kernel(page=1024), 512)


def test_without_tracking_there_is_no_table() -> None:
    with pytest.raises(UnavailableError, match="write conntrack before buckets"):
        apply(Kernel(has=""), 512)
