# SPDX-License-Identifier: Apache-2.0
"""What the mutants of both languages share: the sample, the score and how they are printed."""
# ruff: noqa: T201 (what it prints is what it is for)

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scipy.stats import binomtest

MUTANTS = Path("mutants")  # everything that a run writes; a later one goes on from there


@dataclass(frozen=True)
class Tried:
    """One small change of the source, and whether a test noticed it."""

    path: Path
    line: int
    killed: bool
    change: str = ""  # needed of survivors alone


def drawn(name: str, one_in: int, seed: int) -> bool:
    """Whether a mutant is in the sample. A change elsewhere in the source draws no other one."""
    digest = hashlib.sha256(f"{seed} {name}".encode()).digest()
    return int.from_bytes(digest[:8]) % one_in == 0


def report(folder: str, tried: Sequence[Tried]) -> None:
    """The score of a folder and of each file, then the survivors."""
    print(f"\n{folder}: {score(tried)}")
    for path in sorted({mutant.path for mutant in tried}):
        print(f"  {path}: {score([mutant for mutant in tried if mutant.path == path])}")
    for mutant in tried:
        if not mutant.killed:
            print(f"{mutant.path}:{mutant.line}: survived\n{mutant.change}")


def score(tried: Sequence[Tried]) -> str:
    """Killed of tried, with the 95 % interval of the share among all mutants."""
    if not tried:
        return "no mutant in the sample"
    killed = sum(mutant.killed for mutant in tried)
    share = binomtest(killed, len(tried)).proportion_ci(method="wilson")
    interval = f"{share.low:.0%} to {share.high:.0%}"
    return f"{killed} of {len(tried)} killed, {killed / len(tried):.0%} ({interval})"
