# SPDX-License-Identifier: Apache-2.0
"""The sizes that a kernel has: code, objects of the slab, connections that its table holds."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from gatemark.node.quoted import literal, sh
from gatemark.node.reader import reader
from gatemark.node.shell import Node

READ: Final = literal("""
cat /proc/slabinfo
grep -E ' (_text|_etext)$' /proc/kallsyms
sed 's/^/module /' /proc/modules
echo "max $(cat /proc/sys/net/netfilter/nf_conntrack_max 2> /dev/null)"
""")
CODE, MODULES, CONNECTION, PACKET, FIT = (
    "the kernel's code, KiB",
    "its modules, KiB",
    "a connection, bytes",
    "a packet's head, bytes",
    "connections that its table holds",
)
# Names of the caches, of which a kernel has one.
SLABS: Final = {
    "nf_conntrack": CONNECTION,
    "skbuff_head_cache": PACKET,
    "skbuff_cache": PACKET,
}
SLAB: Final = re.compile(r"^(\w+) +\d+ +\d+ +(\d+) ", re.MULTILINE)
EDGE: Final = re.compile(r"^([0-9a-f]+) \w (_text|_etext)$", re.MULTILINE)
MODULE: Final = re.compile(r"^module \S+ (\d+)", re.MULTILINE)
MOST: Final = re.compile(r"^max (\d+)$", re.MULTILINE)
KIB: Final = 1024

Sizes = Mapping[str, int]


async def read(node: Node) -> Sizes:
    """A guest's sizes; those that it does not tell are left out. Raises NodeError."""
    return sizes(await node.run(*sh(READ)))


@reader("its kernel's sizes")
def sizes(text: str) -> Sizes:
    """The sizes in what it printed."""
    edges = {name: int(address, 16) for address, name in EDGE.findall(text)}
    table = {}
    if len(edges) == 2 and edges["_text"]:
        table[CODE] = (edges["_etext"] - edges["_text"]) // KIB
    if modules := MODULE.findall(text):
        table[MODULES] = sum(map(int, modules)) // KIB
    table |= {SLABS[name]: int(size) for name, size in SLAB.findall(text) if name in SLABS}
    if most := MOST.search(text):
        table[FIT] = int(most[1])
    return table


def compared(old: Sizes, new: Sizes) -> Iterator[tuple[str, int, int]]:
    """Yield each size that both have, by its name."""
    for name in (CODE, MODULES, CONNECTION, PACKET, FIT):
        if name in old and name in new:
            yield name, old[name], new[name]
