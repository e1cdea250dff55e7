# SPDX-License-Identifier: Apache-2.0
"""The stages: what each runs for `make test`, for `make test-long` and for `make test-guests`."""

import os
import shlex
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from runner.chosen import Chosen
from runner.lint import CHECKS, LONG_CHECKS, lint
from runner.outcome import Case, Outcome, Stage, read_junit, read_tap
from runner.process import PYTHON, call

COMPILER: Final = shlex.join((PYTHON, "-m", "ziglang"))  # a recipe splits it as a shell does
ZIG: Final = f"ZIG={COMPILER}"
FUZZ_SECONDS: Final = f"FUZZ_SECONDS={os.environ.get('FUZZ_SECONDS', '4')}"
CC: Final = "CC=cc"
CORES: Final = len(os.sched_getaffinity(0))
JOBS: Final = f"-j{CORES}"


def program(
    name: str, folder: str, builds: Sequence[str], targets: Sequence[str], *variables: str
) -> Stage:
    """Targets of a folder's Makefile that print TAP, after others have built all that they run."""

    def stage(_: Path, chosen: Chosen) -> Outcome | None:
        if not chosen.has(name):
            return None
        total = Outcome(cpu_s=build(folder, *builds, *variables))
        for target in targets:
            total.add(make_target(folder, target, *variables))
        return total

    return stage


def agent(_: Path, chosen: Chosen) -> Outcome | None:
    """The agent's own tests, native with sanitizers: its units beside whole agents."""
    if not chosen.has("agent"):
        return None
    total = Outcome(cpu_s=build("agent", "test-build"))
    # Only root has a lo for each: anyone else's would meet on the machine's own.
    with ThreadPoolExecutor(max_workers=2 if os.geteuid() == 0 else 1) as pool:
        for outcome in pool.map(lambda name: make_target("agent", name), AGENT):
            total.add(outcome)
    return total


AGENT: Final = ("test-whole", "test-units")


def build(folder: str, *goals: str) -> float:
    """Build for targets, by several processes: the CPU seconds. A failure shows again in them."""
    return call(["make", "-s", JOBS, "-C", folder, *goals, ZIG]).cpu_s


def make_target(folder: str, name: str, *variables: str) -> Outcome:
    """One target of a folder's Makefile that prints TAP; -k, since one failure is no other's."""
    return read_tap(call(["make", "-s", "-k", "-C", folder, name, ZIG, *variables]), name)


def counter(_: Path, chosen: Chosen) -> Outcome | None:
    """The plugin for QEMU: an object for each interface, and its own tests with sanitizers."""
    if not chosen.has("counter"):
        return None
    total = Outcome()
    ended = call(["make", "-s", "-C", "counter", CC, "all"])
    total.add(read_tap(ended if ended.code else ended._replace(output="ok - builds"), "counter"))
    total.add(make_target("counter", "test"))
    return total


def pytest(stage: str, name: str, workers: int, *more: str) -> Stage:
    """The tests in `tests/NAME`, several at a time or one by one (0).

    pytest keeps in `folder` what failed; called with the same folder again, it runs that alone.
    """
    command = (PYTHON, "-m", "pytest", "-n", str(workers), "--last-failed", *more)

    def run(folder: Path, chosen: Chosen) -> Outcome | None:
        if not (files := chosen.files(stage, f"tests/{name}")):
            return None
        report = folder / "junit.xml"
        report.unlink(missing_ok=True)
        cache = ("-o", f"cache_dir={folder}/cache")
        code, output, cpu_s = call([*command, f"--junitxml={report}", *cache, *files])
        outcome = Outcome(read_junit(report), output=output, cpu_s=cpu_s)
        if code == NO_TEST and files != [f"tests/{name}"]:
            return None  # these files have none of the wanted mark
        # A crash, a wrong option or an empty folder leaves no failed test, only an exit code.
        if code and not outcome.failed:
            outcome.cases.append(Case(name, "failure", f"pytest's exit code {code}"))
        return outcome

    return run


