# SPDX-License-Identifier: Apache-2.0
"""As much of HTTP/1.1 as tools in the field ask for before they load: GET of small objects.

RFC 9112: a request line, header fields, an empty line; no body.
"""

from typing import Final

END: Final = b"\r\n\r\n"
LONGEST_BYTES: Final = 16_384  # of a request


class OddError(Exception):
    """What came is no request that is answered here."""


def requests(pending: bytearray) -> list[tuple[str, str]]:
    """Path and host of each whole request, which are taken off. Raises OddError."""
    done = []
    while (end := pending.find(END)) >= 0:
        head = bytes(pending[:end]).decode("latin-1").split("\r\n")
        del pending[: end + len(END)]
        method, _, rest = head[0].partition(" ")
        path, _, version = rest.partition(" ")
        fields = dict(line.lower().split(":", 1) for line in head[1:] if ":" in line)
        if method != "GET" or not version.startswith("HTTP/1.") or "content-length" in fields:
            raise OddError
        done.append((path.partition("?")[0], fields.get("host", "").strip()))
    if len(pending) > LONGEST_BYTES:
        raise OddError
    return done


def answer(body: bytes | None, kind: str) -> bytes:
    """An answer with a body; None: not found."""
    status = "200 OK" if body is not None else "404 Not Found"
    body = body or b""
    head = f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body
