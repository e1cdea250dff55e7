# SPDX-License-Identifier: Apache-2.0
"""Probe `slab`: the kernel's caches that an entry in the table of connections is made of."""

from collections.abc import Sequence
from typing import Final

from gatemark.probe.column import Row, Source
from gatemark.probe.probe import Probe

# The entry itself, and its extensions, which are of 64 to 256 bytes
# (net/netfilter/nf_conntrack_extend.c).
SLABS: Final = ("nf_conntrack", *(f"kmalloc-{size}" for size in (64, 96, 128, 192, 256)))
FILE: Final = "/proc/slabinfo"  # for root alone
COLUMNS: Final = ("active", "objects", "object_bytes")


def rows(lines: Sequence[str]) -> Row:
    """One row for each cache."""
    return {
        name: {column: int(word) for column, word in zip(COLUMNS, words, strict=False)}
        for name, *words in (line.split() for line in lines)
    }


PROBE: Final = Probe(
    column=Source("slab", FILE, f"^({'|'.join(SLABS)}) ", rows, {"slabs": list(SLABS)})
)
