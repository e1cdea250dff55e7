# SPDX-License-Identifier: Apache-2.0
"""Arms in one boot beside a boot an arm, in turn: the same numbers, and how long each takes.

A boot an arm counts as `ab --exact` does: so many walks of each kind, in three repeats.

python -m vm.arms
"""

import asyncio
import sys
import time
from typing import Final

from gatemark.price import gateway
from gatemark.price.gateway import Counted
from gatemark.price.session import Session, session
from gatemark.price.traffic import Kind, kinds
from gatemark.station.load import load
from gatemark.station.qemu.lab import VirtualLab
from gatemark.station.recover import recover

ROUNDS: Final = 1
REPEATS: Final = 3  # of `ab --exact`, each of so many walks
WALKS: Final = 200
KINDS: Final = kinds(("ipv4",), ("tcp",))
HEAD: Final = "table inet f {\n chain forward {\n  type filter hook forward priority filter;\n"
ARMS: Final = {
    name: f"{HEAD}  ct state established,related accept\n{more} }}\n}}\n"
    for name, more in (
        ("ten rules", "  tcp dport 25 drop\n" * 10),
        ("a set", "  tcp dport { 25, 26 } drop\n"),
    )
}


def booted() -> VirtualLab:
    """A gateway that is not up."""
    lab = load("qemu-x86")
    assert isinstance(lab, VirtualLab)
    return lab


async def counted(boot: Session, rules: str) -> dict[Kind, Counted]:
    """Load rules and count each kind of packet."""
    await boot.load(rules, whole=True)
    return await boot.count(KINDS)


async def as_ab(boot: Session, rules: str) -> dict[Kind, Counted]:
    """The same by as many walks as `ab --exact` takes."""
    few, most = dict(gateway.ENOUGH), gateway.MOST
    gateway.ENOUGH.update(dict.fromkeys(few, WALKS))
    vars(gateway)["MOST"] = 2 * WALKS
    try:
        for _ in range(REPEATS):
            rows = await counted(boot, rules)
    finally:
        gateway.ENOUGH.update(few)
        vars(gateway)["MOST"] = most
    return rows


def numbers(rows: dict[Kind, Counted]) -> list[int]:
    """The most frequent number of each kind."""
    return [row.instructions for row in rows.values()]


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _seconds(took: dict[str, list[float]]) -> str:
    return ", ".join(f"{way} {seconds[-1]:.1f} s" for way, seconds in took.items())


async def main() -> None:
    """Count both arms in a boot that stays, and each in a boot of its own, in turn."""
    recover()
    took: dict[str, list[float]] = {"in one boot": [], "a boot an arm": []}
    same = total = 0
    async with session(booted(), 443, {}) as kept_boot:
        for _ in range(ROUNDS):
            for name, rules in ARMS.items():
                began = time.monotonic()
                here = numbers(await counted(kept_boot, rules))
                took["in one boot"].append(time.monotonic() - began)
                began = time.monotonic()
                async with session(booted(), 443, {}) as fresh:
                    there = numbers(await as_ab(fresh, rules))
                took["a boot an arm"].append(time.monotonic() - began)
                same += sum(a == b for a, b in zip(here, there, strict=True))
                total += len(here)
                say(f"{name}: {here} {there}, {_seconds(took)}")
    ratio = sum(took["a boot an arm"]) / sum(took["in one boot"])
    say(f"{same} of {total} numbers equal; {ratio:.1f} times faster")


if __name__ == "__main__":
    asyncio.run(main())
