# SPDX-License-Identifier: Apache-2.0
"""`python -m benchmarks.algorithms [PART]...`: a line each of `what against ratio lo hi`."""

import argparse
import importlib
import importlib.util
import os
import sys

from benchmarks.compare import Comparison

PARTS = ("lpm", "filter", "match", "literals")


def main() -> int:
    """Run the parts that are asked for, all by default, and print each row when it is there."""
    parser = argparse.ArgumentParser(prog="benchmarks.algorithms", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)} (all)")
    parser.add_argument(
        "--rounds",
        type=int,
        default=15,
        help="interleaved rounds, of lpm in each process (%(default)s)",
    )
    parser.add_argument("--cpu", type=int, default=1, help="the CPU for both sides (%(default)s)")
    parser.add_argument("--table", help="a file with a full table: one ADDRESS/LENGTH by line")
    parser.add_argument("--captures", metavar="DIR", help="payloads for match and literals")
    parser.add_argument("--only", default="", help="of lpm and filter, rows with this in the name")
    parser.add_argument("--quick", action="store_true", help="leave out peers that build for long")
    arguments = parser.parse_args()
    for part in arguments.parts:
        if part not in PARTS:
            parser.error(f"no part {part}; there are {', '.join(PARTS)}")
    for part in arguments.parts or PARTS:
        if importlib.util.find_spec(f"benchmarks.algorithms.{part}") is None:
            continue
        for row in importlib.import_module(f"benchmarks.algorithms.{part}").rows(arguments):
            print(row if isinstance(row, str) else _line(row), flush=True)
    print("load {:.1f} {:.1f} {:.1f}".format(*os.getloadavg()), file=sys.stderr)
    return 0


def _line(row: Comparison) -> str:
    """The ratio of the medians, and half its range on either side."""
    lo, hi = row.ratio * (1 - row.spread), row.ratio * (1 + row.spread)
    return f"{row.what} {row.peer} {row.ratio:.3f} {lo:.3f} {hi:.3f}"


if __name__ == "__main__":
    sys.exit(main())
