# SPDX-License-Identifier: Apache-2.0
"""A Dask cluster of real processes on the loopback, which is begun again where a part of it died.

Scheduler and workers are `gatemark campaign scheduler` and `worker`, with keys of their own. Blocks
are those of tests/unit/fleet/fake_block.py, unless a campaign's are wanted.
"""

import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import fleet
from command import SOURCES, environment

from gatemark.fleet import carrier, keys
from gatemark.fleet.course import Course
from gatemark.fleet.dask import Dask
from gatemark.fleet.ledger import Ledger
from gatemark.fleet.local import doing

HERE = Path(__file__).resolve().parent
FAKE = HERE / "unit" / "fleet" / "fake_block.py"
TRIAL_S = "GATEMARK_FAKE_TRIAL_S"
SCHEDULER = "scheduler"
TTL = """
import sys
from pathlib import Path
from gatemark.fleet import carrier
from gatemark.commands.campaign import carried
carrier.SCHEDULER["distributed.scheduler.worker-ttl"] = sys.argv[1]
carried.scheduler(Path(sys.argv[2]), "127.0.0.1", int(sys.argv[3]))
"""


def carry(campaign: str, task: bytes) -> bytes:
    """As `carrier.carry`, with fake blocks."""
    command = (sys.executable, "-S", "-E", str(FAKE), os.environ.get(TRIAL_S, "0.02"))
    carrier.local(campaign).command = command
    return carrier.carry(campaign, task)


def wait(begun: Path) -> None:
    """Tell by a file which process has begun, and work on for long."""
    begun.with_suffix(".new").write_text(str(os.getpid()))
    begun.with_suffix(".new").rename(begun)
    time.sleep(300)


class Cluster:
    """Of a scheduler and a worker a station; `tend` begins again what ended."""

    def __init__(
        self,
        folder: Path,
        places: Sequence[str],
        ttl: str = "5 minutes",
        before: Sequence[str] = (),
    ) -> None:
        self.folder = folder
        self.before = before
        self.keys = folder / "keys"
        self.ttl = ttl
        self.port = free_port()
        self.parts: dict[str, subprocess.Popen[bytes]] = {}
        self.environment = environment({"PYTHONPATH": f"{SOURCES}:{HERE}:{':'.join(sys.path)}"})
        self.names = (SCHEDULER, *places)
        self._over = threading.Event()
        if not self.keys.exists():  # a cluster that is begun once more
            keys.make(self.keys)

    @property
    def address(self) -> str:
        return f"tls://127.0.0.1:{self.port}"

    def start(self, name: str) -> None:
        log = (self.folder / "cluster.log").open("ab")
        words: list[str]
        if name == SCHEDULER:
            words = ["-c", TTL, self.ttl, str(self.keys), str(self.port)]
        else:
            at = f"dask://127.0.0.1:{self.port}"
            place = self.folder / f"worker-{name}"
            words = ["-m", "gatemark", "campaign", "worker", at, "--station", name]
            words += ["--keys", str(self.keys), "--folder", str(place)]
        self.parts[name] = subprocess.Popen(
            [*self.before, sys.executable, *words], stdout=log, stderr=log, env=self.environment
        )
        log.close()

    def tend(self) -> None:
        while not self._over.wait(0.1):
            for name in self.names:
                if name not in self.parts or self.parts[name].poll() is not None:
                    self.start(name)

    def kill(self, name: str, number: signal.Signals = signal.SIGKILL) -> None:
        with suppress(KeyError):
            self.parts[name].send_signal(number)

    def end(self) -> None:
        self._over.set()
        for part in self.parts.values():
            part.kill()
            part.wait()
        for place in self.folder.glob("worker-*/*/begun/*"):
            for pid in doing(place):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def going(self) -> list[int]:
        """The blocks' processes."""
        return [pid for at in self.folder.glob("worker-*/*/begun/*") for pid in doing(at)]

    def kill_a_block(self, rng: random.Random) -> bool:
        """Whether there was any."""
        with suppress(ProcessLookupError, IndexError):
            os.kill(rng.choice(self.going()), signal.SIGKILL)
            return True
        return False

    def retire(self) -> None:
        """Every worker, as an administrator does: what they do is not waited for."""
        with self.client() as client:
            client.retire_workers(close_workers=True)

    @contextmanager
    def client(self) -> Iterator[Any]:
        import dask
        import distributed

        with dask.config.set(carrier.secure(self.keys)):
            client = distributed.Client(self.address, timeout=20, set_as_default=False)
        try:
            yield client
        finally:
            client.close()


@contextmanager
def cluster(
    folder: Path, places: Sequence[str], ttl: str = "5 minutes", before: Sequence[str] = ()
) -> Iterator[Cluster]:
    """Begun, through the command `before`, and gone in the end with every block."""
    made = Cluster(folder, places, ttl, before)
    tending = threading.Thread(target=made.tend, daemon=True)
    tending.start()
    try:
        yield made
    finally:
        made._over.set()
        tending.join()
        made.end()


def course(folder: Path, made: Ledger, of: Cluster, campaign: str = "fake") -> Course:
    """A campaign of fake blocks on a cluster."""
    dask = Dask(folder, of.address, of.keys, campaign, carry)
    return Course(folder, made, dask, fleet.task, time.time)


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])
