# SPDX-License-Identifier: Apache-2.0
"""Is a planted fault named by its kind, and nothing else blamed?

Each fault of faults.toml is planted in the gateway of an ordinary `gatemark run`, between its
set-up and its first trial, by commands that know nothing of the run. `gatemark show` says then what
is wrong. A run whose tester was kept from its CPU is made again, unless that is what was planted.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).parent
LOCKS: Final = Path("/run/gatemark")
TRIES: Final = 3
BEGUN_S: Final = 600.0  # another run may measure first
WIDE: Final = {"COLUMNS": "2000"}
TESTER: Final = "tester"
SEEN: Final = "what was seen"
# 25 ms of each quarter of a second are not the tester's.
PAUSES: Final = """import time
while True:
    end = time.monotonic() + 0.025
    while time.monotonic() < end: pass
    time.sleep(0.225)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A fault as the file has it."""

    name: str
    # It may be named as any of these, and as nothing else; none: nothing is planted.
    kinds: list[str] = field(default_factory=list)
    plant: str = ""
    point: int = 0
    plan: dict[str, dict[str, object]] = field(default_factory=dict)  # keys beside plan.toml's
    program: str = ""  # runs on the gateway's CPU
    words: list[str] = field(default_factory=list)
    tester: bool = False  # whether the tester pauses
    loops: int = 0  # busy loops beside it


@dataclass(frozen=True, slots=True)
class Answer:
    """What a run says is wrong: shapes, in words."""

    shapes: frozenset[str]
    words: tuple[str, ...]

    def verdict(self, fault: Fault) -> str:
        """Return `named`, `missed`, `in part`, `clean`, or who is blamed besides."""
        if not fault.kinds:
            return f"blamed: {', '.join(sorted(self.shapes))}" if self.shapes else "clean"
        expected = {*fault.kinds} - {TESTER}
        others = self.shapes - {*fault.kinds}
        is_named = bool(expected & self.shapes)
        if others:
            return f"{'named, and' if is_named else 'wrong:'} {', '.join(sorted(others))}"
        if is_named and fault.tester and TESTER not in self.shapes:
            return "in part"
        return "named" if is_named else "missed"


def main() -> None:
    """Plant each fault; print a row of a table for each."""
    parser = argparse.ArgumentParser(prog="benchmarks.faults", description=__doc__)
    parser.add_argument("folder", type=Path, help="the runs' folder; runs in it are told again")
    parser.add_argument("--only", default="", help="faults with this text in their name")
    parser.add_argument("--point", type=int, help="faults of this group; 0: earlier kinds, 9: none")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    program = _built(options.folder)
    print("| group | fault | what is said | verdict |\n|---|---|---|---|", flush=True)
    for number, row in enumerate(tomllib.loads((HERE / "faults.toml").read_text())["fault"]):
        fault = Fault(**row)
        if options.only in fault.name and options.point in (None, fault.point):
            answer = _answer(fault, options.folder / f"{number:02}", program)
            words = " ".join(answer.words) or "nothing"
            print(
                f"| {fault.point} | {fault.name} | {words} | {answer.verdict(fault)} |", flush=True
            )


def _built(folder: Path) -> Path:
    """Build the programs for tc's hooks."""
    made = folder.absolute() / "faults.o"
    zig = (sys.executable, "-m", "ziglang", "cc", "-target", "bpfel-freestanding", "-O2", "-g")
    include = f"-I{HERE.parent.parent / 'bpf'}"
    command = (*zig, include, "-c", str(HERE / "faults.bpf.c"), "-o", str(made))
    subprocess.run(command, check=True)
    return made


def _answer(fault: Fault, folder: Path, program: Path) -> Answer:
    """Measure with the fault; again where the tester is at fault and should not be."""
    for number in range(TRIES):
        out = folder.with_name(f"{folder.name}-{number}")
        if not out.exists():
            _measure(fault, out, program)
        answer = _read(out)
        if TESTER in fault.kinds or TESTER not in answer.shapes:
            break
        print(f"{fault.name}: the tester was kept from its CPU; again", file=sys.stderr)
    return answer


