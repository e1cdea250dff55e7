# SPDX-License-Identifier: Apache-2.0
"""Whether each command line of digests.txt has one digest wherever it runs; prints TAP.

python tests/digests.py ARCH:LEVEL:QEMU...   QEMU is the emulator's path, or empty for this machine

The first ARCH:LEVEL is what the others are compared with.
"""
# ruff: noqa: T201 (what it prints is what it is for)

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

TESTS: Final = Path(__file__).resolve().parent
BUILD: Final = TESTS.parent / "build"
# One pass: what is asked here is what comes out, not how fast.
ONCE: Final = ("repeats=1", "pass_ms=0")


def main(places: Sequence[str]) -> int:
    """Print a test for each place and command line: 0, or 1 where one failed."""
    text = (TESTS / "digests.txt").read_text()
    commands = [line.split() for line in text.splitlines() if line and line[0] != "#"]
    pairs = [(place, command) for place in places for command in commands]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = [*pool.map(lambda pair: digests(*pair), pairs)]
    failed = 0
    for number, ((place, command), result) in enumerate(zip(pairs, results, strict=True)):
        arch, level, _ = place.split(":", 2)
        expected = results[number % len(commands)]
        equal = bool(result) and result == expected
        failed |= not equal
        print(f"{'ok' if equal else 'not ok'} - digests: {arch} -{level}: {' '.join(command)}")
        if not equal:
            print(f"# {result} where {expected} is expected")
    return failed


def digests(place: str, command: Sequence[str]) -> list[str]:
    """All digests that a command prints at a place; none where it failed."""
    arch, level, emulator = place.split(":", 2)
    program = BUILD / arch / level / "gm-algorithms"
    words = [emulator] * bool(emulator) + [str(program), *command, *ONCE]
    done = subprocess.run(words, cwd=TESTS, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"# {' '.join(words)}: {done.stderr.strip()}")
        return []
    records = [json.loads(line) for line in done.stdout.splitlines()]
    names = ((record, name) for record in records for name in sorted(record))
    return [f"{name}={record[name]}" for record, name in names if name.endswith("digest")]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
