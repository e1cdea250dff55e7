# SPDX-License-Identifier: Apache-2.0
"""A file that is written whole or not at all: who reads it meanwhile reads the old one."""

from pathlib import Path

from gatemark.store.folder import Folder


def write(path: Path, data: bytes) -> None:
    """Write or replace a file that the user named; it is on the disk when this returns.

    A link is followed, and what is no regular file (/dev/stdout, a pipe) is written to, never
    replaced. Raises OSError.
    """
    if path.exists() and not path.is_file():
        path.write_bytes(data)
    else:
        put(path.resolve(), data)  # a link stays a link


def put(path: Path, data: bytes) -> None:
    """Write or replace a file where nobody named one: in a run, in a folder of runs.

    What lies there may be a stranger's, so a link is refused (folder.py). Raises OSError.
    """
    Folder(path.parent).write(path.name, data)
