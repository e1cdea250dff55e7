# SPDX-License-Identifier: Apache-2.0
"""A file that is written whole or not at all: who reads it meanwhile reads the old one."""

import os
import secrets
from pathlib import Path


def write(path: Path, data: bytes) -> None:
    """Write or replace `path`; it is on the disk when this returns. Raises OSError.

    What is no regular file (/dev/stdout, a pipe) is written to, never replaced.
    """
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    path = path.resolve()  # a link stays a link
    # Hidden, and without the suffix that others look for while it is not whole.
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with draft.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _sync_folder(path: Path) -> None:
    """Make a rename itself lasting (fsync(2), notes)."""
    handle = os.open(path, os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
