# SPDX-License-Identifier: Apache-2.0
"""Runs the fuzz targets, which fuzz.mk builds into build/fuzz/WAY/NAME_fuzz.

python fuzz/fuzzers.py replay WAY NAME...  every kept input once, and some drawn ones; prints TAP
python fuzz/fuzzers.py hunt NAME...        libFuzzer, --seconds of each; prints a table
python fuzz/fuzzers.py merge NAME...       keeps of all inputs as few as reach the same

Kept inputs are fuzz/corpus/NAME; what a hunt finds lies in build/fuzz/corpus/NAME until a merge. A
crash is written to build/fuzz/crash and ends the command with exit code 1.
"""
# ruff: noqa: T201 (what it prints is what it is for)

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

AGENT: Final = Path(__file__).resolve().parents[1]
BUILD: Final = AGENT / "build" / "fuzz"
KEPT: Final = AGENT / "fuzz" / "corpus"
FOUND: Final = BUILD / "corpus"
CRASHES: Final = BUILD / "crash"
INPUT_MOST: Final = 4096  # bytes of an input
DRAWN: Final = 300  # inputs of a replay beside the kept ones
SKIP: Final = "SKIP "  # begins what a target prints that cannot run here

ROW: Final = "{:10}{:>12}{:>9}{:>7}{:>10}{:>8}{:>6}{:>7}  {}".format
HEADS: Final = (
    "target",
    "executions",
    "per s",
    "edges",
    "features",
    "inputs",
    "MB",
    "lines",
    "crash",
)

# What a target is about: its share of lines is that of these files of agent/src (or ../bpf).
PARSERS: Final = {
    "address": ("frame/address.c", "replay/split.c"),
    "arrive": ("replay/arrive.c",),
    "capture": tuple(
        f"replay/{name}.c"
        for name in ("packet", "trace", "cut", "left", "times", "frames", "numbers")
    ),
    "connect": ("connect/poll.c", "connect/message.h"),
    "filter": ("capture/filter.c",),
    "frame": ("frame/parse.c", "frame/header.h", "count/account.c"),
    "gauge": tuple(
        f"gauge/{name}.c"
        for name in (
            "gauge",
            "conntrack",
            "cpu",
            "interfaces",
            "memory",
            "pagesets",
            "slab",
            "softnet",
            "threads",
        )
    ),
    "info": ("stream/info.c",),
    "json": ("talk/json.c", "talk/line.c"),
    "packet": ("replay/packet.c", "replay/unread.c"),
    "pcap": ("replay/pcap.c", "replay/open.c"),
    "pcapng": ("replay/pcapng.c",),
    "request": ("talk/request.c", "talk/json.c"),
    "stream": ("stream/sink.c", "stream/streams.c"),
    "talk": ("talk/talk.c",),
    "verdict": ("frame/parse.c", "count/account.c", "count/window.c"),
    "window": ("count/window.c", "count/account.c"),
}


@dataclass(frozen=True, slots=True)
class Hunt:
    """What one target did: `crash` is the path of the input at fault, or nothing."""

    name: str
    executions: int = 0
    seconds: float = 0.0
    edges: int = 0
    features: int = 0
    inputs: int = 0
    peak_mb: int = 0
    crash: str = ""
    absent: str = ""  # why it cannot run here

    def row(self) -> str:
        """Its row of the table."""
        if self.absent:
            return f"{self.name:10}{self.absent}"
        rate = round(self.executions / max(self.seconds, 1))
        reached = (self.edges, self.features, self.inputs, self.peak_mb, lines(self.name))
        return ROW(self.name, self.executions, rate, *reached, self.crash or "none")

    def tap(self) -> str:
        """Its line of TAP; with it what it said where it crashed."""
        if self.absent:
            return f"ok - hunt: {self.name} # {self.absent}"
        did = f"{self.executions} inputs, {self.edges} edges"
        line = f"ok - hunt: {self.name}, {did} # {self.seconds:.1f} s"
        return f"not {line}\n{self.crash}" if self.crash else line


def main(words: Sequence[str]) -> int:
    """Do what the command line says: 0, or 1 where a target failed."""
    options = parser().parse_args(words)
    if options.what == "replay":
        return replay_all(options.way, options.names)
    if options.what == "merge":
        return max(merge(name) for name in options.names)
    return hunt_all(options.names, options.seconds, tap=options.tap)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = options.add_subparsers(dest="what", required=True)
    replay = commands.add_parser("replay", help="every kept input once")
    replay.add_argument("way", help="loop, memory or integer: how the targets are built")
    hunt = commands.add_parser("hunt", help="libFuzzer")
    hunt.add_argument("--tap", action="store_true", help="print TAP instead of a table")
    hunt.add_argument("--seconds", type=int, default=20, help="of each target")
    merge = commands.add_parser("merge", help="keep as few inputs as reach the same")
    for command in (replay, hunt, merge):
        command.add_argument("names", nargs="+", metavar="NAME", choices=sorted(PARSERS))
    return options


def kept(name: str) -> list[Path]:
    """The folder of a target's kept inputs, where there is one."""
    return [KEPT / name] if (KEPT / name).exists() else []


