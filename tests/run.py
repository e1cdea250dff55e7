# SPDX-License-Identifier: Apache-2.0
"""Runs the stages of tests, one line each, and says what to read where one failed.

python tests/run.py [STAGE ...]     all of them without a name; exit 1 where anything failed

The last line, `N passed, N failed, N skipped`, stands alone for whoever reads us by program.
"""
# ruff: noqa: T201 (what it prints is what it is for)

import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = sys.executable
BEGAN = time.monotonic()
# Tests start hundreds of interpreters, each of which would compile all modules again.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
RUNNING: set[int] = set()  # process groups
WHOLE_S = 75 * 60  # whoever runs us has patience of his own, and would show nothing of what hangs
ZIG = f"ZIG={PYTHON} -m ziglang"
FAILED = ("failure", "error")  # as junit.xml names them
Ends = dict[str, tuple[str, str]]  # of each test: what became of it, and why

# TAP, which the agent's harness prints: "ok 1 - name", "not ok 2 - name", "ok 3 - name # SKIP why"
TAP_LINE = re.compile(r"^\s*(?P<failed>not )?ok\b(?:.*#\s*skip\w*\s*(?P<skip>.*))?", re.IGNORECASE)


@dataclass(slots=True)
class Outcome:
    """What a stage counted; `output` is shown only where something failed, be it once."""

    passed: int = 0
    failed: int = 0
    skips: Counter[str] = field(default_factory=Counter)  # reason: how many
    again: list[str] = field(default_factory=list)  # tests that passed at their second try
    output: str = ""

    def add(self, other: "Outcome") -> None:
        """Take in another outcome; the output of what passed is of no interest."""
        self.passed += other.passed
        self.failed += other.failed
        self.skips += other.skips
        self.again += other.again
        if other.failed:
            self.output += other.output

    def line(self) -> str:
        """`12 passed, 1 failed, 2 skipped (2: needs root)`."""
        counts = f"{self.passed} passed, {self.failed} failed, {self.skips.total()} skipped"
        said = [f"{n}: {reason}" for reason, n in self.skips.most_common()]
        if self.again:
            said.append(f"{len(self.again)} at the second try: {', '.join(self.again)}")
        return f"{counts} ({'; '.join(said)})" if said else counts


def call(command: Sequence[str]) -> tuple[int, str]:
    """Run one command at the top of the repository: its exit code and all that it printed.

    One that is not over at the end of `WHOLE_S` is ended with all that it started, and has failed.
    """
    with tempfile.TemporaryFile("w+", errors="replace") as said:  # no pipe: who is left may hold it
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            env=ENVIRONMENT,
            process_group=0,
        )
        RUNNING.add(process.pid)
        end(process)
        RUNNING.discard(process.pid)
        said.seek(0)
        late = "ended: no time is left (WHOLE_S)\n" if time.monotonic() > BEGAN + WHOLE_S else ""
        return process.returncode, f"$ {' '.join(command)}\n{said.read()}{late}"


def end(process: "subprocess.Popen[bytes]") -> None:
    """Wait for it as long as there is time; Ctrl-C has pytest say where it is."""
    for seconds, number in (
        (BEGAN + WHOLE_S - time.monotonic(), signal.SIGINT),
        (20, signal.SIGKILL),
    ):
        try:
            process.wait(max(1.0, seconds))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, number)
    process.wait()


def interrupted(*_: object) -> None:
    """Ctrl-C is for what we started, too: each is a process group of its own, and cleans up."""
    for group in [*RUNNING]:
        with suppress(ProcessLookupError):
            os.killpg(group, signal.SIGINT)
    os._exit(130)


def check(command: Sequence[str]) -> Outcome:
    """A command that is one test in itself."""
    code, output = call(command)
    return Outcome(passed=int(code == 0), failed=int(code != 0), output=output)


def files(*patterns: str) -> list[str]:
    """Sources by glob, from the top of the repository, in order."""
    found = (path for pattern in patterns for path in ROOT.glob(pattern))
    return sorted(str(path.relative_to(ROOT)) for path in found)


