# SPDX-License-Identifier: Apache-2.0
"""Whole runs on OpenWrt's own userland: is all given back, to the byte?

    PYTHONPATH=src:tests python -m vm.whole quick
    PYTHONPATH=src:tests python -m vm.whole wrt54 --variant short
    PYTHONPATH=src:tests python -m vm.whole --resume RUN

`gatemark run` with these words on the station `openwrt-x86`. Before the first trial and after the
last one the virtual gateway is asked for its `uci export`, rules, links, addresses, routes, queues
and all sysctls. Prints the lines that differ, and whether all are equal.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gatemark.__main__ import main as gatemark
from gatemark.node.quoted import as_written, sh
from gatemark.station.qemu import lab
from gatemark.station.qemu.guest import TABLE, model
from vm.box import OPENWRT, OPENWRT_SETTINGS

# What counts, draws or keeps the time by itself.
WANDERS = (
    *("random.", "dentry-state", "inode-", "file-nr", "nf_conntrack_count", "ns_last_pid"),
    *("kernel.pty.nr", "netfilter.nf_log", "sched_domain", "fs.quota", "next_id"),
)
SYSCTLS = f"sysctl -a 2> /dev/null | grep -vE '{'|'.join(WANDERS)}'"


class Watched(lab.VirtualLab):
    """A virtual gateway whose settings are read before the first trial and after the last."""

    before = ""

    async def up(self) -> None:
        """Boot it, and read them."""
        await super().up()
        self.before = await self._settings()

    async def down(self) -> None:
        """Read them again, and end it."""
        if self.before:
            compare(self.before, await self._settings())
            self.before = ""
        await super().down()

    async def _settings(self) -> str:
        return await self.gateway.run(*sh(as_written(f"{OPENWRT_SETTINGS}\n{SYSCTLS}")))


def compare(before: str, after: str) -> None:
    """Print what differs."""
    gone, new = set(before.splitlines()), set(after.splitlines())
    for line in (*(f"- {line}" for line in gone - new), *(f"+ {line}" for line in new - gone)):
        sys.stdout.write(f"{line}\n")
    how = "equal to the byte" if before == after else "NOT EQUAL"
    sys.stdout.write(f"settings: {len(before.splitlines())} lines, {how}\n")
    sys.stdout.flush()


def watched(data: Mapping[str, Any], path: Path) -> Watched:
    """The station of a file."""
    return Watched(path.stem, model(data[TABLE], path))


if __name__ == "__main__":
    lab.from_file = watched
    where = [] if "--resume" in sys.argv else ["--station", OPENWRT]
    sys.argv[1:] = ["run", *sys.argv[1:], *where]
    gatemark()
