# SPDX-License-Identifier: Apache-2.0
"""Moves CI's part of the long tests on, in the last commit of a change.

python tests/rotate.py [--again] && git commit -m "CI: the next quarter" tests/quarter.toml

The change is what came since the file was moved on before. With `--again` it was already moved on
for this change, and commits came behind.
"""
# ruff: noqa: T201 (what it prints is what it is for)

import argparse
import subprocess
from dataclasses import replace

from runner.process import ROOT
from runner.quarter import FILE, QUARTERS, Quarter, read


def main() -> None:
    """Write the file."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--again", action="store_true", help="the same change has more commits")
    moved = again() if options.parse_args().again else onward()
    (ROOT / FILE).write_text(moved.toml)
    print(f"{FILE}: quarter {moved.number}, {moved.commits} commits since {moved.base}")


def onward() -> Quarter:
    """The next quarter, of the change since the file was moved on before."""
    base = git("log", "-1", "--format=%H", "--", str(FILE))
    return Quarter((read().number + 1) % QUARTERS, base, commits(base))


def again() -> Quarter:
    """The same quarter and base, with as many commits as there are now."""
    quarter = read()
    return replace(quarter, commits=commits(quarter.base))


def commits(base: str) -> int:
    """The number of commits since then, with the one that is about to come."""
    return int(git("rev-list", "--count", f"{base}..HEAD")) + 1


def git(*words: str) -> str:
    """Return the text that git prints."""
    command = ["git", "-C", str(ROOT), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    main()
