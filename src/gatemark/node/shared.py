# SPDX-License-Identifier: Apache-2.0
"""Folders that every user may write into: shared.sh for our scripts, the same look in Python."""

import os
import re
import shutil
import stat
from importlib import resources
from pathlib import Path
from typing import Final

from gatemark.node.quoted import literal

TEXT: Final = (resources.files("gatemark.node") / "shared.sh").read_text()
# The functions `ours`, `taken`, `fresh`, `put`, `sweep`, to go before a script that runs on a host.
# Without comments: dropbear takes a command of 9000 bytes at most.
SHELL: Final = literal(re.sub(r"^\s*#.*\n", "", TEXT, flags=re.MULTILINE))


def ours(path: Path) -> bool:
    """Return whether it is a folder or file of ours alone: our user's, closed, of one name."""
    try:
        about = path.lstat()
    except OSError:
        return False
    is_one = stat.S_ISDIR(about.st_mode) or (stat.S_ISREG(about.st_mode) and about.st_nlink == 1)
    return is_one and about.st_uid == os.geteuid() and not about.st_mode & 0o077


def remove(folder: Path) -> None:
    """Remove a folder that is ours alone; what is another's stays."""
    if ours(folder):
        shutil.rmtree(folder, ignore_errors=True)
