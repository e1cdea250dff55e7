# SPDX-License-Identifier: Apache-2.0
"""The speed of a cable of the test, on which its two ends have agreed."""

import asyncio
import re
from collections.abc import Iterable
from typing import Final

from gatemark.node.quoted import sh, shell
from gatemark.node.reader import reader
from gatemark.node.remote.look import Look
from gatemark.node.shell import Node

# A port of hardware has a `device`; a VLAN, or a bridge with one port, stands on the port below it.
# Without a link, or where a program is the other end, there is no speed: an error, -1 or 0.
FOLDER: Final = """cd /sys/class/net/{device} || exit 0
[ -e device ] || {{ set -- lower_*; [ $# = 1 ] && [ -e "$1" ] && cd "$1" || exit 0; }}
[ ! -e device ] || pwd -P"""
SPEED: Final = "cat {file} 2> /dev/null || true"
MBIT: Final = re.compile(r"[1-9][0-9]{0,6}")  # 4294967295 is none either


End = tuple[Node, str]  # of a cable: a host and its device there


async def link_bps(ends: Iterable[End], files: dict[End, str] | None = None) -> int | None:
    """The L1 rate of the slower of a cable's ends, in bit/s.

    They differ where a switch stands between them. None: neither tells one. `files` keeps where
    each end tells it, from one call to the next. Raises NodeError.
    """
    files = {} if files is None else files
    speeds = await asyncio.gather(*(_speed(end, files) for end in ends))
    return min(filter(None, speeds), default=None)


async def _speed(end: End, files: dict[End, str]) -> int:
    node, device = end
    if end not in files:
        folder = (await node.run(*sh(shell(FOLDER, device=device)))).strip()
        files[end] = folder and f"{folder}/speed"
    if not (file := files[end]):
        return 0
    if seen := await Look.at(node, (file,)):
        return _bps(seen.files.get(file, ""))
    return _bps(await node.run(*sh(shell(SPEED, file=file))))


@reader("the speed of a port")
def _bps(text: str) -> int:
    """0 where there is none."""
    return int(text) * 1_000_000 if MBIT.fullmatch(text.strip()) else 0
