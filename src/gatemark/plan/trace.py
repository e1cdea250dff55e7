# SPDX-License-Identifier: Apache-2.0
"""What a plan replays: a source made here, by name, or a capture, by its file."""

import os
from pathlib import Path
from typing import Final

SOURCES: Final = ("game", "voip", "voip-vad", "video")  # made by `workload/source.py`


def located(trace: object, folder: Path) -> object:
    """A trace as a plan in `folder` names it, its file without regard to where we are."""
    if not isinstance(trace, str) or trace in SOURCES or not trace:
        return trace
    return str((folder / trace).resolve())


def fault(trace: str) -> str:
    """Why this cannot be replayed, as far as that is seen without reading it; empty if it can."""
    if trace in SOURCES:
        return ""
    path = Path(trace)
    fix = f"write {', '.join(SOURCES)} or the path of a pcap or pcapng file"
    if not path.is_file():
        return f"`trace` = '{trace}': there is no such file; {fix}"
    if not os.access(path, os.R_OK):
        return f"`trace` = '{trace}': it may not be read; chmod +r lets it"
    return ""
