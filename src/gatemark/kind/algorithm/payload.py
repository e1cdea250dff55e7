# SPDX-License-Identifier: Apache-2.0
"""Payloads to search for patterns in, made here: `http:N` is N requests, the same on any machine.

A file of records as gm-algorithms reads it: four bytes of length, lowest first, then the payload.
They look like requests to a web server: a line, headers, and now and then a body of binary data.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from gatemark.store import xdg

MADE: Final = re.compile(r"http:([1-9][0-9]{0,5})")
SEED: Final = 0x9E3779B97F4A7C15  # of splitmix64, whose step it is as well
WORD: Final = (1 << 64) - 1
METHODS: Final = ("GET", "GET", "GET", "POST", "HEAD", "PUT")
PLACES: Final = ("index", "admin", "login", "image", "style", "api", "user", "root", "news", "cart")
HEADERS: Final = ("Accept", "Cookie", "Referer", "User-Agent", "Authorization", "X-Forwarded-For")
MOST_BODY: Final = 700  # bytes


class Numbers:
    """splitmix64."""

    def __init__(self, seed: int) -> None:
        self._state = seed

    def below(self, most: int) -> int:
        """The next number, from 0 to most - 1."""
        self._state = (self._state + SEED) & WORD
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & WORD
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & WORD
        return ((mixed ^ (mixed >> 31)) >> 32) * most >> 32


def file(name: str) -> Path | None:
    """The file of payloads that are made here, by their name; None: it is no such name."""
    match = MADE.fullmatch(name)
    if not match:
        return None
    path = xdg.make(xdg.cache() / "payload") / name.replace(":", "-")
    data = b"".join(len(part).to_bytes(4, "little") + part for part in requests(int(match[1])))
    if not path.exists() or path.read_bytes() != data:
        path.write_bytes(data)
    return path


def requests(count: int) -> Iterator[bytes]:
    """So many requests, one payload each."""
    numbers = Numbers(count)
    for _ in range(count):
        place = "/".join(_picked(numbers, PLACES) for _ in range(1 + numbers.below(3)))
        lines = [f"{_picked(numbers, METHODS)} /{place}?id={numbers.below(100_000)} HTTP/1.1"]
        lines += [f"{_picked(numbers, HEADERS)}: {_text(numbers)}" for _ in range(numbers.below(7))]
        body = b""
        if numbers.below(4) == 0:
            body = bytes(numbers.below(256) for _ in range(numbers.below(MOST_BODY)))
        yield "\r\n".join([*lines, "", ""]).encode() + body


def _picked(numbers: Numbers, texts: tuple[str, ...]) -> str:
    return texts[numbers.below(len(texts))]


def _text(numbers: Numbers) -> str:
    letters = "abcdefghijklmnopqrstuvwxyz0123456789-=;/ "
    return "".join(letters[numbers.below(len(letters))] for _ in range(4 + numbers.below(60)))
