# SPDX-License-Identifier: Apache-2.0
"""Addresses are lent to a port for a while: its host's own shell gives them back."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from gatemark.error import StationError
from gatemark.node.shell import Local
from gatemark.station.lent import alias
from gatemark.station.lent.borrowed import Borrowed
from gatemark.station.wiring import Port

# An `ip` that writes down what it is asked, and knows -batch or does not.
IP = """#!/bin/sh
case "$*" in
"-batch /dev/null") exit {knows} ;;
"-force -batch -") cat >> {log}; exit {code} ;;
*) echo "$*" >> {log}; exit {code} ;;
esac
"""


@dataclass(frozen=True, slots=True)
class Host(Local):
    """This machine with an `ip` of the test's."""

    folder: str = ""

    def argv(self, *command: str) -> tuple[str, ...]:
        return ("env", f"PATH={self.folder}:/usr/bin:/bin", *command)


def host(folder: Path, *, batch: bool = True, code: int = 0) -> Host:
    ip = folder / "ip"
    ip.write_text(IP.format(knows=0 if batch else 1, log=folder / "log", code=code))
    ip.chmod(0o755)
    return Host("LAN host", str(folder))


def asked(folder: Path) -> list[str]:
    """What `ip` was asked so far."""
    return (folder / "log").read_text().splitlines()


def lent(
    node: Host, do: Callable[[Borrowed], Awaitable[None]], family: str = "ipv4", count: int = 2
) -> None:
    async def run() -> None:
        await do(await alias.lend(Port(node, "lan0", "", "eth0"), family, count))

    asyncio.run(run())


@pytest.mark.parametrize("batch", [True, False], ids=["-batch", "a line at a time"])
@pytest.mark.parametrize("family", ["ipv4", "ipv6"])
def test_they_are_the_traffics_and_are_taken_away_again(
    tmp_path: Path, family: str, batch: bool
) -> None:
    node = host(tmp_path, batch=batch)
    counts: list[int] = []

    async def give_back(borrowed: Borrowed) -> None:
        counts.append(len(asked(tmp_path)))
        await borrowed.give_back()

    lent(node, give_back, family, 5)
    own = alias.clients(Port(node, "lan0", ""), family, 5)
    tail = {"ipv4": "/32 dev eth0", "ipv6": "/128 dev eth0"}[family]
    late = " nodad" if family == "ipv6" else ""
    assert counts == [5]
    assert asked(tmp_path) == [
        *(f"addr replace {address}{tail}{late}" for address in own),
        *(f"addr del {address}{tail}" for address in own),
    ]


def test_they_are_taken_away_when_we_are_gone(tmp_path: Path) -> None:
    async def die(borrowed: Borrowed) -> None:
        borrowed.process.close_stdin()  # as the kernel does
        await borrowed.process.wait()

    lent(host(tmp_path), die, count=1)
    assert asked(tmp_path)[-1] == "addr del 198.18.1.4/32 dev eth0"


def test_a_host_that_takes_none_is_an_error_and_keeps_none(tmp_path: Path) -> None:
    async def never(_: Borrowed) -> None:
        raise AssertionError

    with pytest.raises(StationError, match="LAN host"):
        lent(host(tmp_path, code=2), never, count=1)
    assert asked(tmp_path)[-1] == "addr del 198.18.1.4/32 dev eth0"
