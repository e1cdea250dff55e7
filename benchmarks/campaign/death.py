# SPDX-License-Identifier: Apache-2.0
"""SIGKILL at random moments of a campaign of fake blocks over real Dask processes.

Coordinator, worker, scheduler and block are killed so many times each, in random order; what died
is begun again. Most kills wait until a block goes on; one in four does not, so that it meets what
the kill before it left. In the end each block counts once, with each of its trials once.
"""

import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import dasked
import fleet
from dasked import SCHEDULER, Cluster

from gatemark.fleet import kept
from gatemark.fleet.ledger import Ledger

KILLS = 50  # of each kind
STATIONS = [("a", "m"), ("b", "m"), ("c", "n")]
PLACES = [name for name, _ in STATIONS]
KINDS = ("coordinator", "worker", SCHEDULER, "block")
TRIALS = 5
REPEATS = 6  # of each model, for each kill of a kind
AT_ONCE = 0.25  # share of the kills that wait for nothing
PATIENCE_S = 120.0  # until a block goes on
MOST_TIMES = 20  # that the campaign is gone on with in the end
COORDINATOR = """
import sys, time
from pathlib import Path
import dasked, fleet
from gatemark.fleet.course import Course
from gatemark.fleet.dask import Dask
from gatemark.fleet.ledger import Ledger
folder, address = Path(sys.argv[1]), sys.argv[2]
made = Ledger(folder / "campaign.db", time.time, synchronous="OFF")
dask = Dask(folder, address, folder / "keys", "fake", dasked.carry)
Course(folder, made, dask, fleet.task, time.time).run()
"""


def facts(count: int, out: Path | None) -> Iterator[tuple[str, float, float | None]]:
    """How often each was killed, and what was lost or double."""
    del out
    os.environ[dasked.TRIAL_S] = "0.2"
    kills = count or KILLS
    blocks = 2 * REPEATS * kills
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fleet.ledger(folder, fleet.Fleet(), STATIONS, blocks // 2).close()
        began = time.monotonic()
        with dasked.cluster(folder, PLACES) as cluster:
            killed = _killed(folder, cluster, kills)
            _ended(folder, cluster)
        for kind in KINDS:
            yield f"kills of the {kind}", killed[kind], None
        yield "kills that did not come to pass", len(KINDS) * kills - killed.total(), 0
        yield "minutes", (time.monotonic() - began) / 60, None
        yield from _faults(folder, blocks)


def _killed(folder: Path, cluster: Cluster, kills: int) -> Counter[str]:
    rng, killed = random.Random(kills), Counter[str]()
    left = [kind for kind in KINDS for _ in range(kills)]
    rng.shuffle(left)
    coordinator = _coordinator(folder, cluster)
    for kind in left:
        is_patient = kind == "block" or rng.random() > AT_ONCE
        until = time.monotonic() + (PATIENCE_S if is_patient else 0.0)
        while time.monotonic() < until and not cluster.going():
            if coordinator.poll() is not None:
                coordinator = _coordinator(folder, cluster)
            time.sleep(0.05)
        time.sleep(rng.uniform(0.0, 0.5))
        if kind == "coordinator":
            coordinator.kill()
            coordinator.wait()
            coordinator = _coordinator(folder, cluster)
        elif kind == "block":
            if not any(_tried(lambda: cluster.kill_a_block(rng))):
                continue
        else:
            cluster.kill(SCHEDULER if kind == SCHEDULER else rng.choice(PLACES))
        killed[kind] += 1
    coordinator.kill()
    coordinator.wait()
    return killed


def _tried(kill: Callable[[], bool]) -> Iterator[bool]:
    """Again and again, as a block may just have ended; whether it did something."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        yield kill()
        time.sleep(0.02)


def _ended(folder: Path, cluster: Cluster) -> None:
    """Gone on with until nothing is left; a station that was quarantined by kills is taken back."""
    for _ in range(MOST_TIMES):
        made = Ledger(folder / "campaign.db", time.time)
        left = made.blocks("state IN ('waiting', 'running')")
        for place in made.places():
            if place.state == "quarantined":
                made.mark(place.name, "ok", "")
        made.close()
        if not left:
            return
        _coordinator(folder, cluster).wait()


def _coordinator(folder: Path, cluster: Cluster) -> "subprocess.Popen[bytes]":
    with (folder / "coordinator.log").open("ab") as log:
        words = [sys.executable, "-c", COORDINATOR, str(folder), cluster.address]
        return subprocess.Popen(words, env=cluster.environment, stdout=log, stderr=log)


def _faults(folder: Path, blocks: int) -> Iterator[tuple[str, float, float | None]]:
    made = Ledger(folder / "campaign.db", time.time)
    counted = Counter(attempt.block for attempt in made.attempts("state = 'done'"))
    yield "blocks", blocks, None
    yield "blocks that are not done", blocks - len(counted), 0
    yield "blocks that count twice", sum(count > 1 for count in counted.values()), 0
    wanted = [str(number) for number in range(TRIALS)]
    trials = folders = 0
    for attempt in made.attempts("state = 'done'"):
        run = folder / "runs" / attempt.folder
        trials += (run / "trials.jsonl").read_text().split() != wanted
        folders += kept.hash_of(run) != attempt.hash
    yield "blocks with trials lost or double", trials, 0
    yield "blocks whose folder has another hash", folders, 0
    yield "faults of the database", len(made.faults()), 0
    yield "attempts that do not count", len(made.attempts("state IN ('void', 'failed')")), None
