# SPDX-License-Identifier: Apache-2.0
"""Filters beside the crates xorf and fastbloom: same keys, same core, in alternating processes."""

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).parent
ALGORITHMS = HERE.parent.parent / "algorithms"
PROGRAM = ALGORITHMS / "build" / os.uname().machine / "O3" / "gm-algorithms"
CRATE = HERE / "peers" / "filters"
TARGET = ALGORITHMS / "build" / "peers" / "filters"  # git ignores it
SIZES = (65_536, 1_000_000)
PASSES = (30, 3)  # repeats in a process, and their least time in ms: the best is not disturbed
COMPARED = (
    ("fuse8/find", "fuse8", "query_ns", "xorf", "fuse-find"),
    ("fuse8/build", "fuse8", "insert_ns", "xorf", "fuse-build"),
    ("blocked-bloom/find", "bbf", "query_ns", "fastbloom", "bloom-find"),
    ("blocked-bloom/add", "bbf", "insert_ns", "fastbloom", "bloom-add"),
)


class MissingPeerError(Exception):
    """A program that this machine cannot build or run, and why."""


def rows(arguments: argparse.Namespace) -> Iterator[str]:
    """Yield lines `what against ratio lo hi`; a ratio above 1 says that ours is faster."""
    try:
        peer = _built()
    except MissingPeerError as missing:
        yield f"# filter skipped: {missing}"
        return
    for what, structure, field, crate, operation in COMPARED:
        for keys in SIZES:
            if arguments.only not in f"{what}/{keys}":
                continue
            ratios = [
                _ratio(arguments.cpu, keys, [str(peer), operation], structure, field)
                for _ in range(arguments.rounds)
            ]
            line = f"{median(ratios):.2f} {min(ratios):.2f} {max(ratios):.2f}"
            yield f"{what}/{keys} {crate} {line}"


def _ratio(cpu: int, keys: int, peer: list[str], structure: str, field: str) -> float:
    """Nanoseconds of theirs over those of ours, half of the queries being members."""
    repeats, pass_ms = PASSES
    words = [f"structure={structure}", f"n={keys}", "hit_pct=50"]
    words += [f"repeats={repeats}", f"pass_ms={pass_ms}"]
    ours = _record(cpu, [str(PROGRAM), "filter", *words])
    theirs = _record(cpu, [*peer, str(keys), "50", str(repeats), str(pass_ms)])
    if ours["query_digest"] != theirs["query_digest"]:
        raise ValueError(f"{structure}: the crate was asked for other keys")
    return float(min(theirs["ns"]) / min(ours[field]))


def _record(cpu: int, command: list[str]) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(_output(["taskset", "-c", str(cpu), *command]))
    return record


def _built() -> Path:
    """Build both sides; the crates need cargo and a registry or its cache."""
    if not shutil.which("cargo"):
        raise MissingPeerError("no cargo")
    zig = f"ZIG={sys.executable} -m ziglang"
    _output(["make", "-C", str(ALGORITHMS), zig, str(PROGRAM.relative_to(ALGORITHMS))])
    cargo = ["cargo", "build", "--release", "--locked", "--target-dir", str(TARGET)]
    _output([*cargo, "--manifest-path", str(CRATE / "Cargo.toml")])
    return TARGET / "release" / "filters"


def _output(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = done.stderr.strip().splitlines() or ["failed"]
        raise MissingPeerError(f"{Path(command[0]).name}: {reason[-1]}")
    return done.stdout
