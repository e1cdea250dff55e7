# SPDX-License-Identifier: Apache-2.0
"""Sets of expressions: our portable engines compared with RE2 on the same records.

Both read the same patterns and records, one process after the other on one core, and must find the
same (record, pattern) pairs: a different digest ends the benchmark. RE2 comes from libre2-dev.
"""

import argparse
import json
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.algorithms import strings
from benchmarks.compare import Comparison, compare, progress

ROOT = Path(__file__).resolve().parents[2]
ALGORITHMS = ROOT / "algorithms"
HERE = Path(__file__).parent
PROGRAM = ALGORITHMS / "build" / "x86_64" / "O3" / "gm-algorithms"
# Of our sources, those that read patterns and records: the peer reads them as we do.
READERS = {
    "pattern": ("class", "forest", "group", "patterns", "print", "regex"),
    "payload": ("capture", "frame", "records"),
}
ENGINES = ("dfa", "lazy", "pre")  # portable C, each for every kind of set that it takes
RECORDS = 4000
PASS_MS = 200

Record = dict[str, Any]


def rows(arguments: argparse.Namespace) -> Iterator[Comparison | str]:
    """`match/SET` of each set in `sets/`: the fastest of our engines in MB/s, against RE2."""
    captures = getattr(arguments, "captures", None)
    rounds = int(getattr(arguments, "rounds", 7))
    cpu = int(getattr(arguments, "cpu", 0))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        records = strings.captured(Path(captures)) if captures else strings.http(RECORDS)
        strings.write(folder / "records", records)
        size = sum(map(len, records)) / len(records)
        peer = _built(folder)
        for patterns in sorted((HERE / "sets").glob("*.txt")):
            progress(patterns.stem)
            yield _compared(patterns, folder / "records", peer, size, rounds, cpu)


def _compared(
    patterns: Path, records: Path, peer: Path, size: float, rounds: int, cpu: int
) -> Comparison | str:
    """`size`: mean bytes of a record. A rate is bytes over nanoseconds of a record, times 1000."""
    re2 = [str(peer), str(patterns), str(records), str(PASS_MS)]
    engines = [engine for engine in ENGINES if _run(_ours(engine, patterns, records, 0), cpu)]
    if not engines:
        return f"# match/{patterns.stem} skipped: no engine takes it"
    ours: dict[str, list[float]] = {engine: [] for engine in engines}
    theirs: list[float] = []
    for _ in range(rounds):
        result = _run(re2, cpu)
        if result is None or result["failures"]:
            raise SystemExit(f"match: RE2 fails on {patterns}: {result}")
        theirs.append(1e3 * size / result["ns"])
        for engine in engines:
            record = _run(_ours(engine, patterns, records, PASS_MS), cpu)
            if record is None or record["digest"] != result["digest"]:
                raise SystemExit(f"match: {engine} and RE2 differ on {patterns}")
            ours[engine].append(1e3 * size / record["ns"][0])
    best = max(engines, key=lambda engine: median(ours[engine]))
    return compare(f"match/{patterns.stem}, {best}", ours[best], "re2", theirs, "MB/s")


def _ours(engine: str, patterns: Path, records: Path, pass_ms: int) -> list[str]:
    words = (f"engine={engine}", f"patterns={patterns}", f"payload={records}", "impl=portable")
    return [str(PROGRAM), "match", *words, "repeats=1", f"pass_ms={pass_ms}"]


def _run(command: Sequence[str], cpu: int) -> Record | None:
    """The record that a program prints, None if it refuses (the set is too large for it)."""
    words = ["taskset", "-c", str(cpu), *command]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        return None
    record: Record = json.loads(done.stdout)
    return record


def _built(folder: Path) -> Path:
    include = [f"-I{ALGORITHMS / 'include'}", f"-I{ALGORITHMS / 'src'}"]
    for part, name in ((part, name) for part, names in READERS.items() for name in names):
        source = ALGORITHMS / "src" / part / f"{name}.c"
        _make("cc", "-std=c99", "-O2", *include, "-c", source, "-o", folder / f"{name}.o")
    program = folder / "re2"
    objects = sorted(folder.glob("*.o"))
    source = HERE / "peers" / "re2.cc"
    _make("c++", "-std=c++17", "-O3", *include, source, *objects, "-lre2", "-o", program)
    return program


def _make(*command: object) -> None:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"match: {command[0]} failed (libre2-dev?): {done.stderr.strip()}")
