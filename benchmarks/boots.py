# SPDX-License-Identifier: Apache-2.0
"""Time from `gatemark run` to the first trial on virtual gateways, from a snapshot and by a boot.

python -m benchmarks.boots [STATION ...] [--pairs N]

Both take turns, so a ratio of a pair is of one minute of the machine. CPU time is that of the whole
run, which has one trial of 0.2 s: it hardly depends on what else runs. The run that makes the
snapshot is before them, and is shown as well: it boots, and keeps what it booted.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path
from statistics import median

from gatemark.station.qemu.snapshot import SWITCH
from gatemark.store.trials import read

PLAN = """
schema = "gatemark.plan/1"
title = "A trial"
why = "It is the first."
reading = "As it is."
[[arm]]
path = "route"
[workload]
rate_pps = 500
flows = 4
duration_s = 0.2
[repeat]
times = 1
"""
WAYS = {"boot": "no", "snapshot": "yes"}


def first(station: str, folder: Path, way: str) -> tuple[float, float]:
    """Return the time to the first trial of a run, and the CPU time of the run, s."""
    plan, out = folder / "first.toml", folder / f"run-{time.monotonic_ns()}"
    plan.write_text(PLAN)
    began, before = time.time(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "gatemark", "run", plan, "--station", station, "--out", out],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, SWITCH: WAYS[way]},
    )
    if done.returncode not in (0, 3):
        raise SystemExit(f"{station}: {done.stderr.strip() or done.stdout.strip()}")
    lines = (out / "trials.jsonl").read_bytes().splitlines(keepends=True)
    started = min(datetime.fromisoformat(record.started) for record in read(lines).records)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return started.timestamp() - began, cpu_s


def main() -> None:
    """Print each pair, then the medians and the ratio of the pairs."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("stations", nargs="*", default=["qemu-x86"])
    parser.add_argument("--pairs", type=int, default=5)
    options = parser.parse_args()
    for station in options.stations:
        taken: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            made = first(station, folder, "snapshot")
            print(f"{station:14} makes a snapshot {_shown(made)}", flush=True)
            for _ in range(options.pairs):
                for way, times in taken.items():
                    times.append(first(station, folder, way))
                row = ", ".join(f"{way} {_shown(times[-1])}" for way, times in taken.items())
                print(f"{station:14} {row}", flush=True)
        for at, what in enumerate(("first trial", "CPU time")):
            boots, kept = ([pair[at] for pair in taken[way]] for way in WAYS)
            ratios = [short / long for long, short in zip(boots, kept, strict=True)]
            print(
                f"{station:14} {what}: boot {median(boots):.1f} s, snapshot {median(kept):.1f} s, "
                f"ratio {median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})",
                flush=True,
            )


def _shown(pair: tuple[float, float]) -> str:
    return f"{pair[0]:6.1f} s, CPU {pair[1]:5.1f} s"


if __name__ == "__main__":
    main()