def lint() -> Outcome:
    """Style and types; each command counts as one test."""
    tool = str(Path(PYTHON).parent)
    sources = files("agent/src/**/*.c")
    flags = ("-std=gnu11", "-D_GNU_SOURCE", '-DBPF_OBJECTS=""', "-Iagent/src", "-I.")
    plugin = ("-std=gnu11", "-D_GNU_SOURCE", "-Icounter")
    homes = ("agent/src", "agent/tests", "agent/fuzz", "bpf", "counter")
    style = files(*(f"{home}/**/*.[ch]" for home in homes))
    scripts = files("setup/install", ".ci/run", "src/gatemark/commands/shell/*.bash")
    scripts += ["src/gatemark/station/image/rc", "src/gatemark/gateway/supervisor.sh"]
    halves = sources[::2], sources[1::2]
    commands = [
        [f"{tool}/ruff", "check", "--quiet"],
        [f"{tool}/ruff", "format", "--check", "--quiet"],
        [f"{tool}/mypy"],
        [f"{tool}/clang-format", "--dry-run", "-Werror", *style],
        # The longest by far, and a single thread: in two halves.
        *([f"{tool}/clang-tidy", "--quiet", *half, "--", *flags] for half in halves),
        [f"{tool}/clang-tidy", "--quiet", *files("counter/*.c"), "--", *plugin],
        ["shellcheck", *scripts],
    ]
    total = Outcome()
    with ThreadPoolExecutor() as pool:
        for outcome in pool.map(check, commands):
            total.add(outcome)
    return total


def agent() -> Outcome:
    """The agent's own tests: native with sanitizers, then mips and mipsel under qemu-user."""
    total = Outcome()
    call(["make", "-s", "-j2", "-C", "agent", "test-build", ZIG])  # what fails, fails below again
    # They mostly wait. Only root has a lo for each: anyone else's would meet on the machine's own.
    with ThreadPoolExecutor(max_workers=2 if os.geteuid() == 0 else 1) as pool:
        for outcome in pool.map(agent_target, ("test", "test-mips", "test-mipsel")):
            total.add(outcome)
    return total


def agent_target(target: str) -> Outcome:
    """One target of the agent's Makefile that prints TAP."""
    code, output = call(["make", "-s", "-C", "agent", target, ZIG])
    return read_tap(output, code)


def counter() -> Outcome:
    """The plugin for QEMU: an object for each interface, and its own tests with sanitizers."""
    code, output = call(["make", "-s", "-C", "counter", f"CC={PYTHON} -m ziglang cc", "all"])
    built = Outcome(passed=int(code == 0), failed=int(code != 0), output=output)
    code, output = call(["make", "-s", "-C", "counter", "test"])
    built.add(read_tap(output, code))
    return built


def read_tap(output: str, code: int) -> Outcome:
    """Count TAP lines; a command that failed without one, or tested nothing, failed as such."""
    outcome = Outcome(output=output)
    for found in filter(None, map(TAP_LINE.match, output.splitlines())):
        if found["failed"]:
            outcome.failed += 1
        elif found["skip"] is not None:
            outcome.skips[found["skip"] or "no reason given"] += 1
        else:
            outcome.passed += 1
    silent = outcome.passed + outcome.skips.total() == 0
    outcome.failed += int(not outcome.failed and (code != 0 or silent))
    return outcome


def pytest(name: str, workers: int, *more: str, twice: bool = False) -> Callable[[], Outcome]:
    """A stage of pytest's: the tests in `tests/NAME`, several at a time or one by one (0).

    With `twice` what failed is tried once more, by an interpreter and on hosts of its own: a shared
    machine may stand still for longer than a test can know of. What passes then is named as such.
    """
    command = [PYTHON, "-m", "pytest", f"tests/{name}", "-n", str(workers), *more]

    def stage() -> Outcome:
        with tempfile.TemporaryDirectory() as folder:
            code, output, ends = call_pytest(command, Path(folder))
            failed = {test for test, (tag, _) in ends.items() if tag in FAILED}
            if twice and failed:
                code, more_output, late = call_pytest([*command, "--last-failed"], Path(folder))
                output += more_output
                ends |= late
            outcome = Outcome(output=output)
            for test, (tag, reason) in ends.items():
                if tag in FAILED:
                    outcome.failed += 1
                elif tag == "skipped":
                    outcome.skips[reason] += 1
                else:
                    outcome.passed += 1
                    outcome.again += [test] if test in failed else []
            # A crash, a wrong option or an empty folder leaves no failed test, only an exit code.
            outcome.failed += int(code != 0 and not outcome.failed)
            return outcome

    return stage


