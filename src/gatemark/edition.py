# SPDX-License-Identifier: Apache-2.0
"""Which program this is, to the byte: what was derived by another one is derived anew."""

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import gatemark

PACKAGE: Final = str(Path(__file__).parent)
SUFFIXES: Final = (".py", ".toml", ".csv")  # rules, plans, what others published


@cache
def edition() -> str:
    """A digest of the version, and of every file that an answer could depend on.

    Who runs for long asks as it starts: files may change while it has the old rules.
    """
    import hashlib  # heavy, and not needed for the help

    digest = hashlib.sha256(gatemark.__version__.encode())
    for path in sorted(_sources(PACKAGE)):
        digest.update(f"\0{path.removeprefix(PACKAGE)}\0".encode())
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123  a thousand files: no Path each
            digest.update(file.read())
    return digest.hexdigest()


def _sources(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _sources(entry.path)
            elif entry.name.endswith(SUFFIXES):
                yield entry.path
