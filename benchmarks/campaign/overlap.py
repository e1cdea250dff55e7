# SPDX-License-Identifier: Apache-2.0
"""Is a station ever held twice? Two campaigns at once, by two schedulers with the same tokens.

Each scheduler has a worker of each station's name, so Dask alone would run two blocks of one
station at once. Below them blocks hold the station's lock, and its log says when they had it.
"""

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import dasked
import fleet

from benchmarks.campaign.death import COORDINATOR

MINUTES = 10
STATIONS = [("a", "m"), ("b", "m")]
REPEATS = 2000  # more than there is time for


def facts(count: int, out: Path | None) -> Iterator[tuple[str, float, float | None]]:
    """For so many minutes; `count` says how many."""
    del out
    minutes = count or MINUTES
    os.environ[dasked.TRIAL_S] = "0.05"
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        os.environ["GATEMARK_FAKE_LOG"] = str(folder)
        parts = []
        for campaign in ("first", "second"):
            place = folder / campaign
            place.mkdir()
            fleet.ledger(place, fleet.Fleet(), STATIONS, REPEATS).close()
            cluster = stack.enter_context(dasked.cluster(place, [n for n, _ in STATIONS]))
            words = [sys.executable, "-c", COORDINATOR, str(place), cluster.address]
            parts.append(subprocess.Popen(words, env=cluster.environment))
        rng, until = random.Random(1), time.monotonic() + 60 * minutes
        while time.monotonic() < until:
            time.sleep(rng.uniform(2.0, 6.0))
            cluster.kill_a_block(rng)
        for part in parts:
            part.kill()
            part.wait()
        logs = [_overlaps((folder / f"{name}.log").read_text()) for name, _ in STATIONS]
    yield "minutes", minutes, None
    yield "blocks that had a station", sum(blocks for blocks, _ in logs), None
    yield "of them beside another", sum(twice for _, twice in logs), 0


def _overlaps(text: str) -> tuple[int, int]:
    """Blocks, and those that ended after another began; one that was killed has no end."""
    lines = [line.split() for line in text.splitlines()]
    began: list[str] = []
    twice = 0
    for word, pid in lines:
        if word == "begin":
            began.append(pid)
        elif began[-1] != pid:
            twice += 1
    return len(began), twice