def call_pytest(command: Sequence[str], folder: Path) -> tuple[int, str, Ends]:
    """Run pytest, which keeps what it must know of its last run in `folder`."""
    report = folder / "junit.xml"
    report.unlink(missing_ok=True)
    code, output = call([*command, f"--junitxml={report}", "-o", f"cache_dir={folder}/cache"])
    return code, output, dict(read_junit(report))


def read_junit(report: Path) -> Iterator[tuple[str, tuple[str, str]]]:
    """Every test case with what became of it: passed, skipped (and why), failure or error."""
    if not report.exists():
        return
    for case in ET.parse(report).iter("testcase"):  # noqa: S314 (pytest wrote it a moment ago)
        ends = {end.tag: end.get("message", "") for end in case}
        tag = next((t for t in (*FAILED, "skipped") if t in ends), "passed")
        yield f"{case.get('classname')}.{case.get('name')}", (tag, ends.get(tag, ""))


STAGES: dict[str, Callable[[], Outcome]] = {
    "agent": agent,
    "counter": counter,
    "docs": pytest("docs", workers=2),
    "lint": lint,
    "lab": pytest("lab", workers=0, twice=True),  # one at a time: each has the machine for itself
    "vm": pytest("vm", 0, "--timeout=600", twice=True),  # a fixture may download, build an image
    "golden": pytest("golden", workers=2),
    "unit": pytest("unit", workers=2),
    "page": pytest("page", workers=2),
}
# One round after the other; in each, beside what waits, what only computes. The lab has the
# processors for itself.
ROUNDS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("agent", "counter"), ("docs", "lint")),
    (("lab",), ()),
    (("vm",), ("unit", "golden", "page")),
)
LOWEST = 19  # as nice(1) counts


def run_one(name: str) -> Outcome:
    """One stage, and its line."""
    began = time.monotonic()
    outcome = STAGES[name]()
    said = f"{name:8}{time.monotonic() - began:6.1f} s  {outcome.line()}\n"
    told = outcome.failed or outcome.again
    print(said + (f"{outcome.output}\n" if told else ""), end="", flush=True)
    return outcome


def run_beside(names: Sequence[str], first: Sequence[str]) -> list[Outcome]:
    """Stages one after the other, with what CPU time the `first` ones leave."""
    if first:  # priority is a thread's own, and what it starts has it too: sched(7)
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOWEST)
    return [run_one(name) for name in names]


def main(names: Sequence[str]) -> int:
    """Run the named stages, or all."""
    if unknown := [name for name in names if name not in STAGES]:
        print(f"no stage {unknown[0]!r}; there are: {', '.join(STAGES)}", file=sys.stderr)
        return 2
    # A handler, also where we were started in the background: a signal that is ignored stays
    # ignored in all that we start, and tests press Ctrl-C.
    signal.signal(signal.SIGINT, interrupted)
    asked = names or [*STAGES]
    print(f"stages: {' '.join(asked)}", flush=True)  # a line each follows as it ends
    total = Outcome()
    for tracks in ROUNDS:
        first, beside = ([name for name in track if name in asked] for track in tracks)
        with ThreadPoolExecutor(1) as pool:
            others = pool.submit(run_beside, beside, first)
            for outcome in (*[run_one(name) for name in first], *others.result()):
                total.add(outcome)
    print(f"{total.passed} passed, {total.failed} failed, {total.skips.total()} skipped")
    return int(total.failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
