# SPDX-License-Identifier: Apache-2.0
"""CoreMark on the gateway's processor, of the user's own unmodified source, by its own rules.

The rules (README.md of its source): the sources are as published, which their checksums prove; all
files are compiled with the same flags; it runs for at least 10 s with the seeds of performance
(0, 0, 0x66), and once more with those of validation (0x3415, 0x3415, 0x66), on 2000 bytes; both
runs say that they are valid. What is reported is its own line.

CoreMark is a trademark of EEMBC. Nothing of it is shipped.
"""

import asyncio
import atexit
import hashlib
import re
import shlex
import subprocess
import time
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, Final, Self

from gatemark import scratch
from gatemark.error import GatemarkError, InvalidTrialError, UnavailableError, UsageError
from gatemark.kind.algorithm.onboard import placed, reported
from gatemark.node import file
from gatemark.node.agent import Tick
from gatemark.node.build import require_zig
from gatemark.node.isolated import INTERPRETER
from gatemark.node.reader import Printed, reader
from gatemark.node.shell import Node, Process
from gatemark.plan.model import Workload
from gatemark.plan.words import SOURCE
from gatemark.station.station import Station
from gatemark.station.wiring import Wire
from gatemark.workload.way import Drained, Way

PROGRAM: Final = "CoreMark"  # in messages
SUMS: Final = "coremark.md5"  # in the folder: what the published files sum up to
OWN: Final = ("core_list_join.c", "core_main.c", "core_matrix.c", "core_state.c", "core_util.c")
SUMMED: Final = (*OWN, "coremark.h")  # files of which the published sums are
PORT: Final = ("posix/core_portme.c",)  # what may differ from host to host, and does not here
TARGETS: Final = {
    "x86_64": "x86_64-linux-musl",
    "aarch64": "aarch64-linux-musl",
    "armv7": "arm-linux-musleabihf",
    "mips": "mips-linux-musleabi",
    "mipsel": "mipsel-linux-musleabi",
}
BY: Final = "0 7 1 2000"  # iterations as many as fill 10 s, all algorithms, one context, bytes
SEEDS: Final = {"performance": f"0 0 0x66 {BY}", "validation": f"0x3415 0x3415 0x66 {BY}"}
LEAST_S: Final = 10.0
LONGEST_S: Final = 300.0  # of one run
BUILD_S: Final = 300.0

SCORE: Final = re.compile(r"^(CoreMark 1\.0 : ([0-9.]+) / .*?)\s*$", re.M)
TOTAL_S: Final = re.compile(r"^Total time \(secs\): *([0-9.]+)", re.M)
VALID: Final = "Correct operation validated."


class CoreMark:
    """Both runs of one trial."""

    def __init__(self, station: Station, wire: Wire, load: Workload) -> None:
        self.wire = wire
        self.load = load
        self.node: Node = station.gateway.node
        self.first = placed(station)
        self._program = ""
        self._process: Process | None = None

    async def ready(self) -> Self:
        """Check the source, build it for the gateway's processor, put it there.

        Raises GatemarkError.
        """
        # Not as a program of ours, which would be started once to see that it runs: it has no
        # --help, and would measure for ten seconds.
        self._program = await file.path(self.node, await built(self.node, self.load))
        return self

    async def go(self, drained: Drained, tick: Tick | None = None) -> Way:
        """Run it with each set of seeds."""
        del drained, tick
        t0_ns = time.monotonic_ns()
        texts = {name: await self._printed(seeds) for name, seeds in SEEDS.items()}
        for name, text in texts.items():
            _require_valid(name, text)
        record = _score(texts["performance"]) | {"command": "coremark"}
        return reported(self.wire, (t0_ns, time.monotonic_ns()), [record], PROGRAM)

    async def abort(self) -> None:
        """End what runs."""
        if process := self._process:
            process.close_stdin()
            process.kill()
            await process.wait()

    async def _printed(self, seeds: str) -> str:
        words = (*self.first, self._program, *seeds.split())
        process = self._process = await self.node.start(*words)
        process.close_stdin()
        lines = []
        try:
            async with asyncio.timeout(LONGEST_S):
                while line := await process.line():
                    lines.append(line.decode(errors="replace"))
                await process.wait()
        except TimeoutError:
            raise InvalidTrialError(f"CoreMark did not end in {LONGEST_S:g} s") from None
        self._process = None
        return Printed.by(self.node.name, "".join(lines))


