# SPDX-License-Identifier: Apache-2.0
"""A capture: both ends of a program over a drawn line, seen at both, judged as fit or not."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

from benchmarks.bare_lab import OurAgent, Report
from benchmarks.captures.keep import Flow, Row, flows, windows
from benchmarks.captures.program import Program
from benchmarks.captures.wire import FAR, NEAR, Drawn, Wire, drawn, inside, wired
from gatemark.error import GatemarkError
from gatemark.kind.application.place import ALONE
from gatemark.kind.application.result import LATE_MOST_NS, LATE_NS
from gatemark.node import isolated

ROOT: Final = Path(__file__).resolve().parents[2]
READY_S: Final = 25.0
STEP_S: Final = 0.1
WAITS: Final = 0.2  # of the time, of any thread; as applications in real time may
LEAST_PACKETS: Final = 30  # of what a program is for, in 20 s
ENDING_S: Final = 30.0


class UnfitError(Exception):
    """The capture tells of this machine, or of nothing."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A capture that is kept: what was drawn, its flows, their windows at both ends."""

    program: str
    number: int
    seed: int
    line: Drawn
    values: Mapping[str, str]
    watch: Mapping[str, Any]
    flows: list[Flow]
    rows: list[Row]


class End:
    """An end as a script, in a namespace."""

    def __init__(
        self, space: str, script: str, program: Program, values: Mapping[str, str]
    ) -> None:
        command = inside(space, *ALONE, sys.executable, "-m", "benchmarks.captures.end")
        pipe = subprocess.PIPE
        # A group of its own: what interrupts us lets it play to its end.
        self._process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, text=True, cwd=ROOT, process_group=0
        )
        seconds = float(values["SECONDS"])
        request = {"script": script, "values": dict(values), "root": program.root}
        self._write(json.dumps(request | {"seconds": seconds}))

    def start(self) -> None:
        """Let it be watched from now on."""
        self._write("start")

    def stop(self) -> Report:
        """Return its report; all that it has started goes. Raises UnfitError."""
        self._write("stop")
        try:
            line = self._process.communicate(timeout=ENDING_S)[0]
        except subprocess.TimeoutExpired:
            raise UnfitError("an end gave no report") from None
        if not line:
            raise UnfitError("an end went before its time")
        report: Report = json.loads(line.splitlines()[-1])
        return report

    def kill(self) -> None:
        """End it, whatever it does."""
        with suppress(ProcessLookupError):
            self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                with suppress(OSError):
                    pipe.close()

    def _write(self, text: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(text + "\n")
            self._process.stdin.flush()
        except OSError:
            raise UnfitError("an end went before its time") from None


class Player(OurAgent):
    """An end of an application of kind/application."""

    def __init__(self, space: str, request: Report) -> None:
        self.handed: Report = {}
        python = isolated.python("gatemark.kind.application.player")
        try:
            super().__init__(tuple(inside(space, *ALONE, *python)), request)
        except RuntimeError as error:
            self.process.kill()
            raise UnfitError(str(error)) from None

    def event(self, wanted: str) -> Report:
        """Wait for an event; keep what the other end is handed."""
        report = super().event(wanted)
        self.handed = report.get("handed", self.handed)
        return report

    def kill(self) -> None:
        """End it, whatever it does."""
        with suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait()


def play(
    program: Program, number: int, seed: int, seconds: float, folder: Path, place: int
) -> Turn:
    """Capture a program once. Raises UnfitError with the reason where it tells nothing."""
    draw = Random(f"{seed}/{program.name}/{number}")  # noqa: S311  nothing secret
    line = drawn(draw, is_wide=program.is_wide)
    values = program.values(draw)
    files = {end: folder / f"{program.name}-{number}-{end}.pcap" for end in ("near", "far")}
    try:
        with wired(place, line) as wire:
            wire.capture(wire.near, "near0", files["near"])
            wire.capture(wire.far, "far0", files["far"])
            played = _by_application if program.application else _by_script
            reports = played(program, wire, seconds, values)
            time.sleep(0.3)
            books = wire.end()
        watches = {end: report["watch"] for end, report in reports.items()}
        words = {
            end: str(report.get("words", "")).strip()[-300:] for end, report in reports.items()
        }
        try:
            known = flows(files["near"], program)
        except GatemarkError:
            raise UnfitError(f"no packet of a flow; {words}") from None
        _require(known, seconds, words)
        rows = windows(files, known)
        watch = {"near": watches["near"], "far": watches["far"], "line": _brief(books)}
        return Turn(program.name, number, seed, line, values, watch, known, rows)
    finally:
        for file in files.values():
            file.unlink(missing_ok=True)


def require_fit(watches: Mapping[str, Mapping[str, Any]]) -> None:
    """Raise UnfitError where timers were late or threads waited, as of an application's trial."""
    for end in ("near", "far"):
        watch = watches[end]
        if watch["late_p99_ns"] > LATE_NS or watch["late_most_ns"] > LATE_MOST_NS:
            p99, most = (watch[f"late_{name}_ns"] / 1e6 for name in ("p99", "most"))
            raise UnfitError(f"a timer on the {end} host came {most:.0f} ms late (p99 {p99:.0f})")
        if watch["wait_share"] > WAITS:
            share = 100 * watch["wait_share"]
            raise UnfitError(
                f"{watch['waiter']} on the {end} host waited {share:.0f} % of the time"
            )


def _require(known: list[Flow], seconds: float, words: Mapping[str, str]) -> None:
    """Raise UnfitError where a program has no flow of what it is for."""
    least = LEAST_PACKETS * min(1.0, seconds / 20)
    wanted = [flow for flow in known if flow.role != "setup"]
    if max((flow.packets for flow in wanted), default=0) < least:
        seen = ", ".join(f"{f.key} {f.packets}" for f in known) or "nothing"
        raise UnfitError(f"no flow of {least:.0f} packets ({seen}); {words}")


def _by_script(
    program: Program, wire: Wire, seconds: float, values: Mapping[str, str]
) -> dict[str, Report]:
    times = {"SECONDS": str(round(seconds + program.settle_s))}
    named = {"NEAR": NEAR, "FAR": FAR} | times | dict(values)
    ends: dict[str, End] = {}
    try:
        ends["far"] = End(wire.far, program.server, program, named)
        try:
            _wait(wire.far, program.ready)
        except UnfitError as error:
            ends["far"].start()
            raise UnfitError(f"{error}: {ends['far'].stop()['words']}") from None
        wire.cross()
        ends["near"] = End(wire.near, program.client, program, named)
        time.sleep(program.settle_s)
        for end in ends.values():
            end.start()
        time.sleep(seconds)
        return {name: end.stop() for name, end in ends.items()}
    finally:
        for end in ends.values():
            end.kill()


def _by_application(
    program: Program, wire: Wire, seconds: float, values: Mapping[str, str]
) -> dict[str, Report]:
    del values
    request = {"application": program.application, "near": NEAR, "far": FAR, "seconds": seconds}
    ends: list[Player] = []
    try:
        far = Player(wire.far, request | {"end": "serve", "cpu": -1})
        ends.append(far)
        near = Player(wire.near, request | {"end": "use", "cpu": -1, "handed": far.handed})
        ends.append(near)
        wire.cross()
        far.start()
        near.start()
        return {"near": near.event("done"), "far": far.close()}
    except RuntimeError as error:
        raise UnfitError(str(error)) from None
    finally:
        for end in ends:
            end.kill()


def _wait(space: str, ready: str) -> None:
    """Wait until a host's port is open, or so long. Raises UnfitError."""
    proto, _, port = ready.rpartition(" ")
    if not proto:
        time.sleep(float(ready))
        return
    state = "0A" if proto == "tcp" else "07"
    wanted = re.compile(rf":{int(port):04X} [0-9A-F]+:[0-9A-F]+ {state} ")
    end = time.monotonic() + READY_S
    while time.monotonic() < end:
        files = (f"/proc/net/{proto}", f"/proc/net/{proto}6")
        table = subprocess.run(inside(space, "cat", *files), check=False, capture_output=True)
        if wanted.search(table.stdout.decode()):
            time.sleep(STEP_S)
            return
        time.sleep(STEP_S)
    raise UnfitError(f"port {ready} was not open in {READY_S:.0f} s")


def _brief(books: Report) -> dict[str, Any]:
    return {
        way: {name: books[way][name] for name in ("in", "sent", "dropped", "lost")}
        for way in ("up", "down")
    }


def described(turn: Turn) -> dict[str, Any]:
    """Return all of a turn but its windows, as its file has it."""
    described_ = asdict(turn)
    del described_["rows"]
    return described_
