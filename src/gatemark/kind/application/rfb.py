# SPDX-License-Identifier: Apache-2.0
"""A viewer of a remote desktop (RFC 6143): it presses keys, and takes what changed, raw."""

import select
import socket
import struct
from typing import Final, Self

VERSION: Final = b"RFB 003.008\n"
NO_PASSWORD: Final = 1
UPDATE, BELL, CUT_TEXT = 0, 2, 3  # messages of a server
RECTANGLE: Final = struct.Struct("!HHHHi")
WAIT_S: Final = 10.0  # for what is on its way
PIECE: Final = 1 << 16


class Viewer:
    """Sees a desktop from its making on."""

    def __init__(self, address: str, port: int) -> None:
        self._socket = socket.create_connection((address, port), WAIT_S)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._take(len(VERSION)) != VERSION:
            raise RuntimeError("no VNC server of version 3.8")
        self._socket.sendall(VERSION)
        if NO_PASSWORD not in self._take(self._take(1)[0]):
            raise RuntimeError("the VNC server asks for a password")
        self._socket.sendall(bytes([NO_PASSWORD]))
        self._take(4)
        self._socket.sendall(b"\1")  # others may look on
        self.width, self.height, bits = struct.unpack("!HHB", self._take(20)[:5])
        self._take(struct.unpack("!I", self._take(4))[0])
        self._bytes = bits // 8
        self._socket.sendall(struct.pack("!BxHi", 2, 1, 0))  # raw alone
        self.ask(whole=True)

    def __enter__(self) -> Self:
        """Nothing: it sees from its making on."""
        return self

    def __exit__(self, *_: object) -> None:
        """Go."""
        self._socket.close()

    def ask(self, *, whole: bool = False) -> None:
        """Ask for what changes next, or for all there is."""
        size = (0, 0, self.width, self.height)
        self._socket.sendall(struct.pack("!BBHHHH", 3, not whole, *size))

    def press(self, key: str) -> None:
        """Press a key, and let it go."""
        for is_down in (1, 0):
            self._socket.sendall(struct.pack("!BBxxI", 4, is_down, ord(key)))

    def changed(self, within_s: float) -> bool:
        """Return whether something changed; asks for the next change if so."""
        while select.select([self._socket], [], [], within_s)[0]:
            kind = self._take(1)[0]
            if kind == UPDATE:
                self._take(1)
                for _ in range(struct.unpack("!H", self._take(2))[0]):
                    _, _, width, height, _ = RECTANGLE.unpack(self._take(RECTANGLE.size))
                    self._take(width * height * self._bytes)
                self.ask()
                return True
            if kind == CUT_TEXT:
                self._take(struct.unpack("!I", self._take(7)[3:])[0])
            elif kind != BELL:
                raise RuntimeError(f"the VNC server sent a message of kind {kind}")
        return False

    def _take(self, size: int) -> bytes:
        """Return as many bytes. Raises RuntimeError where they do not come."""
        taken = bytearray()
        while len(taken) < size:
            piece = self._socket.recv(min(PIECE, size - len(taken)))
            if not piece:
                raise RuntimeError("the VNC server has gone")
            taken += piece
        return bytes(taken)