async def built(node: Node, load: Workload) -> Path:
    """The program for a host's processor, of the copy that was named. Raises GatemarkError."""
    source = str(load.words.get(SOURCE, ""))
    if not source:
        raise UnavailableError("CoreMark is not shipped; name your copy: --coremark DIR")
    return await asyncio.to_thread(program, Path(source), await file.arch(node), load.level)


def require(source: Path) -> None:
    """UsageError unless a folder holds the published source, unmodified."""
    sums = source / SUMS
    if not sums.is_file():
        raise UsageError(f"--coremark {source}: no {SUMS} in it; clone EEMBC's repository there")
    lines = sums.read_text(errors="replace").splitlines()
    wanted = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    if unknown := [name for name in SUMMED if name not in wanted]:
        raise UsageError(f"--coremark {source}: {SUMS} lacks {unknown[0]}; clone it anew")
    if missing := [name for name in (*SUMMED, *PORT) if not (source / name).is_file()]:
        raise UsageError(f"--coremark {source}: {missing[0]} is missing; clone it anew")
    for path in (source / name for name in SUMMED):
        digest = hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()
        if digest != wanted[path.name]:
            raise UsageError(f"{path}: not as published ({SUMS}); CoreMark runs unmodified alone")


def program(source: Path, arch: str, level: str) -> Path:
    """The program for a processor, built once a process. Raises GatemarkError."""
    require(source)
    return _built(source, arch, level)


@cache
def _folder() -> Path:
    """Where this process builds, until it ends."""
    kept = ExitStack()
    atexit.register(kept.close)
    return kept.enter_context(scratch.folder())


@cache
def _built(source: Path, arch: str, level: str) -> Path:
    require_zig()
    made = _folder() / f"coremark-{arch}-{level}"
    flags = [f"-{level}", "-static"]
    command = [*INTERPRETER, "-m", "ziglang", "cc", "-target", TARGETS[arch], *flags, "-s"]
    words = f'-DFLAGS_STR="{shlex.join(flags)}"'
    command += [words, "-DPERFORMANCE_RUN=1", "-Iposix", "-I.", *OWN, *PORT, "-o", str(made)]
    try:
        done = subprocess.run(
            command, cwd=source, capture_output=True, text=True, check=False, timeout=BUILD_S
        )
    except subprocess.TimeoutExpired:
        raise GatemarkError(f"CoreMark was not built for {arch} in {BUILD_S:g} s") from None
    if done.returncode:
        fault = next(iter(done.stderr.strip().splitlines()), "zig ended without a word")
        raise GatemarkError(f"CoreMark for {arch}: {fault}")
    return made


@reader("CoreMark's time")
def _lasted_s(text: str) -> float:
    """Return how long a run took, by its own report; 0 where it has none."""
    total = TOTAL_S.search(text)
    return float(total[1]) if total else 0.0


def _require_valid(name: str, text: str) -> None:
    """InvalidTrialError unless a run says that it is valid, and lasted as its rules ask."""
    lasted_s = _lasted_s(text)
    if VALID not in text:
        last = next(iter(text.strip().splitlines()[::-1]), "it printed nothing")
        raise InvalidTrialError(f"CoreMark, seeds of {name}: not validated: {last}")
    if lasted_s < LEAST_S:
        raise InvalidTrialError(f"CoreMark, seeds of {name}: ran {lasted_s:g} s, not {LEAST_S:g}")


@reader("CoreMark's score")
def _score(text: str) -> dict[str, Any]:
    """Its own line, and iterations a second: of two seed sets that of performance has one."""
    match = SCORE.search(text)
    if match is None:
        raise ValueError(text[-200:])
    return {"line": match[1], "operations": 1, "ns": [1e9 / float(match[2])]}
