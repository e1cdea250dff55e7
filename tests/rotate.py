# SPDX-License-Identifier: Apache-2.0
"""Moves CI's part of the long tests on, in the first commit of a change.

python tests/rotate.py && git commit -m "CI: the next quarter" tests/quarter.toml

The change is what comes on top of the commit that is checked out. Where it was forgotten, CI holds
two changes against the older base: it runs more, never less.
"""
# ruff: noqa: T201 (what it prints is what it is for)

import subprocess

from runner.process import ROOT
from runner.quarter import FILE, QUARTERS, Quarter, read


def main() -> None:
    """Write the file."""
    command = ["git", "-C", str(ROOT), "rev-parse", "HEAD"]
    head = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    moved = Quarter((read().number + 1) % QUARTERS, head)
    (ROOT / FILE).write_text(moved.toml)
    print(f"{FILE}: quarter {moved.number}, since {moved.base}")


if __name__ == "__main__":
    main()
