# SPDX-License-Identifier: Apache-2.0
"""As much of HTTP/1.1 as tools in the field ask for: small objects, and uploads of a known length.

RFC 9112: a request line, header fields, an empty line; then as many bytes as `content-length` says.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

END: Final = b"\r\n\r\n"
LONGEST_BYTES: Final = 16_384  # of a request
METHODS: Final = frozenset(("GET", "HEAD", "POST", "PUT"))


class OddError(Exception):
    """A request that is not answered here."""

    def __init__(self) -> None:
        super().__init__("a request of HTTP/1.1 that is not answered here")


@dataclass(frozen=True, slots=True)
class Asked:
    """A request."""

    method: str
    path: str
    host: str
    body_bytes: int = 0


class Requests:
    """The requests of a connection, one after the other."""

    def __init__(self) -> None:
        self._upload: Asked | None = None  # whose body is coming
        self._left_bytes = 0

    def take(self, pending: bytearray) -> Iterator[Asked | int]:
        """Take off what is whole: a request with its body, or bytes of a body. Raises OddError."""
        while True:
            if self._upload is None:
                if (asked := _head(pending)) is None:
                    return
                self._upload, self._left_bytes = asked, asked.body_bytes
            if came := min(self._left_bytes, len(pending)):
                del pending[:came]
                self._left_bytes -= came
                yield came
            if self._left_bytes:
                return
            yield self._upload
            self._upload = None


def _head(pending: bytearray) -> Asked | None:
    """Take off the head of a request; None: it is not whole yet. Raises OddError."""
    if (end := pending.find(END, 0, LONGEST_BYTES + len(END))) < 0:
        if len(pending) > LONGEST_BYTES:
            raise OddError
        return None
    head = bytes(pending[:end]).decode("latin-1").split("\r\n")
    del pending[: end + len(END)]
    method, _, rest = head[0].partition(" ")
    path, _, version = rest.partition(" ")
    fields = {
        name.lower(): value.strip()
        for name, colon, value in (line.partition(":") for line in head[1:])
        if colon
    }
    length = fields.get("content-length", "0")
    is_sized = length.isascii() and length.isdigit() and "transfer-encoding" not in fields
    if method not in METHODS or not path or not version.startswith("HTTP/1.") or not is_sized:
        raise OddError
    return Asked(method, path.partition("?")[0], fields.get("host", "").lower(), int(length))


def answer(body: bytes | None, kind: str, *, only_head: bool = False) -> bytes:
    """Return an answer with a body; None: not found."""
    status = "200 OK" if body is not None else "404 Not Found"
    body = body or b""
    head = f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + (b"" if only_head else body)