NO_TEST: Final = 5  # pytest's exit code
LABS: Final = "--timeout=600"  # each waits for its turn among all labs of the machine
GUESTS: Final = ("--ignore=tests/vm/openwrt", "--timeout=600")  # the first may build an image
SHORT: Final = ("-m", "not long and not alone")
ALONE: Final = ("-m", "alone and not long")
LONG: Final = ("-m", "long")

# `make test`, in the order of their lines in its output.
STAGES: Final[dict[str, Stage]] = {
    "agent": agent,
    "docs": pytest("docs", "docs", 0, *SHORT),
    "lint": lint("lint", CHECKS),
    "alone": pytest("alone", "lab", 0, LABS, *ALONE),
    "lab": pytest("lab", "lab", 0, LABS, *SHORT),
    "vm": pytest("vm", "vm", 0, *GUESTS, *SHORT),
    "golden": pytest("golden", "golden", 0, *SHORT),
    "unit": pytest("unit", "unit", CORES, "--dist=loadfile", *SHORT),
    "page": pytest("page", "page", 0, *SHORT),
}
ALGORITHMS: Final = ("mips", "mipsel", "armv7", "aarch64")
# `make test-long`: what is left over.
LONG_STAGES: Final[dict[str, Stage]] = {
    "agent": program(
        "agent",
        "agent",
        ("test-build", "test-build-mips", "test-build-mipsel", "fuzz-loop"),
        ("test-slow", "test-mips", "test-mipsel", "test-fuzz"),
    ),
    "algorithms": program(
        "algorithms",
        "algorithms",
        ("test-build", *(f"test-build-{name}" for name in ALGORITHMS), "fuzz-build"),
        (
            *("test", "test-examples", "test-fuzz"),
            *(f"test-{name}" for name in ALGORITHMS),
            *("test-digests", "fuzz"),
        ),
        FUZZ_SECONDS,
    ),
    "classifier": program(
        "classifier",
        "classifier",
        ("test-build", "fuzz-build"),
        ("test", "test-mips", "test-fuzz", "test-nodes", "fuzz"),
        FUZZ_SECONDS,
    ),
    "counter": counter,
    "lint": lint("lint-long", LONG_CHECKS),
    "docs": pytest("docs", "docs", 0, *LONG),
    "alone": pytest("alone", "lab", 0, LABS, "-m", "alone and long"),
    "lab": pytest("lab", "lab", 2, LABS, "--dist=loadfile", "-m", "long and not alone"),
    "counted": pytest("counted", "vm", 0, *GUESTS, "-m", "long and counted"),
    "golden": pytest("golden", "golden", 0, *LONG),
    "unit": pytest("unit", "unit", CORES, *LONG),
    "page": pytest("page", "page", CORES, *LONG),
    "installed": pytest("installed", "installed", 0, *LONG),
    "fuzz": program(
        "fuzz",
        "agent",
        ("fuzz-memory", "fuzz-integer", "fuzz-fuzz"),
        ("test-fuzz-memory", "test-fuzz-integer", "fuzz"),
        FUZZ_SECONDS,
        "FUZZ_PRINTS=--tap",
    ),
}
# `make test-guests`: long tests on virtual gateways and boxes. All of them are in one track: guests
# beside each other take each other's processor, and the lab's.
GUEST_STAGES: Final[dict[str, Stage]] = {
    "vm": pytest("vm", "vm", 0, *GUESTS, "-m", "long and not box and not counted"),
    "box": pytest("box", "vm", 0, *GUESTS, "-m", "long and box"),
    "openwrt": pytest("openwrt", "vm/openwrt", 0, "--timeout=1500"),  # skipped without its image
}
# Stages of one track follow each other, tracks run beside each other. One trial measures at a time,
# whatever its track (station/lock.py). The last track only computes, and yields to the others. The
# page and the documents are where time is left, so that all end together.
TRACKS: Final = (
    ("alone", "lab", "docs"),
    ("agent", "vm", "box", "openwrt", "page", "counted"),
    ("lint", "unit", "golden", "counter", "classifier", "installed", "fuzz", "algorithms"),
)
# They have labs of their own, so they wait until this one is over.
AFTER: Final = {"vm": "alone", "counted": "alone", "docs": "alone"}
