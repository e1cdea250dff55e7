# SPDX-License-Identifier: Apache-2.0
"""Capture real programs in namespaces, with labels by construction; keep features, no packets.

    python -m benchmarks.captures FOLDER

Each program is captured four times, each time over a line that is drawn by the seed. FOLDER gets
two files a capture: TURN.json (what was drawn, its flows and labels) and TURN.csv (windows at both
ends). What is there is not made again. A capture that tells of this machine is made again with the
next numbers, and `refused.csv` says why.
"""

import argparse
import csv
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Final

from benchmarks.captures import keep
from benchmarks.captures.program import Program, chosen, installing, missing
from benchmarks.captures.turn import Turn, UnfitError, described, play, require_fit
from benchmarks.captures.wire import sweep
from gatemark.error import GatemarkError, UsageError

REFUSED: Final = "refused.csv"


class Slots:
    """So many at once, of which a program may take several."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._free = count
        self._changed = threading.Condition()
        self.is_stopped = False  # nothing is tried again

    @contextmanager
    def of(self, program: Program) -> Iterator[None]:
        """Wait for a program's slots, and give them back."""
        taken = min(program.slots, self._count)
        with self._changed:
            self._changed.wait_for(lambda: self._free >= taken)
            self._free -= taken
        try:
            yield
        finally:
            with self._changed:
                self._free += taken
                self._changed.notify_all()


def main() -> None:
    """Capture what is not there yet."""
    parser = argparse.ArgumentParser(prog="benchmarks.captures", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where captures are kept")
    parser.add_argument("--only", nargs="+", default=(), metavar="NAME", help="some programs")
    parser.add_argument("--captures", type=int, default=4, help="of each (default: 4)")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each (default: 20)")
    parser.add_argument("--slots", type=int, default=8, help="at once (default: 8)")
    parser.add_argument("--seed", type=int, default=1, help="of all that is drawn (default: 1)")
    parser.add_argument("--tries", type=int, default=3, help="of a capture (default: 3)")
    parser.add_argument("--late", action="store_true", help="keep those that were late, too")
    parser.add_argument("--list", action="store_true", help="print the programs, and end")
    options = parser.parse_args()
    try:
        if os.geteuid() != 0:
            raise UsageError("namespaces need root: run it as root")
        if min(options.captures, options.slots, options.seconds) <= 0:
            raise UsageError("--captures, --seconds and --slots: give numbers above 0")
        programs = chosen(options.only)
        if options.list:
            _list(programs)
            return
        options.folder.mkdir(parents=True, exist_ok=True)
        capture_all(_present(programs), options)
    except KeyboardInterrupt:
        sys.stderr.write("benchmarks.captures: stopped; the same command goes on\n")
        sys.exit(130)
    except GatemarkError as error:
        sys.stderr.write(f"benchmarks.captures: {error}\n")
        sys.exit(error.exit_code)
    except OSError as error:
        sys.stderr.write(f"benchmarks.captures: {error.filename}: {error.strerror}\n")
        sys.exit(1)


def capture_all(programs: Sequence[Program], options: argparse.Namespace) -> None:
    """Play all that is missing, the first capture of each program first."""
    sweep()
    waiting = [
        (program, number)
        for number in range(1, options.captures + 1)
        for program in Random(number).sample(programs, len(programs))  # noqa: S311  in any order, but the same
        if not (options.folder / f"{program.name}-{number}.json").exists()
    ]
    slots = Slots(options.slots)
    counts = {"kept": 0, "refused": 0}
    with (
        tempfile.TemporaryDirectory(prefix="gmcap-") as packets,
        ThreadPoolExecutor(options.slots) as pool,
    ):
        jobs = {
            pool.submit(captured, program, number, at, options, slots, Path(packets)): program
            for at, (program, number) in enumerate(waiting)
        }
        try:
            for job in as_completed(jobs):
                name, number, reasons = job.result()
                counts["refused" if len(reasons) == options.tries else "kept"] += 1
                state = f"refused: {reasons[-1]}" if len(reasons) == options.tries else "kept"
                done = sum(counts.values())
                print(f"{done} of {len(jobs)}: {name} {number}: {state}", flush=True)
                _refused(options.folder / REFUSED, name, number, reasons)
        except KeyboardInterrupt:
            sys.stderr.write("benchmarks.captures: what plays is waited for\n")
            slots.is_stopped = True
            pool.shutdown(cancel_futures=True)
            raise
    print(f"{counts['kept']} captures kept, {counts['refused']} refused: {options.folder}")


def captured(
    program: Program,
    number: int,
    at: int,
    options: argparse.Namespace,
    slots: Slots,
    packets: Path,
) -> tuple[str, int, list[str]]:
    """Capture once, again while it is unfit; returns the reasons of those that were."""
    reasons: list[str] = []
    with slots.of(program):
        for attempt in range(options.tries):
            if slots.is_stopped:
                break
            seed = options.seed + 1000 * attempt
            try:
                place = at * options.tries + attempt
                turn = play(program, number, seed, options.seconds, packets, place)
                if not options.late:
                    require_fit(turn.watch)
            except (UnfitError, GatemarkError, RuntimeError, OSError, ValueError) as error:
                reasons.append(" ".join(f"{type(error).__name__}: {error}".split()))
                time.sleep(0.5)
                continue
            _keep(options.folder, turn)
            break
    return program.name, number, reasons


def _keep(folder: Path, turn: Turn) -> None:
    """Write both files, the one that says that it is there last."""
    name = f"{turn.program}-{turn.number}"
    rows, text = folder / f".{name}.csv", folder / f".{name}.json"
    keep.write(rows, turn.rows)
    text.write_text(json.dumps(described(turn), indent=1) + "\n", encoding="utf-8")
    rows.rename(folder / f"{name}.csv")
    text.rename(folder / f"{name}.json")


def _refused(path: Path, name: str, number: int, reasons: Sequence[str]) -> None:
    with path.open("a", newline="", encoding="utf-8") as stream:
        csv.writer(stream, lineterminator="\n").writerows((name, number, r) for r in reasons)


def _present(programs: Sequence[Program]) -> list[Program]:
    """Return those that are installed; says how the others are."""
    lacking = {program.name: packages for program in programs if (packages := missing(program))}
    if lacking:
        packages = [package for each in lacking.values() for package in each]
        sys.stderr.write(f"left out: {', '.join(lacking)}: {installing(packages)}\n")
    if len(lacking) == len(programs):
        raise GatemarkError(f"nothing to capture: {installing(packages)}")
    return [program for program in programs if program.name not in lacking]


def _list(programs: Sequence[Program]) -> None:
    for program in programs:
        packages = " ".join(sorted(set(program.needs.values())))
        print(f"{program.name}\t{program.kind}\t{program.role or '-'}\t{packages}")


if __name__ == "__main__":
    main()
