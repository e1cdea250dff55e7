# SPDX-License-Identifier: Apache-2.0
"""A stream of pcapng cut into whole blocks (draft-ietf-opsawg-pcapng), so that what is kept ends
behind a whole packet wherever the stream ends.
"""

import struct
from typing import Final, Literal

from gatemark.error import NodeError

SECTION: Final = 0x0A0D0D0A  # the same in both byte orders
PACKET: Final = 6  # Enhanced Packet Block
MAGIC: Final = 0x1A2B3C4D
LONGEST: Final = 1 << 20  # bytes of a block; a packet of ours has at most 64 KiB


class Blocks:
    """Whole blocks of a stream, up to a number of packets."""

    def __init__(self, host: str, most: int = 0) -> None:
        """`most` packets, 0: all. `host` is whose stream it is, for messages."""
        self.packets = 0
        self._host = host
        self._most = most
        self._rest = bytearray()
        self._order: Literal["<", ">"] = "<"

    @property
    def enough(self) -> bool:
        """Return whether all packets that are wanted have come."""
        return 0 < self._most == self.packets

    def cut(self, piece: bytes) -> bytes:
        """The whole blocks that a further piece completes. Raises NodeError if it is no pcapng."""
        self._rest += piece
        at = 0
        while length := self._whole(at):
            kind = struct.unpack_from(f"{self._order}I", self._rest, at)[0]
            if kind == PACKET:
                if self.enough:
                    break
                self.packets += 1
            at += length
        blocks = bytes(self._rest[:at])
        del self._rest[:at]
        return blocks

    def _whole(self, at: int) -> int:
        """The length of the block at a place; 0 where it is not all there."""
        if len(self._rest) < at + 12:
            return 0
        kind, length, magic = struct.unpack_from(f"{self._order}III", self._rest, at)
        if kind == SECTION and magic != MAGIC:
            self._order = ">" if self._order == "<" else "<"
            kind, length, magic = struct.unpack_from(f"{self._order}III", self._rest, at)
        if length % 4 or not 12 <= length <= LONGEST or (kind == SECTION and magic != MAGIC):
            raise NodeError(f"{self._host}: what its capture sent is no pcapng")
        return length if len(self._rest) >= at + length else 0
