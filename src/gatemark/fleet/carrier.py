# SPDX-License-Identifier: Apache-2.0
"""The work of a Dask worker for its one station, and the set-up of scheduler and workers.

A block runs in a process of its own (`local.py`); the task of Dask only waits for it. So a worker
that dies takes no block with it. Below the worker's folder each campaign has one: CAMPAIGN/begun/.
"""

import shutil
import tarfile
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec

from gatemark.fleet import kept, keys
from gatemark.fleet.executor import Task
from gatemark.fleet.ledger import Attempt
from gatemark.fleet.local import Local

POLL_S: Final = 3600.0
PIECE: Final = 1 << 20  # bytes
# Of the scheduler; in a client they do nothing. A task whose worker died is sent again by the
# coordinator alone, and never to another worker.
SCHEDULER: Final = {
    "distributed.scheduler.allowed-failures": 0,
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.scheduler.worker-ttl": "5 minutes",
    "distributed.scheduler.http.routes": [],
}
# Of a worker: nothing samples or moves beside a measurement.
WORKER: Final = {
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
    "distributed.worker.http.routes": [],
}
PORT: Final = 8786


def secure(folder: Path) -> dict[str, Any]:
    """Settings with which nobody is spoken with but by these keys. Raises UsageError."""
    keys.check(folder)
    place = folder.resolve()
    pairs = {
        f"distributed.comm.tls.{role}.{kind}": str(place / name)
        for role in ("scheduler", "worker", "client")
        for kind, name in (("cert", keys.CERT), ("key", keys.KEY))
    }
    return pairs | {
        "distributed.comm.require-encryption": True,
        "distributed.comm.tls.min-version": 1.3,
        "distributed.comm.tls.ca-file": str(place / keys.CA),
    }


def resource(place: str) -> str:
    """The token of a station, of which its worker has one."""
    return f"station-{place}"


@cache
def local(campaign: str) -> Local:
    """A campaign's blocks below the folder that this worker began in."""
    return Local(Path(campaign))


def carry(campaign: str, task: bytes) -> bytes:
    """Have a block done, or wait for who does it; how it ended."""
    executor = local(campaign)
    executor.begin(msgspec.json.decode(task, type=Task))
    while not (ends := executor.poll(POLL_S)):
        pass
    return msgspec.json.encode(ends[0])


def stop(campaign: str, name: str, kill: bool) -> None:
    """Signal the block of a folder."""
    local(campaign).stop(Attempt(0, 0, "", name, "started", 0.0, None, ""), kill=kill)


def packed(campaign: str, name: str) -> str:
    """Pack a block's run for `piece`; its hash."""
    place = local(campaign).begun / name
    with tarfile.open(place / "run.tar", "w") as tar:
        tar.add(place / "run", "run")
    return kept.hash_of(place / "run")


def piece(campaign: str, name: str, offset: int) -> bytes:
    """So much of what was packed; b"" at its end."""
    with (local(campaign).begun / name / "run.tar").open("rb") as tar:
        tar.seek(offset)
        return tar.read(PIECE)


def forget(campaign: str, name: str) -> None:
    """Remove what the coordinator has."""
    shutil.rmtree(local(campaign).begun / name, ignore_errors=True)
