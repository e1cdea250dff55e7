# SPDX-License-Identifier: Apache-2.0
"""The processes in a namespace of ours: ended before it is removed."""

import os
import signal
import time
from pathlib import Path

PATIENCE_S = 5.0


def end_processes(name: str) -> None:
    """Kill every process that lives in one of our namespaces, and wait until it has gone."""
    inode = Path(f"/run/netns/{name}").stat().st_ino
    until = time.monotonic() + PATIENCE_S
    while (pids := _inside(inode)) and time.monotonic() < until:
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        time.sleep(0.01)


def _inside(inode: int) -> list[int]:
    return [int(path.name) for path in Path("/proc").glob("[0-9]*") if _netns(path) == inode]


def _netns(process: Path) -> int | None:
    try:
        if (process / "stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
            return None
        return (process / "ns/net").stat().st_ino
    except OSError:
        return None
