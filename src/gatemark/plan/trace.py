# SPDX-License-Identifier: Apache-2.0
"""The traces of a plan: a source made here, by name, or a capture, by its file."""

import os
from pathlib import Path
from typing import Final

# Made by `kind/replay/source.py`.
SOURCES: Final = (
    "game",
    "game-modern",
    "voip",
    "voip-vad",
    "voip-opus",
    "video",
    "cloud-game",
    "isochronous",
)
# What takes longer is of no use, one way in ms: 150 for a conversation (ITU-T G.114), others ours.
DEADLINES_MS: Final[dict[str, tuple[int, ...]]] = {
    "game": (50, 100),
    "game-modern": (50, 100),
    "voip": (150,),
    "voip-vad": (150,),
    "voip-opus": (150,),
    "video": (150,),
    "cloud-game": (40,),
    "isochronous": (150,),
}
VOICE: Final = frozenset({"voip", "voip-vad"})  # G.711 in packets of 20 ms


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
