# SPDX-License-Identifier: Apache-2.0
"""The words of a kernel, `[workload.words]`: what gm-algorithms is asked for, key by key.

A factor of them is `words.KEY`. Their values are the program's to judge, but for their form.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from gatemark.plan.model import Factor

WORDS: Final = "words"
KEY: Final = re.compile(r"[a-z][a-z0-9_]{0,31}")
VALUE: Final = re.compile(r"[A-Za-z0-9_.,:/+%@=-]{1,400}")
OURS: Final = ("instances",)  # a key of the workload itself
MOST: Final = 31  # that the program takes, besides ours
FILES: Final = (
    "table",
    "patterns",
    "payload",
    "capture",
    "folder",
)  # words that may name a file or folder
COREMARK: Final = "coremark"
SOURCE: Final = "folder"  # CoreMark's: the folder of the user's own copy


def is_word(factor: str) -> bool:
    """Return whether a factor is a word of the kernel: `words.structure`."""
    owner, _, key = factor.rpartition(".")
    return owner == WORDS and KEY.fullmatch(key) is not None


def faults(words: Mapping[str, Factor]) -> Iterator[str]:
    """Why a kernel cannot be asked so; nothing if it can."""
    if len(words) > MOST:
        yield f"`words` has {len(words)}; {MOST} at most"
    for key, value in words.items():
        if not KEY.fullmatch(key):
            yield f"`words`: '{key}': a key is of small letters, digits and _"
        elif key in OURS:
            yield f"`words`: '{key}' is a key of [workload] itself; write it there"
        elif isinstance(value, bool) or not VALUE.fullmatch(text(value)):
            yield f"`words`: {key} = {value!r}: a number, or a text without spaces and quotes"


def text(value: Factor) -> str:
    """A value as the program reads it: a whole number without its point."""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if whole else str(value)


def located(key: str, value: object, folder: Path) -> object:
    """A word as a plan in `folder` names it: a file that is there, without regard to where we are.

    What is no file there is a name that the program knows, as `generated:1009`.
    """
    if key not in FILES or not isinstance(value, str) or not value:
        return value
    path = (folder / value).resolve()
    return str(path) if path.exists() else value


def merged(table: Mapping[str, Any], keys: Mapping[str, Any]) -> dict[str, Any]:
    """A workload's table with others' keys put over it, word by word."""
    before, over = table.get(WORDS, {}), keys.get(WORDS, {})
    both = {WORDS: before | over} if isinstance(before, dict) and isinstance(over, dict) else {}
    return {**table, **keys, **(both if before or over else {})}
