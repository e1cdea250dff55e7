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
from collections.abc import Callable
from dataclasses import dataclass

import msgspec
from pyroute2 import netns

from gatemark.error import GatemarkError, UsageError
from gatemark.node import isolated, leftover
from gatemark.node.reader import reader
from gatemark.node.shield import whole
from gatemark.plan.model import Arm, Workload
from gatemark.run import stop
from gatemark.run.bench import Bench
from gatemark.station import blocking, lock
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


def up(path: str, slow_to_pps: int, tell: Callable[[str], object]) -> Kept:
    """Open a lab. Raises UsageError if one is open already, StoppedError if a signal ends it.

    `tell` is given a line where signals come while a lab that was begun is taken down.
    """
    if open_ := [kept for kept in labs() if kept.purpose == KEPT]:
        raise UsageError(f"lab {open_[0].lab} is open already: `gatemark lab down` first")
    lab = _lab(stop.run(_begin(path, slow_to_pps), tell) or '{"error": "its holder died"}')
    return next(kept for kept in labs() if kept.lab == lab)


@reader("what its holder says")
def _lab(text: str) -> str:
    """The name of a lab that is up. Raises GatemarkError with the reason where it is not."""
    reply = json.loads(text)
    if "error" in reply:
        raise GatemarkError(f"lab: {reply['error']}")
    return str(reply["lab"])


async def _begin(path: str, slow_to_pps: int) -> str:
    """Start the holder; returns what it says. Who is stopped meanwhile leaves none."""
    holder = _holder(path, slow_to_pps)
    assert holder.stdout is not None
    reply = asyncio.create_task(asyncio.to_thread(holder.stdout.readline))
    try:
        return await asyncio.shield(reply)
    except asyncio.CancelledError:
        holder.terminate()
        await whole(reply)
        await blocking.run(holder.wait)
        raise


def _holder(path: str, slow_to_pps: int) -> "subprocess.Popen[str]":
    """The process that holds the lab. One of asyncio's would end with its loop."""
    return subprocess.Popen(
        isolated.python("gatemark.run.keep", path, str(slow_to_pps)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        text=True,
    )


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
    leftover.forget(kept.lab)
    return kept.lab


async def _hold(path: str, slow_to_pps: int) -> None:
    lab = Lab(purpose=KEPT)
    async with Bench(lab) as bench:
        await bench.prepare(msgspec.convert({"path": path}, Arm), Workload(), slow_to_pps)
        _say({"lab": lab.lab})
        await asyncio.Event().wait()  # a signal ends it


def _say(message: dict[str, str]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()
    # The caller goes on; nobody reads what comes after.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    try:
        stop.run(_hold(sys.argv[1], int(sys.argv[2])), lambda _: None)
    except stop.StoppedError:
        sys.exit()
    except GatemarkError as error:
        _say({"error": str(error)})
        sys.exit(error.exit_code)
