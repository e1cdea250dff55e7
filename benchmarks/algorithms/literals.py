# SPDX-License-Identifier: Apache-2.0
"""Literals: our filter compared with Hyperscan, our Aho-Corasick with the crate aho-corasick.

One process holds all engines and times them in turn on one core. All must find the same pairs
of record and literal, or nothing is printed. Rates are MB/s of payload, of a turn's fastest scan.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.algorithms import strings
from benchmarks.compare import Comparison, compare, compare_less, progress

ROOT = Path(__file__).resolve().parents[2]
ALGORITHMS = ROOT / "algorithms"
PEERS = Path(__file__).parent / "peers"
COUNTS = (100, 1000, 8070)
RECORDS = 3000
PARTS = ("common", "pattern", "automaton", "literal", "match", "payload")  # of our sources

# What the Makefile compiles a processor's own paths with.
AVX2 = ("-mavx2", "-mpopcnt", "-mbmi", "-mbmi2")
AVX512 = ("-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq")
OF_PATH = {"avx2": AVX2, "avx512": AVX2 + AVX512}

Engine = dict[str, Any]


def rows(arguments: argparse.Namespace) -> list[Comparison]:
    """`literals/N` by path against Hyperscan, and `aho-corasick/N` with its bytes."""
    captures = getattr(arguments, "captures", None)
    records = strings.captured(Path(captures)) if captures else strings.http(RECORDS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = _built(folder)
        strings.write(folder / "records", records)
        rows = []
        for count in COUNTS:
            progress(f"{count} literals")
            strings.write(folder / "literals", strings.literals(count))
            rows += _compared(count, _timed(program, folder, getattr(arguments, "rounds", 7)))
    return rows


def _compared(count: int, engines: dict[str, Engine]) -> list[Comparison]:
    peer = engines["hyperscan"]["mb_s"]
    made = [
        compare(f"literals/{count}, {path}", engines[path]["mb_s"], "hyperscan", peer, "MB/s")
        for path in ("portable", "avx2", "avx512")
        if path in engines
    ]
    for form in ("dense", "compact"):
        ours, theirs = engines[f"ac-{form}"], engines[f"crate-{form}"]
        what = f"aho-corasick/{count}, {form}"
        made.append(compare(what, ours["mb_s"], "crate", theirs["mb_s"], "MB/s"))
        size = [float(ours["bytes"])], [float(theirs["bytes"])]
        made.append(compare_less(f"{what}, tables", size[0], "crate", size[1], "bytes"))
    return made


def _timed(program: Path, folder: Path, rounds: int) -> dict[str, Engine]:
    command = [str(program), str(folder / "literals"), str(folder / "records"), str(rounds)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    engines = {engine["engine"]: engine for engine in map(json.loads, output.splitlines())}
    if len({engine["pairs"] for engine in engines.values()}) != 1:
        raise SystemExit(f"literals: the engines found different pairs: {output}")
    return engines


def _built(folder: Path) -> Path:
    """Our library, the crate and the program that holds all engines."""
    library = folder / "algorithms"
    crate = folder / "crate"
    library.mkdir()
    for source in (path for part in PARTS for path in (ALGORITHMS / "src" / part).glob("*.c")):
        path = source.stem.rpartition("_")[2]
        flags = (*_flags(), *OF_PATH.get(path, ()))
        _run("clang", *flags, "-c", source, "-o", library / f"{source.stem}.o")
    manifest = PEERS / "aho_corasick" / "Cargo.toml"
    _run("cargo", "build", "-q", "--release", "--manifest-path", manifest, "--target-dir", crate)
    program = folder / "engines"
    objects = sorted(library.glob("*.o"))
    static = crate / "release" / "libaho_corasick_peer.a"
    libraries = ("-lhs", "-lpthread", "-ldl", "-lm")
    source = PEERS / "literals.c"
    _run("clang", *_flags(), source, *objects, static, *libraries, "-o", program)
    return program


def _flags() -> list[str]:
    include = ALGORITHMS / "include"
    return ["-O3", "-std=c99", "-D_GNU_SOURCE", f"-I{include}", f"-I{ALGORITHMS / 'src'}"]


def _run(*command: object) -> None:
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"literals: {words[0]} failed: {done.stderr.strip()}")
