# SPDX-License-Identifier: Apache-2.0
"""A model's settings, which its comments hold: `# key: value`, with blanks between the three words.

The gateway's reader (classifier/src/model/read.c) takes the same form alone. A comment that begins
as a setting and is of another form is refused, since each reader could take it for something else.
"""

import re
from collections.abc import Container, Mapping
from typing import Final

LARGEST_WINDOW: Final = 32  # as in classifier/core/spread.h
PROTOCOLS: Final = ("udp", "tcp", "all")
MOST_CONFIRMED: Final = 254  # as in classifier/core/confirm.h
NUMBERS: Final[Mapping[str, range]] = {
    "window": range(2, LARGEST_WINDOW + 1),
    "confirm": range(MOST_CONFIRMED + 1),
    "headers": range(2),
    "interactive": range(2),
    "sure": range(101),
    "unknown": range(101),
    "floor": range(1 << 16),
    "ceiling": range(1 << 16),
}
WORDS: Final[Mapping[str, Container[str]]] = {
    "step": ("jumping", "sliding"),
    "protocol": PROTOCOLS,
}
BEGINS: Final = re.compile(rf"#[ \t\r]*({'|'.join((*NUMBERS, *WORDS))})[ \t\r]*:")
FORM: Final = re.compile(r"#[ \t\r]+[a-z]+:[ \t\r]+([^ \t\r]+)[ \t\r]*")
DIGITS: Final = re.compile(r"[0-9]{1,10}")


def key_of(comment: str) -> str:
    """The setting's key where a comment begins as one; else nothing."""
    begun = BEGINS.match(comment)
    return begun[1] if begun else ""


def value_of(comment: str) -> str:
    """The value of a comment that begins as a setting. Raises ValueError."""
    key = key_of(comment)
    formed = FORM.fullmatch(comment)
    if not formed:
        raise ValueError(f"write `# {key}: VALUE`, with blanks between")
    if not _fits(key, formed[1]):
        raise ValueError(f"{formed[1]!r} is no {key}")
    return formed[1]


def _fits(key: str, value: str) -> bool:
    if key in WORDS:
        return value in WORDS[key]
    return bool(DIGITS.fullmatch(value)) and int(value) in NUMBERS[key]
