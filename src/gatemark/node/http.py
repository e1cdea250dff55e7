# SPDX-License-Identifier: Apache-2.0
"""An HTTP client that is bounded: whatever a device answers takes so long and so much, no more.

One deadline is over all of it: the name, the connection, each byte. So much may come, with its
head. Nothing is followed elsewhere, no proxy is asked.
"""

import io
import socket
import threading
import time
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any, Final
from urllib.parse import urlsplit

from gatemark.error import NodeError
from gatemark.printable import one_line

MOST_BYTES: Final = 64 << 10
WITHIN_S = 2.0


def get(url: str) -> bytes:
    """Return what is at `http://HOST:PORT/PATH`. Raises NodeError with what is wrong."""
    asked = _Asked(url, time.monotonic() + WITHIN_S)
    # A name is looked up for as long as it pleases the resolver, which no timeout ends.
    thread = threading.Thread(target=asked.run, daemon=True)
    thread.start()
    thread.join(WITHIN_S)
    if isinstance(asked.answer, Exception):
        raise NodeError(_why(asked.answer))
    if asked.answer is None:
        raise NodeError(f"no whole answer within {WITHIN_S:g} s")
    return asked.answer


class _Asked:
    """A question, and its answer once that is there."""

    def __init__(self, url: str, until: float) -> None:
        self.answer: bytes | Exception | None = None
        self._url = url
        self._until = until

    def run(self) -> None:
        try:
            self.answer = self._asked()
        # OSError: a timeout, too; ValueError: an address that is no host's name; OverflowError: a
        # length beyond all memory
        except (OSError, HTTPException, ValueError, OverflowError) as error:
            self.answer = error

    def _asked(self) -> bytes:
        parts = urlsplit(self._url)
        if parts.scheme != "http":
            raise ValueError("write http://, without encryption")
        connection = HTTPConnection(parts.netloc, timeout=self._until - time.monotonic())
        try:
            connection.request("GET", self._url.partition(parts.netloc)[2])
            came: Any = _Bounded(connection.sock, self._until)
            with HTTPResponse(came, method="GET") as answer:
                answer.begin()
                if answer.status != 200:
                    raise HTTPException(one_line(f"{answer.status} {answer.reason}"[:80]))
                return answer.read()
        finally:
            connection.close()


class _Bounded(io.RawIOBase):
    """A socket as a file: as much as is taken, until the deadline."""

    def __init__(self, sock: socket.socket, until: float) -> None:
        self._sock = sock
        self._until = until
        self._left_bytes = MOST_BYTES

    def makefile(self, _mode: str) -> io.BufferedReader:
        """Return the file that HTTPResponse reads, as of a socket."""
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        if (left_s := self._until - time.monotonic()) <= 0:
            raise TimeoutError("timed out")
        self._sock.settimeout(left_s)
        count = self._sock.recv_into(buffer)
        self._left_bytes -= count
        if self._left_bytes < 0:
            raise ValueError(f"more than {MOST_BYTES >> 10} KiB in its answer")
        return count


def _why(error: Exception) -> str:
    if isinstance(error, HTTPException):
        name = type(error).__name__
        return str(error) if type(error) is HTTPException else f"no whole answer of HTTP ({name})"
    return getattr(error, "strerror", None) or str(error)
