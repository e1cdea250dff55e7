# SPDX-License-Identifier: Apache-2.0
"""python tests/commands.py PROGRAM: command lines of gm-algorithms at their bounds; prints TAP."""
# ruff: noqa: T201 (what it prints is what it is for)

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Final

ONCE: Final = ("repeats=1", "pass_ms=0")
EXIT_USAGE: Final = 2
LONGEST_LINE: Final = 4096


def main(program: str) -> int:
    """0, or 1 where a test failed."""
    failed = False
    for holds, name in tests(program):
        print(f"{'ok' if holds else 'not ok'} - {name}", flush=True)
        failed |= not holds
    return int(failed)


def tests(program: str) -> Iterator[tuple[bool, str]]:
    """Each test: whether it holds, and what it is."""
    yield (
        latencies(program, most=4 * LONGEST_LINE) == [lines * LONGEST_LINE for lines in (2, 3, 4)],
        "latency: the longest line begins with two lines",
    )
    yield (
        latency(program, most=LONGEST_LINE).returncode == EXIT_USAGE,
        "latency: less than two lines is refused",
    )


def latencies(program: str, most: int) -> list[float]:
    """The sizes for which there is a latency of the longest line; none where it failed."""
    done = latency(program, most)
    return [] if done.returncode else json.loads(done.stdout)["bytes"]


def latency(program: str, most: int) -> subprocess.CompletedProcess[str]:
    """The command, with the longest line."""
    words = ("platform", "measure=latency", f"line={LONGEST_LINE}", f"most={most}", *ONCE)
    return subprocess.run([program, *words], capture_output=True, text=True, check=False)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
