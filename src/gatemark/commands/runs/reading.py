# SPDX-License-Identifier: Apache-2.0
"""A run that a verb reads: what is not whole is reported on stderr, the rest is used."""

import gc
from pathlib import Path
from typing import TYPE_CHECKING

from gatemark.commands.console import output

if TYPE_CHECKING:
    from gatemark.store.contents import Contents


def read(path: Path) -> "Contents":
    """The run in a directory. Raises GatemarkError where there is none, or none to read."""
    from gatemark.store.directory import RunDirectory

    # Records are in no circle: to look for one among a million objects takes longer than to judge.
    gc.disable()
    try:
        contents = RunDirectory.open(path).contents()
    finally:
        gc.freeze()
        gc.enable()
    for fault in contents.faults:
        output.say(f"{path}: {fault}", err=True)
    if contents.is_going:
        output.say(f"{path}: is being measured just now; this is what it has so far", err=True)
    return contents