def call(command: Sequence[str | Path], **more: str) -> tuple[int, str]:
    """Run a program to its end: its exit code, and what it printed on stdout and stderr."""
    done = subprocess.run(
        command,
        cwd=AGENT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
        env=os.environ | more,
    )
    return done.returncode, done.stdout


def replay_all(way: str, names: Sequence[str]) -> int:
    """Every kept input of these targets, a line of TAP each; the report of what failed."""
    failed = 0
    for name in names:
        began = time.monotonic()
        code, output = call([BUILD / way / f"{name}_fuzz", f"-draw={DRAWN}", *kept(name)])
        seconds = f"{time.monotonic() - began:.1f} s"
        if output.startswith(SKIP):
            print(f"ok - {way}: {name} # {output.splitlines()[0]}")
        elif code:
            failed = 1
            print(f"not ok - {way}: {name} # {seconds}\n{output[-4000:]}")
        else:
            print(f"ok - {way}: {name} on {output.split()[-1]} inputs # {seconds}")
    return failed


def hunt_all(names: Sequence[str], seconds: int, *, tap: bool) -> int:
    """A line for each target as it ends: 1 where one crashed."""
    if not tap:
        print(ROW(*HEADS))
    crashed = False
    for name in names:
        found = hunt(name, seconds)
        crashed |= bool(found.crash)
        print(found.tap() if tap else found.row(), flush=True)
    return int(crashed)


def hunt(name: str, seconds: int) -> Hunt:
    """One target for so long."""
    for folder in (FOUND / name, CRASHES):
        folder.mkdir(parents=True, exist_ok=True)
    words = AGENT / "fuzz" / f"{name}.dict"
    command: list[str | Path] = [
        BUILD / "fuzz" / f"{name}_fuzz",
        f"-max_total_time={seconds}",
        f"-max_len={INPUT_MOST}",
        "-timeout=10",
        "-print_final_stats=1",
        f"-artifact_prefix={CRASHES}/{name}-",
        *([f"-dict={words}"] if words.exists() else []),
        FOUND / name,
        *kept(name),
    ]
    began = time.monotonic()
    code, output = call(command)
    if output.startswith(SKIP):
        return Hunt(name, absent=output.splitlines()[0])
    crash = ""
    if code:
        written = re.search(r"Test unit written to (\S+)", output)
        crash = written[1] if written else f"exit code {code}"
        print(output[-6000:], file=sys.stderr)
    return Hunt(
        name,
        executions=last(output, r"stat::number_of_executed_units:\s+(\d+)"),
        seconds=time.monotonic() - began,
        edges=last(output, r"cov: (\d+)"),
        features=last(output, r"ft: (\d+)"),
        inputs=last(output, r"corp: (\d+)"),
        peak_mb=last(output, r"stat::peak_rss_mb:\s+(\d+)"),
        crash=crash,
    )


def last(output: str, pattern: str) -> int:
    """The last number that stands there, or 0."""
    numbers = re.findall(pattern, output)
    return int(numbers[-1]) if numbers else 0


def lines(name: str) -> str:
    """The share of the parser's lines that all inputs together reach, by clang's coverage."""
    program = BUILD / "coverage" / f"{name}_fuzz"
    profdata, cov = (tool(word) for word in ("llvm-profdata", "llvm-cov"))
    if not (program.exists() and profdata and cov):
        return "?"
    with tempfile.TemporaryDirectory() as folder:
        raw, data = Path(folder) / "raw", Path(folder) / "data"
        call([program, *kept(name), FOUND / name], LLVM_PROFILE_FILE=str(raw))
        if call([profdata, "merge", "-o", data, raw])[0]:
            return "?"
        sources = [f"src/{source}" for source in PARSERS[name]]
        output = subprocess.run(
            [cov, "export", "-summary-only", f"-instr-profile={data}", program, *sources],
            cwd=AGENT,
            capture_output=True,
            check=False,
        ).stdout
    share = json.loads(output)["data"][0]["totals"]["lines"]["percent"]
    return f"{share:.0f} %"


def tool(name: str) -> str | None:
    """A tool of LLVM's; of Debian's default version, or with the version in its name."""
    return shutil.which(name) or shutil.which(f"{name}-14")


def merge(name: str) -> int:
    """Keep of all inputs, kept and found, as few as reach the same; the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        code, output = call(
            [
                BUILD / "fuzz" / f"{name}_fuzz",
                "-merge=1",
                "-use_counters=0",  # by edges alone: how often one was passed would keep thousands
                f"-max_len={INPUT_MOST}",
                folder,
                *kept(name),
                FOUND / name,
            ]
        )
        if code:
            print(output[-4000:], file=sys.stderr)
            return 1
        keep(Path(folder), KEPT / name)
    files = [*(KEPT / name).iterdir()]
    print(f"{name}: {len(files)} inputs, {sum(file.stat().st_size for file in files)} bytes")
    return 0


def keep(merged: Path, folder: Path) -> None:
    """Put what was merged into the kept inputs; a file that has a name of its own stays."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in folder.iterdir():
        if re.fullmatch(r"[0-9a-f]{40}", file.name):
            file.unlink()
    here = {file.read_bytes() for file in folder.iterdir()}
    for file in merged.iterdir():
        if file.read_bytes() not in here:
            shutil.copy(file, folder / file.name)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