def _measure(fault: Fault, out: Path, program: Path) -> None:
    """Run the plan, with the fault planted as soon as the gateway is there."""
    plan = out.with_suffix(".toml")
    plan.write_text(_plan(fault))
    with ExitStack() as planted, out.with_suffix(".log").open("w") as log:
        if fault.tester:
            pauses = ("taskset", "-c", "0", "chrt", "-f", "60", sys.executable, "-c", PAUSES)
            planted.enter_context(_beside(*pauses))
        for _ in range(fault.loops):
            planted.enter_context(_beside(sys.executable, "-c", "while True: pass"))
        run = _gatemark("run", str(plan), "--out", str(out))
        process = planted.enter_context(subprocess.Popen(run, stdout=log, stderr=log))
        planted.callback(process.terminate)
        inside = ("ip", "netns", "exec", _gateway(process))
        process.send_signal(signal.SIGSTOP)
        try:
            script = ("env", f"FAULTS={program}", "sh", "-ec", fault.plant)
            subprocess.run((*inside, *script), check=True)
            if fault.program:
                last = str(max(os.sched_getaffinity(0)))
                own = (sys.executable, str(HERE / f"{fault.program}.py"), *fault.words)
                planted.enter_context(
                    _beside(*inside, "chrt", "-f", "40", "taskset", "-c", last, *own)
                )
        finally:
            process.send_signal(signal.SIGCONT)
        if process.wait():
            raise SystemExit(f"{fault.name}: gatemark run failed, see {log.name}")


def _plan(fault: Fault) -> str:
    """Return the plan, with the fault's own keys."""
    tables: dict[str, Any] = tomllib.loads((HERE / "plan.toml").read_text())
    for name, own in fault.plan.items():
        tables[name] |= own
    if "mix" in tables["workload"]:
        del tables["workload"]["frame_bytes"]
    lines: list[str] = []
    for name, table in tables.items():
        if isinstance(table, dict):
            lines += (f"[{name}]", *(f"{key} = {json.dumps(own)}" for key, own in table.items()))
        else:
            lines.append(f"{name} = {json.dumps(table)}")
    return "\n".join(lines)


@contextmanager
def _beside(*command: str) -> Iterator[None]:
    process = subprocess.Popen(command)
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def _gatemark(*words: str) -> tuple[str, ...]:
    """A command of this environment."""
    own = str(Path(sys.executable).with_name("gatemark"))
    return (os.environ.get("GATEMARK", own), *words)


def _gateway(process: "subprocess.Popen[bytes]") -> str:
    """Wait for the gateway of a run; return its namespace, by the lab's lock that the run holds."""
    end = time.monotonic() + BEGUN_S
    while process.poll() is None and time.monotonic() < end:
        for descriptor in Path(f"/proc/{process.pid}/fd").iterdir():
            try:
                held = descriptor.readlink()
                state = Path(f"/proc/{process.pid}/fdinfo/{descriptor.name}").read_text()
            except FileNotFoundError:  # closed since
                continue
            is_own = held.parent == LOCKS and "FLOCK" in state  # of others it asks for a moment
            if is_own and _is_set(space := f"gm-{held.stem}-gw"):
                return space
        time.sleep(0.02)
    raise SystemExit("the run has no gateway")


def _is_set(space: str) -> bool:
    """Return whether the slowdown is there: the first trial is being set up."""
    look = ("ip", "netns", "exec", space, "tc", "qdisc", "show", "dev", "gw1")
    done = subprocess.run(look, capture_output=True, text=True, check=False)
    return "clsact" in done.stdout


def _read(out: Path) -> Answer:
    """Return what is said of a run: shapes of its values, and the last column of the table."""
    values = map(json.loads, _shown(out, "--json"))
    shapes = {shape for value in values for shape in value["shapes"]}
    lines = _shown(out, "--all")
    head = next((at for at, line in enumerate(lines) if line.endswith(SEEN)), len(lines))
    words = []
    for line in lines[head + 1 :]:
        if not line.strip():
            break
        words.append(line[lines[head].index(SEEN) :].strip())
    return Answer(frozenset(shapes - {"overload"}), tuple(dict.fromkeys(words)))


def _shown(out: Path, *words: str) -> list[str]:
    command = _gatemark("show", str(out), *words)
    done = subprocess.run(
        command, capture_output=True, text=True, env=os.environ | WIDE, check=True
    )
    return done.stdout.splitlines()


if __name__ == "__main__":
    main()
