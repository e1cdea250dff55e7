# SPDX-License-Identifier: Apache-2.0
"""A folder for the moment, removed as it ends; the next of them removes what a killed one left."""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

PLACE: Final = Path("/var/tmp")  # noqa: S108  a new name in it, for this user alone
NAME: Final = "gatemark-scratch-"
BUILDER: Final = 65534  # nobody, who builds for root (node/nobody.py)
YOUNG_S: Final = 60.0  # whoever made it may not hold it yet


@contextmanager
def folder() -> Iterator[Path]:
    """Make a fresh folder, held by a lock that ends with this process."""
    sweep()
    with tempfile.TemporaryDirectory(prefix=NAME, dir=PLACE) as name:
        held = os.open(name, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(held, fcntl.LOCK_EX)
            yield Path(name)
        finally:
            os.close(held)


def sweep() -> None:
    """Remove the folders of processes that are no more."""
    for path in PLACE.glob(f"{NAME}*"):
        if _is_left(path):
            shutil.rmtree(path, ignore_errors=True)


def _is_left(path: Path) -> bool:
    """Return True for an old folder that nobody holds, of ours or of who builds for root.

    A link is never followed.
    """
    try:
        held = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        about = os.fstat(held)
        builders = (0, BUILDER) if os.geteuid() == 0 else (os.geteuid(),)
        if about.st_uid not in builders or time.time() - about.st_mtime < YOUNG_S:
            return False
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(held)
    return True
