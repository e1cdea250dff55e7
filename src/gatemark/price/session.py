# SPDX-License-Identifier: Apache-2.0
"""One boot of a counted guest: rules are loaded, replaced and counted in it, as often as asked.

A kernel has two generations of rules, and one instruction more or less in each chain by which of
them is active (net/netfilter/nf_tables_core.c, `gencursor`). Each commit changes sides. So a load
is two commits, the second of an empty table, and every load is counted on the same side.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import replace
from typing import Final, TypeVar

from gatemark.error import InvalidTrialError, NodeError, StationError
from gatemark.node.quoted import literal, sh
from gatemark.price.gateway import Counted, Sides, Walker, walker
from gatemark.price.rules import Place
from gatemark.price.traffic import Ends, Kind
from gatemark.printable import one_line
from gatemark.station.qemu.lab import VirtualLab

# Connections last while packets are generated, however long that takes on a busy machine.
LASTING: Final = literal("""
for limit in /proc/sys/net/netfilter/nf_conntrack_*timeout*; do
  [ ! -e "$limit" ] || echo 3600 > "$limit"
done
conntrack -F > /dev/null 2>&1 || true
""")
# nft reads the batch from stdin; connections of the last load are forgotten.
# A small guest's table of connections holds a thousand: generated packets begin more.
MOST: Final = "/proc/sys/net/netfilter/nf_conntrack_max"
FORGET: Final = f"{{ conntrack -F; echo 65536 > {MOST}; true; }} > /dev/null 2>&1"
AGAIN: Final = "nft 'add table inet gatemark; delete table inet gatemark'"
LOAD: Final = literal(f"nft -f - && {AGAIN} && {FORGET}")
LOAD_JSON: Final = literal(f"nft -j -f - && {AGAIN} && {FORGET}")
BOOT_S: Final = 300  # a number is the same however long a boot takes
TRIES: Final = 3  # of a kind, where the machine is too busy for the gateway to come to rest
EMPTY: Final = "flush ruleset; "  # in the first line: those of a file keep their numbers

RULE: Final = re.compile(r"^\t\t.* # handle (\d+)$", re.MULTILINE)

T = TypeVar("T")


def refusal(error: NodeError) -> str:
    """The line in which nft says why it refuses rules, by the line of what was loaded."""
    lines = [line for line in error.errors.splitlines() if "Error" in line] or [str(error)]
    return one_line(lines[0].replace("/dev/stdin:", "line "))


class Session:
    """A guest that is up. `load` replaces its rules, `count` says what packets take."""

    def __init__(self, lab: VirtualLab, sides: Sides, ends: Ends) -> None:
        self.lab = lab
        self.sides = sides
        self.ends = ends
        self.loads = 0
        self._walker: Walker | None = None

    async def load(self, rules: str, *, whole: bool = False, json: bool = False) -> None:
        """Have nft load a batch; `whole`: instead of all that is there. Raises NodeError."""
        self.loads += 1
        if json:
            await self.lab.gateway.run(*sh(LOAD), stdin=EMPTY)
            await self.lab.gateway.run(*sh(LOAD_JSON), stdin=rules)
        else:
            await self.lab.gateway.run(*sh(LOAD), stdin=(EMPTY if whole else "") + rules)
        if whole or json:
            self._walker = None  # modules may have come

    async def forget(self) -> None:
        """Forget connections, and keep those that come for an hour."""
        await self.lab.gateway.run(*sh(LASTING))

    def renamed(self) -> None:
        """The gateway's ports have other names, and what was known of them is read anew."""
        self.ends = replace(self.ends, ports=self.lab.ports)
        self.renew()

    def renew(self) -> None:
        """Read the kernel's functions anew: modules may have come."""
        self._walker = None

    async def listed(self) -> str:
        """Return the rules as the guest's nft lists them, without what packets have changed."""
        return await self.lab.gateway.run("nft", "-s", "list", "ruleset")

    async def handles(self, place: Place) -> list[int]:
        """Return the numbers that the kernel has for a chain's rules, in their order."""
        listing = await self.lab.gateway.run("nft", "-a", "list", "chain", *place)
        return [int(number) for number in RULE.findall(listing)]

    async def tallied(self) -> str:
        """Return the same with the numbers of counters."""
        return await self.lab.gateway.run("nft", "list", "ruleset")

    async def walker(self) -> Walker:
        """The walker of the gateway as it is now."""
        if self._walker is None:
            self._walker = await walker(self.lab, self.sides, self.ends)
        return self._walker

    async def count(
        self, kinds: Iterable[Kind], fates: Mapping[Kind, str] | None = None
    ) -> dict[Kind, Counted]:
        """Count each kind of packet; `fates` are known ones. A kind that is lost then is left out.

        Raises StationError where the gateway is gone.
        """
        walks = await self.walker()
        counted = {}
        for kind in kinds:
            fate = fates.get(kind, "") if fates else ""
            for _ in range(TRIES):
                with suppress(InvalidTrialError):
                    counted[kind] = await asyncio.to_thread(walks.counted, kind, fate)
                    break
        await self.lab.require_alive()
        return counted


async def tried(act: Callable[[], T]) -> T:
    """Do it in a thread; a busy machine may need several tries. Raises InvalidTrialError."""
    for _ in range(TRIES - 1):
        with suppress(InvalidTrialError):
            return await asyncio.to_thread(act)
    return await asyncio.to_thread(act)


@asynccontextmanager
async def session(lab: VirtualLab, service: int, ends: Mapping[str, str]) -> AsyncIterator[Session]:
    """Boot a guest that is counted, and take it down in the end. Raises GatemarkError."""
    if not isinstance(lab, VirtualLab):
        raise StationError(f"{lab.name}: instructions are counted in virtual gateways: qemu-x86")
    lab.model = replace(lab.model, boot_s=lab.model.boot_s or BOOT_S)
    if lab.counting is None:
        lab.count()
    await lab.up()
    try:
        await lab.shelter()
        with ExitStack() as stack:
            yield Session(lab, Sides(lab, stack), Ends.of(lab.ports, service, ends))
    finally:
        await lab.down()
