# SPDX-License-Identifier: Apache-2.0
"""The part of HTTP/1 that tools in the field need: objects, uploads of a length or in chunks.

RFC 9112: a request line, header fields, an empty line; then as many bytes as `content-length` says,
or chunks (section 7.1).
"""

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Final

END: Final = b"\r\n"
LONGEST_BYTES: Final = 16_384  # of a request, or of the lines of a chunk
METHODS: Final = frozenset(("GET", "HEAD", "POST", "PUT"))
CHUNK: Final = re.compile(rb"([0-9a-fA-F]{1,15})[ \t]*(;.*)?")
GO_ON: Final = b"HTTP/1.1 100 Continue\r\n\r\n"


class OddError(Exception):
    """A request that is not answered here."""

    def __init__(self) -> None:
        super().__init__("a request of HTTP/1.1 that is not answered here")


@dataclass(frozen=True, slots=True)
class Asked:
    """A request; `body_bytes` is None where it comes in chunks."""

    method: str
    path: str
    host: str
    body_bytes: int | None = 0
    waits: bool = False  # for the word to send its body (RFC 9110 section 10.1.1)
    is_last: bool = False  # of its connection (RFC 9112 section 9.6)


class Waits:
    """The client waits for `GO_ON` before it sends a body."""


Event = Asked | int | Waits  # a request with its whole body; bytes of a body; a client that waits
Events = Generator[Event | None]


class Requests:
    """The requests of a connection, one after the other."""

    def __init__(self, pending: bytearray) -> None:
        self._events = _events(pending)

    def take(self) -> Iterator[Event]:
        """Take off `pending` what is whole. Raises OddError."""
        for event in self._events:
            if event is None:
                return
            yield event


def _events(pending: bytearray) -> Events:
    """Yield each event as it comes, and None where more bytes are needed."""
    while True:
        while not (lines := (yield from _lines(pending))):
            pass  # an empty line before a request is none (section 2.2)
        asked = _asked(lines)
        if asked.waits:
            yield Waits()
        if asked.body_bytes is None:
            yield from _chunks(pending)
        else:
            yield from _bytes(pending, asked.body_bytes)
        yield asked


def _lines(pending: bytearray) -> Generator[None, None, list[bytes]]:
    """Take off lines up to an empty one. Raises OddError where they are too long."""
    while (end := _empty(pending)) < 0:
        if len(pending) > LONGEST_BYTES:
            raise OddError
        yield None
    lines = bytes(pending[:end]).split(END)[:-1]
    del pending[: end + len(END)]
    return lines


def _empty(pending: bytearray) -> int:
    """Return where the first empty line begins; -1: not here yet."""
    if pending.startswith(END):
        return 0
    end = pending.find(END + END, 0, LONGEST_BYTES)
    return end if end < 0 else end + len(END)


def _bytes(pending: bytearray, count: int) -> Generator[int | None]:
    while count:
        if came := min(count, len(pending)):
            del pending[:came]
            count -= came
            yield came
        else:
            yield None


def _chunks(pending: bytearray) -> Generator[int | None]:
    """Take off chunks, the last one, and the fields behind it, which are not read."""
    while True:
        size = CHUNK.fullmatch((yield from _line(pending)))
        if not size:
            raise OddError
        if not (count := int(size[1], 16)):
            yield from _lines(pending)
            return
        yield from _bytes(pending, count)
        if (yield from _line(pending)):
            raise OddError


def _line(pending: bytearray) -> Generator[None, None, bytes]:
    while (end := pending.find(END, 0, LONGEST_BYTES)) < 0:
        if len(pending) >= LONGEST_BYTES:
            raise OddError
        yield None
    line = bytes(pending[:end])
    del pending[: end + len(END)]
    return line


def _asked(lines: list[bytes]) -> Asked:
    """Read the head of a request. Raises OddError."""
    method, _, rest = lines[0].decode("latin-1").partition(" ")
    path, _, version = rest.partition(" ")
    fields = {
        name.lower(): value.strip().lower()
        for name, colon, value in (line.decode("latin-1").partition(":") for line in lines[1:])
        if colon
    }
    length, coding = fields.get("content-length", "0"), fields.get("transfer-encoding", "")
    is_sized = length.isascii() and length.isdigit() and len(length) < 16
    if coding not in ("", "chunked") or not is_sized or (coding and "content-length" in fields):
        raise OddError
    if method not in METHODS or not path or version not in ("HTTP/1.0", "HTTP/1.1"):
        raise OddError
    return Asked(
        method,
        path.partition("?")[0],
        fields.get("host", ""),
        None if coding else int(length),
        waits=fields.get("expect") == "100-continue",
        is_last=_is_last(version, fields.get("connection", "")),
    )


def _is_last(version: str, connection: str) -> bool:
    options = {option.strip() for option in connection.split(",")}
    return "close" in options or (version == "HTTP/1.0" and "keep-alive" not in options)


def answer(body: bytes | None, kind: str, *, only_head: bool = False) -> bytes:
    """Return an answer with a body; None: not found."""
    status = "200 OK" if body is not None else "404 Not Found"
    body = body or b""
    head = f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + (b"" if only_head else body)


def endless(kind: str) -> bytes:
    """Return the head of an answer that lasts as long as its connection (section 6.3)."""
    return f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n".encode()
