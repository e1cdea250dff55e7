# SPDX-License-Identifier: Apache-2.0
"""A file as the plugin that counts leaves it: laid out as counter/table.h has it."""

import struct
from collections.abc import Sequence
from pathlib import Path

from gatemark.station.counter import HEAD, HEAD_BYTES

SLOTS, PATHS = 8, 4
BLOCKS = ((0x80000000, 5, 3), (0x80000020, 2, 1))  # address, instructions, runs


def counts(
    folder: Path,
    blocks: Sequence[tuple[int, int, int]] = BLOCKS,
    path: Sequence[int] = (0, 1),
    **head: int,
) -> Path:
    """A file with some blocks, and the slots of a window."""
    ran = sum(length * runs for _, length, runs in blocks)
    words = {"slots": SLOTS, "paths": PATHS, "used": len(blocks), "total": ran} | head
    data = b"GMCOUNT1" + b"".join(struct.pack("Q", words.get(name, 0)) for name in HEAD)
    columns = [[block[at] for block in blocks] for at in range(3)]
    tables = b"".join(
        struct.pack(f"{SLOTS}Q", *column, *[0] * (SLOTS - len(column))) for column in columns
    )
    written = struct.pack(f"{PATHS}Q", *path, *[0] * (PATHS - len(path)))
    file = folder / "counts"
    file.write_bytes(data.ljust(HEAD_BYTES, b"\0") + tables + written)
    return file
