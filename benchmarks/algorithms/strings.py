# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: S311, SIM905
"""Literals and records for the matchers' benchmarks: seeded, or the payloads of captures."""

import random
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

_ONSETS = "b c d f g h j k l m n p r s t v w br cl cr dr fl gr pl pr qu sh sl st th tr".split()
_VOWELS = "a e i o u a e i o ai ea ee io ou".split()
_CODAS = ["", "", "", "n", "r", "s", "t", "l", "m", "nd", "st", "ng", "ck", "rt"]
_SUFFIXES = "er ing ed tion able ment ize al ic ous".split()
_ENDINGS = ".php .html .js .cgi .asp .exe .dll .png .xml /".split()
_HEADERS = (
    "Host User-Agent Accept Accept-Language Accept-Encoding Cookie Referer Connection".split()
)
_MARKUP = ["<div class=", "<a href=", "<span id=", "</div>", "<p>", "</a>", "<img src=", "<li>"]

RECORD_BYTES = 1400


def word(source: random.Random) -> str:
    """A word that an English reader could pronounce."""
    syllables = source.choices((1, 2, 3), (3, 5, 2))[0]
    parts = [
        source.choice(_ONSETS) + source.choice(_VOWELS) + source.choice(_CODAS)
        for _ in range(syllables)
    ]
    return "".join(parts) + (source.choice(_SUFFIXES) if source.random() < 0.3 else "")


def _literal(source: random.Random) -> str:
    kind = source.random()
    if kind < 0.4:
        return word(source) + source.choice(["", " " + word(source)])
    if kind < 0.7:
        return "/" + word(source) + source.choice(_ENDINGS)
    if kind < 0.85:
        return source.choice("&?") + word(source) + "="
    return word(source).capitalize() + "-" + word(source).capitalize() + ":"


def literals(count: int, seed: int = 1) -> list[bytes]:
    """Different literals of 4 to 20 bytes, as rules on HTTP have them."""
    source = random.Random(seed)
    made: dict[bytes, None] = {}
    while len(made) < count:
        literal = _literal(source).encode()
        if 4 <= len(literal) <= 20:
            made[literal] = None
    return list(made)


def _head(source: random.Random) -> str:
    path = "".join("/" + word(source) for _ in range(source.randint(1, 4)))
    query = "&".join(f"{word(source)}={source.randrange(10**6)}" for _ in range(3))
    lines = [f"GET {path}{source.choice(_ENDINGS)}?{query} HTTP/1.1"]
    lines += [f"{name}: {word(source)}.{word(source)}/{word(source)}" for name in _HEADERS]
    return "\r\n".join(lines) + "\r\n\r\n"


def _body(source: random.Random) -> str:
    parts = ["HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"]
    size = 0
    while size < RECORD_BYTES:
        part = source.choice(_MARKUP) + " ".join(word(source) for _ in range(6)) + "\n"
        size += len(part)
        parts.append(part)
    return "".join(parts)[:RECORD_BYTES]


def http(count: int, seed: int = 2) -> list[bytes]:
    """Records like HTTP's requests, pages and compressed bodies, in parts of 3, 4 and 3."""
    source = random.Random(seed)
    records = []
    for _ in range(count):
        kind = source.random()
        if kind < 0.3:
            records.append(_head(source).encode())
        elif kind < 0.7:
            records.append(_body(source).encode())
        else:
            records.append(source.randbytes(RECORD_BYTES))
    return records


def captured(folder: Path, ports: Sequence[int] = (80, 8080)) -> list[bytes]:
    """TCP payloads of these ports in all classic captures of Ethernet in a folder."""
    return [
        payload
        for path in sorted(folder.glob("*.pcap"))
        for frame in _frames(path.read_bytes())
        if (payload := _payload(frame, ports))
    ]


def _frames(data: bytes) -> Iterator[bytes]:
    order = {b"\xd4\xc3\xb2\xa1": "<", b"\xa1\xb2\xc3\xd4": ">"}.get(data[:4])
    if order is None or struct.unpack_from(f"{order}I", data, 20)[0] != 1:
        return
    at = 24
    while at + 16 <= len(data):
        captured_bytes = struct.unpack_from(f"{order}I", data, at + 8)[0]
        yield data[at + 16 : at + 16 + captured_bytes]
        at += 16 + captured_bytes


def _payload(frame: bytes, ports: Sequence[int]) -> bytes:
    if frame[12:14] != b"\x08\x00" or len(frame) < 54 or frame[23] != 6:
        return b""
    tcp = 14 + (frame[14] & 15) * 4
    if len(frame) < tcp + 20 or not set(struct.unpack_from(">HH", frame, tcp)) & set(ports):
        return b""
    end = 14 + int(struct.unpack_from(">H", frame, 16)[0])
    return frame[tcp + (frame[tcp + 12] >> 4) * 4 : end]


def write(path: Path, strings: Sequence[bytes]) -> None:
    """A file of records: of each the length as u32, little-endian, and its bytes."""
    path.write_bytes(b"".join(struct.pack("<I", len(text)) + text for text in strings))
