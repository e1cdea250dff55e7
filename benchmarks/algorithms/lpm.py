# SPDX-License-Identifier: Apache-2.0
"""Longest prefix match beside DPDK and the crate treebitmap: same table, queries, core, results."""

import argparse
import json
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from statistics import median

HERE = Path(__file__).parent
ALGORITHMS = HERE.parent.parent / "algorithms"
MIXES = ("uniform", "in-table", "zipf")
PROCESSES = 5  # of a row: where a table's pages lie in memory makes a fifth of its speed
FOLDERS = ("lpm", "treebitmap")
PROGRAM = (
    *("command/lpm_structure", "command/lpm_table"),
    *("program/record", "program/ask", "program/file", "program/timing"),
)
# What the Makefile compiles a processor's own paths with.
OF_PATH = {
    "popcnt": ("-mpopcnt",),
    "avx512": ("-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq", "-mbmi2"),
}
TREEBITMAP = "tbm5p20"  # of stride 5; the smallest and fastest of a full table
DPDK = ("eal", "fib", "lpm", "rib", "mempool", "ring")


class MissingPeerError(Exception):
    """A peer that this machine cannot build or run, and why."""


def rows(arguments: argparse.Namespace) -> Iterator[str]:
    """Yield lines `what against ratio lo hi`; a ratio above 1 says that ours is faster."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            fib = _fib(Path(folder))
        except MissingPeerError as missing:
            yield f"# lpm skipped: {missing}"
            return
        yield from _dpdk(fib, arguments)
        try:
            crate = _crate(Path(folder))
        except MissingPeerError as missing:
            yield f"# treebitmap4 skipped: {missing}"
            return
        yield from _treebitmap(fib, crate, arguments, Path(folder))


def _dpdk(fib: Path, arguments: argparse.Namespace) -> Iterator[str]:
    for name, table in _tables(arguments):
        families = (4, 6) if name == "full" else (4,)
        for family in families:
            peers = _peers(family, full=name == "full", quick=arguments.quick)
            for mix in MIXES:
                best = f"lpm{family}-best/{name}/{mix}"
                simd = best.replace("best", "simd")
                rows = [(best, peer) for peer in peers]
                rows += [(simd, peer) for peer in peers if peer == "fib-simd" and name == "full"]
                for what, peer in rows:
                    if arguments.only in what:
                        yield _row(fib, arguments, what, table, peer)


def _peers(family: int, *, full: bool, quick: bool) -> list[str]:
    if family == 6:
        return ["fib6", "fib6-simd"] + ([] if quick else ["lpm6"])
    return ["fib", "fib-simd"] + (["lpm"] if full and not quick else [])


def _tables(arguments: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """Seeded tables of the study's sizes, and the full table that the user names."""
    yield "1009", "generated:1009:1"
    yield "10084", "generated:10084:1"
    if arguments.table:
        yield "full", arguments.table


def _row(fib: Path, arguments: argparse.Namespace, what: str, table: str, peer: str) -> str:
    best, _, mix = what.split("/")
    family = best[3]
    impl = "fast" if "simd" in best else "portable"
    words = [table, family, mix, best, impl, peer, str(arguments.rounds)]
    rounds: list[list[float]] = []
    processes = 1 if arguments.quick or peer == "lpm" else PROCESSES  # rte_lpm builds for a minute
    try:
        for _ in range(processes):
            rounds += json.loads(_output(_pinned(arguments, [str(fib), *words])))["rounds"]
    except MissingPeerError as missing:
        return f"# {what} {peer} skipped: {missing}"
    return _line(what, f"rte_{peer}", [theirs / ours for ours, theirs in rounds])


def _treebitmap(
    fib: Path, crate: Path, arguments: argparse.Namespace, folder: Path
) -> Iterator[str]:
    """Ours in one process and the crate in another, a few passes each in turn."""
    for (name, table), impl in product(_tables(arguments), ("portable", "fast")):
        for mix in MIXES:
            what = f"treebitmap4/{name}/{mix}"
            if arguments.only not in what:
                continue
            dump = [str(fib), table, "4", mix, TREEBITMAP, impl, f"dump:{folder}", "1"]
            expected = json.loads(_output(dump))["digest"]
            ratios = []
            for _ in range(3):
                theirs = json.loads(
                    _output(_pinned(arguments, [str(crate), str(folder), "4", "5"]))
                )
                if theirs["digest"] != expected:
                    raise ValueError(f"{what}: the crate's next hops differ from ours")
                ours = _output(_pinned(arguments, [*dump[:6], "none", "5"]))
                ratios.append(min(theirs["ns"]) / min(r[0] for r in json.loads(ours)["rounds"]))
            yield _line(f"{what}, {impl}", "treebitmap", ratios)


def _line(what: str, against: str, ratios: list[float]) -> str:
    return f"{what} {against} {median(ratios):.2f} {min(ratios):.2f} {max(ratios):.2f}"


def _pinned(arguments: argparse.Namespace, command: list[str]) -> list[str]:
    return ["taskset", "-c", str(arguments.cpu), *command]


def _output(command: list[str], cwd: Path | None = None) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)
    if done.returncode:
        raise MissingPeerError(
            done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "failed"
        )
    return done.stdout


def _fib(folder: Path) -> Path:
    """Build our library and DPDK's peer program with the same compiler."""
    if not shutil.which("pkg-config") or not shutil.which("clang"):
        raise MissingPeerError("no pkg-config or no clang")
    flags = shlex.split(_output(["pkg-config", "--cflags", "libdpdk"]))
    include = [f"-I{ALGORITHMS}/include", f"-I{ALGORITHMS}/src"]
    own = ["-std=c99", "-D_POSIX_C_SOURCE=200809L", "-D_DEFAULT_SOURCE", '-DGM_FLAGS="-O3"']
    program = [ALGORITHMS / "src" / f"{name}.c" for name in PROGRAM]
    objects = []
    library = [path for name in FOLDERS for path in sorted((ALGORITHMS / "src" / name).glob("*.c"))]
    for each in [*library, *program]:
        made = folder / f"{each.stem}.o"
        extra = OF_PATH.get(each.stem.rpartition("_")[2], ())
        _output(["clang", "-O3", *own, *extra, *include, "-c", str(each), "-o", str(made)])
        objects.append(str(made))
    libraries = ["-Wl,--no-as-needed", *(f"-lrte_{name}" for name in DPDK)]
    source = str(HERE / "peers" / "fib.c")
    made = folder / "fib"
    _output(["clang", "-O3", *flags, *include, source, *objects, "-o", str(made), *libraries])
    return made


def _crate(folder: Path) -> Path:
    if not shutil.which("cargo"):
        raise MissingPeerError("no cargo")
    environment = {**os.environ, "CARGO_TARGET_DIR": str(folder / "cargo")}
    done = subprocess.run(
        ["cargo", "build", "--quiet", "--release"],
        cwd=HERE / "peers" / "treebitmap",
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise MissingPeerError(f"cargo: {done.stderr.strip().splitlines()[-1]}")
    return folder / "cargo" / "release" / "treebitmap-peer"
