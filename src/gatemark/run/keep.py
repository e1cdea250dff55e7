# SPDX-License-Identifier: Apache-2.0
"""Keep a lab open between commands: a process of its own holds it until it is asked to end.

`python -m gatemark.run.keep PATH SLOW_TO_PPS` is that process. It prints one JSON line: that a
lab is up, or why not. If it dies, the lab's lock is free and the next start removes the lab.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass

import msgspec
from pyroute2 import netns

from gatemark.error import GatemarkError, UsageError
from gatemark.node import isolated
from gatemark.plan.model import Arm, Workload
from gatemark.run.bench import Bench
from gatemark.run.stop import on_stop
from gatemark.station import lock
from gatemark.station.netns import Lab

KEPT = "kept"
PATIENCE_S = 10.0


@dataclass(frozen=True, slots=True)
class Kept:
    """An open lab."""

    lab: str
    holder: int  # pid
    purpose: str  # kept, or run: a run's own
    namespaces: tuple[str, ...]


def up(path: str, slow_to_pps: int) -> Kept:
    """Open a lab. Raises UsageError if one is open already."""
    if open_ := [kept for kept in labs() if kept.purpose == KEPT]:
        raise UsageError(f"lab {open_[0].lab} is open already: `gatemark lab down` first")
    holder = subprocess.Popen(
        isolated.python("gatemark.run.keep", path, str(slow_to_pps)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        text=True,
    )
    assert holder.stdout is not None
    reply = json.loads(holder.stdout.readline() or '{"error": "its holder died"}')
    if "error" in reply:
        raise GatemarkError(f"lab: {reply['error']}")
    return next(kept for kept in labs() if kept.lab == reply["lab"])


def labs() -> list[Kept]:
    """All labs that somebody holds."""
    spaces = sorted(netns.listnetns())
    return [
        Kept(
            lab, holder.pid, holder.purpose, tuple(s for s in spaces if s.startswith(f"gm-{lab}-"))
        )
        for lab in lock.names()
        if (holder := lock.holder(lab))
    ]


def opened() -> Kept:
    """The lab that `up` opened. Raises UsageError if there is none."""
    for kept in labs():
        if kept.purpose == KEPT:
            return kept
    raise UsageError("no lab is open: `gatemark lab up` opens one")


def down() -> str:
    """Take the open lab down; returns its name."""
    kept = opened()
    os.kill(kept.holder, signal.SIGTERM)
    until = time.monotonic() + PATIENCE_S
    while lock.holder(kept.lab):
        if time.monotonic() > until:
            raise GatemarkError(f"lab {kept.lab} did not go: end its holder, pid {kept.holder}")
        time.sleep(0.02)
    return kept.lab


async def _hold(path: str, slow_to_pps: int) -> None:
    end = asyncio.Event()
    on_stop(end.set)
    lab = Lab(purpose=KEPT)
    async with Bench(lab) as bench:
        await bench.prepare(msgspec.convert({"path": path}, Arm), Workload(), slow_to_pps)
        _say({"lab": lab.lab})
        await end.wait()


def _say(message: dict[str, str]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()
    # The caller goes on; nobody reads what comes after.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    try:
        asyncio.run(_hold(sys.argv[1], int(sys.argv[2])))
    except GatemarkError as error:
        _say({"error": str(error)})
        sys.exit(error.exit_code)
