# SPDX-License-Identifier: Apache-2.0
"""Runs the tests in stages, a line each as it ends, and says what to read where one failed.

python tests/run.py [--long | --guests] [--changed COMMIT | --part] [--retry] [STAGE ...]

All stages where none is named. --changed: the tests alone that the difference from a commit can
break. --part: the same with the commit of tests/quarter.toml, and a quarter of the others.

It exits with 1 where a test failed. The last line, `N passed, N failed, N skipped`, stands alone
for whoever reads us by program; `.tests/STAGE.xml` has each test, as JUnit writes it.
"""
# ruff: noqa: T201 (what it prints is what it is for)

import argparse
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

from runner import quarter, reach
from runner.chosen import All, Changed, Chosen, Part
from runner.outcome import Case, Outcome, Stage, write_junit
from runner.process import GROUPS, ROOT, interrupted
from runner.stages import AFTER, GUEST_STAGES, LONG_STAGES, STAGES, TRACKS

REPORTS = ROOT / ".tests"
SETS = {
    "short": (STAGES, ""),
    "long": (LONG_STAGES, "-long"),
    "guests": (GUEST_STAGES, "-guests"),
}
JUDGES_FILES = "lint"  # its second try would say the same of the same files
NICE = 10  # of what runs beside what measures, as nice(1) counts


def main(words: Sequence[str]) -> int:
    """Run the named stages, or all."""
    options = parser().parse_args(words)
    stages, suffix = SETS[options.which]
    if unknown := [name for name in options.stages if name not in stages]:
        print(f"no stage {unknown[0]!r}; there are: {', '.join(stages)}", file=sys.stderr)
        return 2
    # A handler, also where we were started in the background: a signal that is ignored stays
    # ignored in all that we start, and tests press Ctrl-C.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupted)
    asked = {name: stages[name] for name in stages if name in (options.stages or stages)}
    print(f"stages: {' '.join(asked)}", flush=True)  # the lines follow as they end
    try:
        chosen = choice(options)
    except ValueError as error:
        print(f"git knows no such commit: {error}", file=sys.stderr)
        return 2
    total = Outcome()
    for outcome in run_all(asked, suffix, chosen, retry=options.retry):
        total.add(outcome)
    print(total.counts())
    return int(total.failed > 0)


def choice(options: argparse.Namespace) -> Chosen:
    """The tests that the options ask for. Raises ValueError for an unknown commit."""
    if options.part:
        part = quarter.read()
        try:
            return Part(reach.changed(part.base), part.number)
        except ValueError as error:
            print(f"the quarter alone, since git knows no such commit: {error}", flush=True)
            return Part([], part.number)
    return Changed(reach.changed(options.changed)) if options.changed else All()


def parser() -> argparse.ArgumentParser:
    """The options; stages are looked up afterwards."""
    options = argparse.ArgumentParser(description="Runs the tests in stages.")
    which = options.add_mutually_exclusive_group()
    for option, what in (
        ("long", "what `make test` leaves out"),
        ("guests", "long tests on virtual gateways and boxes"),
    ):
        which.add_argument(
            f"--{option}", dest="which", action="store_const", const=option, help=what
        )
    options.set_defaults(which="short")
    some = options.add_mutually_exclusive_group()
    some.add_argument("--changed", metavar="COMMIT", help="what differs from it can break these")
    some.add_argument("--part", action="store_true", help="CI's part: tests/quarter.toml")
    options.add_argument("--retry", action="store_true", help="try what failed once more")
    options.add_argument("stages", nargs="*", metavar="STAGE", help=", ".join(STAGES))
    return options


def run_all(
    asked: Mapping[str, Stage], suffix: str, chosen: Chosen, *, retry: bool
) -> list[Outcome]:
    """The tracks beside each other; the last one yields as long as another has work."""
    over = {name: threading.Event() for name in asked}

    def run(name: str) -> Outcome:
        if first := over.get(AFTER.get(name, "")):
            first.wait()
        try:
            if suffix and time.time() > float(os.environ.get("UNTIL", "inf")):
                return Outcome([Case(name, "skipped", "CI's time is over")])
            report = REPORTS / f"{name}{suffix}.xml"
            return run_one(name, asked[name], report, chosen, retry=retry)
        finally:
            over[name].set()

    *measuring, computing = ([name for name in track if name in asked] for track in TRACKS)
    threads: list[int] = []
    with ExitStack() as stack:

        def track(names: Sequence[str], begin: Callable[[], None] | None) -> list[Future[Outcome]]:
            pool = stack.enter_context(ThreadPoolExecutor(1, initializer=begin))
            return [pool.submit(run, name) for name in names]

        last = track(computing, partial(yielding, threads) if any(measuring) else None)
        first = [future for names in measuring for future in track(names, None)]
        outcomes = [future.result() for future in first]
        hasten(threads)
        return [*outcomes, *(future.result() for future in last)]


def yielding(threads: list[int]) -> None:
    """A thread's priority is that of what it starts, too: sched(7)."""
    threads.append(threading.get_native_id())
    renice(os.PRIO_PROCESS, threads, NICE)


def hasten(threads: Iterable[int]) -> None:
    """Nobody is left to yield to."""
    normal = os.getpriority(os.PRIO_PROCESS, 0)
    renice(os.PRIO_PROCESS, threads, normal)
    renice(os.PRIO_PGRP, GROUPS, normal)


def renice(kind: int, ids: Iterable[int], priority: int) -> None:
    """Only root may raise a priority."""
    for number in [*ids]:
        with suppress(PermissionError, ProcessLookupError):
            os.setpriority(kind, number, priority)


def run_one(name: str, stage: Stage, report: Path, chosen: Chosen, *, retry: bool) -> Outcome:
    """One stage, its line and its slowest tests."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        outcome = stage(Path(folder), chosen)
        if outcome is None:
            print(f"{name:10}not reached", flush=True)
            return Outcome()
        if outcome.failed and retry and name != JUDGES_FILES:
            outcome = outcome.merge(stage(Path(folder), chosen) or Outcome())
    write_junit(report, name, outcome.cases)
    took = f"{name:10}{time.monotonic() - began:6.1f} s, CPU {outcome.cpu_s:5.1f} s"
    lines = [f"{took}  {outcome.line()}", *outcome.slowest()]
    if outcome.failed or outcome.retried:
        lines.append(f"{outcome.output}\n")
    print("\n".join(lines), flush=True)
    return outcome


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
