# SPDX-License-Identifier: Apache-2.0
"""Time from `gatemark run` to the first trial on virtual gateways, from a snapshot and by a boot.

python -m benchmarks.boots [STATION ...] [--pairs N]

Both take turns, so a ratio of a pair is of one minute of the machine. The run that makes the
snapshot is before them, and is shown as well: it boots, and keeps what it booted.
"""

import argparse
import os
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


def first(station: str, folder: Path, way: str) -> float:
    """Return the time to the first trial of a run, s."""
    plan, out = folder / "first.toml", folder / f"run-{time.monotonic_ns()}"
    plan.write_text(PLAN)
    began = time.time()
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
    return started.timestamp() - began


def main() -> None:
    """Print each pair, then the medians and the ratio of the pairs."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("stations", nargs="*", default=["qemu-x86"])
    parser.add_argument("--pairs", type=int, default=5)
    options = parser.parse_args()
    for station in options.stations:
        taken: dict[str, list[float]] = {way: [] for way in WAYS}
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            before = first(station, folder, "snapshot")
            print(f"{station:14} makes a snapshot {before:6.1f} s", flush=True)
            for _ in range(options.pairs):
                for way, times in taken.items():
                    times.append(first(station, folder, way))
                row = ", ".join(f"{way} {times[-1]:6.1f} s" for way, times in taken.items())
                print(f"{station:14} {row}", flush=True)
        ratios = [kept / new for new, kept in zip(taken["boot"], taken["snapshot"], strict=True)]
        row = ", ".join(f"{way} {median(times):.1f} s" for way, times in taken.items())
        print(
            f"{station:14} median: {row}; ratio {median(ratios):.2f} "
            f"({min(ratios):.2f} to {max(ratios):.2f})",
            flush=True,
        )


if __name__ == "__main__":
    main()
