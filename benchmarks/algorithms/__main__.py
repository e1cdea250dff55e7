# SPDX-License-Identifier: Apache-2.0
"""`python -m benchmarks.algorithms [lpm|filter|match]...`: `what against ratio lo hi` by line."""

import argparse
import importlib
import importlib.util
import os
import sys

PARTS = ("lpm", "filter", "match")


def main() -> int:
    """Run the parts that are asked for, all by default, and print each row when it is there."""
    parser = argparse.ArgumentParser(prog="benchmarks.algorithms", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help="lpm, filter or match (all)")
    parser.add_argument("--rounds", type=int, default=15, help="interleaved rounds (%(default)s)")
    parser.add_argument("--cpu", type=int, default=1, help="the CPU for both sides (%(default)s)")
    parser.add_argument("--table", help="a file with a full table: one ADDRESS/LENGTH by line")
    parser.add_argument("--quick", action="store_true", help="leave out peers that build for long")
    arguments = parser.parse_args()
    for part in arguments.parts:
        if part not in PARTS:
            parser.error(f"no part {part}; there are {', '.join(PARTS)}")
    for part in arguments.parts or PARTS:
        if importlib.util.find_spec(f"benchmarks.algorithms.{part}") is None:
            continue
        for row in importlib.import_module(f"benchmarks.algorithms.{part}").rows(arguments):
            print(row, flush=True)
    print("load {:.1f} {:.1f} {:.1f}".format(*os.getloadavg()), file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
