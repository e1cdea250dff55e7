# SPDX-License-Identifier: Apache-2.0
"""`python -m benchmarks.campaign [PART]`: without a part what a block costs, and the detectors.

scale      5 000 blocks on 1 000 stations in virtual time; Dask with 1 000 tokens
detectors  false alarms and steps found in made-up series, beside Otava where it is installed
searches   bisections of 64 builds: boots, and how many were right
death      SIGKILL of coordinator, worker, scheduler and block at random moments, 50 times each
overlap    two campaigns and two workers of one token: is a station ever held twice?
timed      four builds on three slowed gateways at two points, over three workers
counted    two kernels and two rule sets on three processors
alike      20 campaigns of builds that are alike: alarms
"""

import argparse
import importlib
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

PARTS = ("scale", "detectors", "searches", "death", "overlap", "timed", "counted", "alike")


def main() -> int:
    """Run a part; each of its facts is a line, and 1 is returned where one misses its target."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.campaign",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help="[scale detectors]")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--out", type=Path, help="a folder for what is measured; the same goes on")
    parser.add_argument("--count", type=int, default=0, help="kills, campaigns or minutes")
    asked = parser.parse_args()
    if unknown := set(asked.parts) - set(PARTS):
        parser.error(f"no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    missed = 0
    for part in asked.parts or PARTS[:2]:
        made = importlib.import_module(f"benchmarks.campaign.{part}")
        for what, value, target in made.facts(asked.count, asked.out):
            missed += target is not None and value > target
            if asked.json:
                line = {"what": what, "ours": value, "peer": "target", "theirs": target}
                print(json.dumps(line), flush=True)
            else:
                bound = f"   at most {target:g}" if target is not None else ""
                print(f"{what:60} {value:12.4f}{bound}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
