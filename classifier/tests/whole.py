# SPDX-License-Identifier: Apache-2.0
"""python tests/whole.py PROGRAM [--all]: gm-classifier as a whole; prints TAP.

The kernel and the program have to mark every packet of real captures alike. The captures are those
of `shared/data/traffic` beside the repository, or of the folder that TRAFFIC names.
"""
# ruff: noqa: T201 (what it prints is what it is for)

import csv
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
BESIDE: Final = HERE.parents[1].parent / "shared" / "data" / "traffic"
TRAFFIC: Final = Path(os.environ.get("TRAFFIC", BESIDE)) / "pcap"
MODELS: Final = sorted((HERE / "models").glob("*.txt"))
# A game, a call, UDP and TCP at once, IPv6, and many flows of few packets.
SOME: Final = (
    "lab_openarena_s30_m60_b6.pcap",
    "zoom.pcap",
    "http_ipv6.pcap",
    "gnutella.pcap",
)
EXIT_USAGE: Final = 2


def main(program: str, *, everything: bool) -> int:
    """Each test; 1 where one failed."""
    failed = 0
    for number, line in enumerate(tests(program, everything=everything), 1):
        verdict, _, name = line.partition(" - ")
        print(f"{verdict} {number} - {name}", flush=True)
        failed |= verdict != "ok"
    return failed


def tests(program: str, *, everything: bool) -> Iterator[str]:
    """Lines of TAP without their numbers."""
    yield usage(program)
    yield refused(program)
    paths = sorted(TRAFFIC.glob("*")) if everything else [TRAFFIC / name for name in SOME]
    paths = [path for path in paths if path.exists()]
    if not paths:
        yield f"ok - kernel and program agree # SKIP no captures in {TRAFFIC}"
        return
    yield modes_agree(program, paths[0])
    for model in MODELS:
        yield agree(program, model, paths)


def call(program: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run it to its end."""
    return subprocess.run([program, *words], capture_output=True, text=True, check=False)


def usage(program: str) -> str:
    """A wrong command line is told, and ends with 2."""
    for words in ((), ("walk",), ("run", "x"), ("features", "x", "--window", "1")):
        done = call(program, *words)
        if done.returncode != EXIT_USAGE or done.stdout or done.stderr.count("\n") != 1:
            return f"not ok - usage: {words}: {done}"
    return "ok - a wrong command line is refused"


def refused(program: str) -> str:
    """A file that is no model is refused with its line, before a capture is looked at."""
    done = call(program, "run", Path(__file__), "absent")
    wanted = f"gm-classifier: {Path(__file__)}:2: "
    if done.returncode == EXIT_USAGE and done.stderr.startswith(wanted):
        return "ok - a foreign file is no model"
    return f"not ok - a foreign file is no model: {done}"


def modes_agree(program: str, capture: Path) -> str:
    """At the end of each jumping window a sliding one shows the same, but for what came before."""
    words = ("features", capture, "--attributes", "mean.plen stdev.iat fpckts.pcnt bstdev.iatbd")
    jumping = rows(call(program, *words).stdout)
    sliding = rows(call(program, *words, "--sliding").stdout)
    if jumping and jumping.items() <= sliding.items():
        return f"ok - {len(jumping)} jumping windows are among {len(sliding)} sliding ones"
    return "not ok - jumping windows are among sliding ones"


def rows(printed: str) -> dict[tuple[str, str], tuple[str, ...]]:
    """Windows by flow and packet."""
    lines = [*csv.reader(printed.splitlines())][1:]
    return {(flow, packet): tuple(values) for flow, packet, *values in lines}


def agree(program: str, model: Path, captures: list[Path]) -> str:
    """The kernel marks each packet as the program does."""
    name = f"kernel and program agree: {model.stem}"
    packets = marked = 0
    for capture in captures:
        done = call(program, "verify", model, capture, "--priority", "first")
        if "run as root" in done.stderr:
            return f"ok - {name} # SKIP {done.stderr.strip()}"
        if done.returncode:
            return f"not ok - {name}: {capture.name}: {done.stdout[:300]}{done.stderr}"
        counts = [int(count) for count in done.stdout.splitlines()[-1].split(",")[:2]]
        packets, marked = packets + counts[0], marked + counts[1]
    return f"ok - {name}: {packets} packets of {len(captures)} captures, {marked} with a mark"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], everything="--all" in sys.argv))
