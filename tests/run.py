# SPDX-License-Identifier: Apache-2.0
"""Runs the tests in stages, a line each as it ends, and says what to read where one failed.

python tests/run.py [--long] [--retry] [STAGE ...]     all stages where none is named

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
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from runner.outcome import Outcome, write_junit
from runner.process import GROUPS, ROOT, interrupted
from runner.stages import LONG_STAGES, MEASURING, STAGES, Stage

REPORTS = ROOT / ".tests"
NICE = 10  # of what runs beside what measures, as nice(1) counts


def main(words: Sequence[str]) -> int:
    """Run the named stages, or all."""
    options = parser().parse_args(words)
    stages = LONG_STAGES if options.long else STAGES
    if unknown := [name for name in options.stages if name not in stages]:
        print(f"no stage {unknown[0]!r}; there are: {', '.join(stages)}", file=sys.stderr)
        return 2
    # A handler, also where we were started in the background: a signal that is ignored stays
    # ignored in all that we start, and tests press Ctrl-C.
    signal.signal(signal.SIGINT, interrupted)
    asked = {name: stages[name] for name in stages if name in (options.stages or stages)}
    print(f"stages: {' '.join(asked)}", flush=True)  # the lines follow as they end
    total = Outcome()
    for outcome in run_all(asked, "-long" if options.long else "", retry=options.retry):
        total.add(outcome)
    print(total.counts())
    return int(total.failed > 0)


def parser() -> argparse.ArgumentParser:
    """The options; stages are looked up afterwards."""
    options = argparse.ArgumentParser(description="Runs the tests in stages.")
    options.add_argument("--long", action="store_true", help="what `make test` leaves out")
    options.add_argument("--retry", action="store_true", help="try what failed once more")
    options.add_argument("stages", nargs="*", metavar="STAGE", help=", ".join(STAGES))
    return options


def run_all(asked: Mapping[str, Stage], suffix: str, *, retry: bool) -> list[Outcome]:
    """What measures, one stage after the other; what only computes beside it, in the same order."""

    def run(name: str) -> Outcome:
        return run_one(name, asked[name], REPORTS / f"{name}{suffix}.xml", retry=retry)

    measuring = [name for name in asked if name in MEASURING]
    others = [name for name in asked if name not in MEASURING]
    threads: list[int] = []

    def yielding() -> None:
        threads.append(threading.get_native_id())
        if measuring:
            renice(os.PRIO_PROCESS, threads, NICE)

    with ThreadPoolExecutor(1, initializer=yielding) as pool:
        futures = [pool.submit(run, name) for name in others]
        outcomes = [run(name) for name in measuring]
        normal = os.getpriority(os.PRIO_PROCESS, 0)
        renice(os.PRIO_PROCESS, threads, normal)
        renice(os.PRIO_PGRP, GROUPS, normal)
        return [*outcomes, *(future.result() for future in futures)]


def renice(kind: int, ids: Iterable[int], priority: int) -> None:
    """A thread's priority is that of what it starts, too: sched(7). Only root may raise one."""
    for number in [*ids]:
        with suppress(PermissionError, ProcessLookupError):
            os.setpriority(kind, number, priority)


def run_one(name: str, stage: Stage, report: Path, *, retry: bool) -> Outcome:
    """One stage, its line and its slowest tests."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        outcome = stage(Path(folder))
        if outcome.failed and retry:
            outcome = outcome.merge(stage(Path(folder)))
    write_junit(report, name, outcome.cases)
    lines = [f"{name:8}{time.monotonic() - began:6.1f} s  {outcome.line()}", *outcome.slowest()]
    if outcome.failed or outcome.retried:
        lines.append(f"{outcome.output}\n")
    print("\n".join(lines), flush=True)
    return outcome


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
