# SPDX-License-Identifier: Apache-2.0
"""Text of another's origin on a terminal: what would steer the terminal is shown in its place.

A device names itself, its kernel, its ports and its errors as it likes. Escape sequences and other
controls (C0 and C1 of ECMA-48) could set the title, move the cursor or type an answer; overrides of
the writing direction (Unicode UAX 9) could show another text than is there.
"""

import re
from typing import Final

# All of C0 but tab and line feed, DEL, C1; the marks, embeddings, overrides and isolates of
# direction; the separators of lines that are none; halves of a surrogate pair.
STEERING: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def printable(text: str) -> str:
    """The text with each such character as it is written in Python and in JSON: `\\x1b`."""
    return STEERING.sub(lambda match: _escaped(ord(match[0])), text)


def one_line(text: str) -> str:
    """The same in one line."""
    return printable(" ".join(text.split("\n")).replace("\t", " "))


def json_safe(encoded: str) -> str:
    """JSON with such characters of its texts escaped; it says the same to whoever reads it."""
    return STEERING.sub(lambda match: f"\\u{ord(match[0]):04x}", encoded)


def _escaped(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
