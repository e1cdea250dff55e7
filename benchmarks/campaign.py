# SPDX-License-Identifier: Apache-2.0
"""What a block costs the coordinator: 5 000 blocks on 1 000 stations, in virtual time.

The ledger and the scheduler are the real ones; stations only count (tests/fleet.py). Printed are
CPU and wall time and bytes of the ledger for each block, and how long a status takes.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import fleet

STATIONS, MODELS, REPEATS = 1000, 20, 250
TARGETS = {"ms of CPU a block": 2.0, "bytes a block": 1024.0, "s a status": 0.1}


def measured(synchronous: str) -> dict[str, float]:
    """By what is measured."""
    stations = [(f"station-{at:04d}", f"model-{at % MODELS:02d}") for at in range(STATIONS)]
    blocks = MODELS * REPEATS
    with tempfile.TemporaryDirectory() as folder:
        path, carrier = Path(folder), fleet.Fleet()
        made = fleet.ledger(path, carrier, stations, REPEATS, synchronous=synchronous)
        began, cpu = time.monotonic(), time.process_time()
        fleet.course(path, made, carrier).run()
        wall_s, cpu_s = time.monotonic() - began, time.process_time() - cpu
        began = time.monotonic()
        counts = made.counts()
        made.attempts("state IN ('claimed', 'started')")
        made.places()
        status_s = time.monotonic() - began
        assert sum(counts.values()) == blocks
        made.close()
        size = sum(file.stat().st_size for file in path.glob("campaign.db*"))
    return {
        "ms of CPU a block": 1e3 * cpu_s / blocks,
        "ms a block": 1e3 * wall_s / blocks,
        "bytes a block": size / blocks,
        "s a status": status_s,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--synchronous", default="FULL", choices=("OFF", "NORMAL", "FULL"))
    asked = parser.parse_args()
    for what, value in measured(asked.synchronous).items():
        target = TARGETS.get(what)
        if asked.json:
            print(json.dumps({"what": what, "ours": value, "peer": "target", "theirs": target}))
        else:
            print(f"{what:20} {value:10.4f}" + (f"   at most {target:g}" if target else ""))


if __name__ == "__main__":
    main()
