# SPDX-License-Identifier: Apache-2.0
"""Four builds on three slowed gateways of the built-in lab, a Dask worker each: who is slower?

Two builds are alike, one has a rule more, one a thousand. The gates have to fail for the thousand
on each model at both points, and for no other. With `--out` the same command goes on, so it may be
measured in pieces.
"""

import random
import time
from collections.abc import Iterator
from pathlib import Path

import dasked

from benchmarks.campaign.running import placed, run
from gatemark.commands.campaign import answer, carried, coordinate
from gatemark.judge.change.gate import ratios
from gatemark.judge.math import signed

MODELS = {"quick": 60_000, "middle": 40_000, "slow": 25_000}
SLOWER, ALIKE = "rules", "alike"
DRAWN, BLOCKS = 1000, 6  # campaigns of builds that are alike, with what was measured here
ALPHA = 0.05
REPEATS = 10
BUILDS = {"field": "route", ALIKE: "route", "rule": "route+filter:1", SLOWER: "route+filter:1000"}
SUITES = """
[[suite]]
plan = "rfc/mrr"
set = [
  "sweep.frame_bytes=[64, 512]", "workload.duration_s=0.5", "repeat.times=1", "probe.use=[]",
]
"""


def text() -> str:
    """The campaign file."""
    lines = ['schema = "gatemark.campaign/1"', 'title = "Four builds on three slowed gateways"']
    lines.append(f"repeats = {REPEATS}")
    for name, rate in MODELS.items():
        lines += ["[[model]]", f'name = "{name}"', 'stations = ["lab"]']
        lines.append(f'set = ["gateway.slow_to_pps={rate}"]')
    for name, setup in BUILDS.items():
        lines += ["[[build]]", f'name = "{name}"', f'setup = "{setup}"']
    lines.append(SUITES)
    for name in [*BUILDS][1:]:
        lines += ["[[gate]]", f'build = "{name}"', 'against = "field"', 'allow = "3%"']
    return "\n".join(lines) + "\n"


def facts(count: int, out: Path | None) -> Iterator[tuple[str, float, float | None]]:
    """Gates by how they ended, and how long it took."""
    del count
    with placed(out) as folder:
        (folder / "timed.toml").write_text(text())
        places = ["lab", "lab#2", "lab#3"]
        with dasked.cluster(folder, places) as cluster:
            began = time.monotonic()
            rows = [row for row in _campaign(folder, cluster) if row["row"] == "gate"]
            yield "minutes", (time.monotonic() - began) / 60, 30
        yield "share of drawn campaigns of the alike builds that alarm", _alarms(folder), 0.065
    slow = [row for row in rows if row["build"] == SLOWER]
    others = [row for row in rows if row["build"] != SLOWER]
    yield "gates of the slower build", len(slow), None
    yield "of them not failed", sum(row["gate"] != "failed" for row in slow), 0
    yield "gates of the others", len(others), None
    yield "of them failed", sum(row["gate"] == "failed" for row in others), 0
    yield "of them undecided", sum(row["gate"] == "undecided" for row in others), None


def _campaign(folder: Path, cluster: dasked.Cluster) -> list[dict[str, object]]:
    at = f"dask://127.0.0.1:{cluster.port}"
    if (folder / "campaign" / "campaign.db").exists():  # that of another cluster
        carried.keep(folder / "campaign", at, cluster.keys)
    words = ("--executor", at, "--keys", str(cluster.keys))
    return run(folder / "timed.toml", folder / "campaign", *words)[1]


def _alarms(folder: Path) -> float:
    """The share of campaigns, drawn from the recorded ratios of a row each, that alarm."""
    layout, ledger = coordinate.opened(folder / "campaign")
    made = answer.campaigned(layout, ledger, folder / "campaign")
    rows = [ratios(row, ALIKE, "field") for row in made.rows]
    rng = random.Random(1)
    drawn = [rng.choices(rng.choice(rows), k=BLOCKS) for _ in range(DRAWN)]
    return sum(signed.p_value(values) <= ALPHA for values in drawn) / DRAWN
