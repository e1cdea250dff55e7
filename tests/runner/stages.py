# SPDX-License-Identifier: Apache-2.0
"""The stages: what each runs for `make test`, for `make test-long` and for `make test-guests`."""

import os
import shlex
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from runner.lint import CHECKS, LONG_CHECKS, lint
from runner.outcome import Case, Outcome, Stage, read_junit, read_tap
from runner.process import PYTHON, call

COMPILER: Final = shlex.join((PYTHON, "-m", "ziglang"))  # a recipe splits it as a shell does
ZIG: Final = f"ZIG={COMPILER}"
FUZZ_SECONDS: Final = f"FUZZ_SECONDS={os.environ.get('FUZZ_SECONDS', '4')}"
CC: Final = f"CC={COMPILER} cc"


def agent(_: Path) -> Outcome:
    """The agent's own tests: native with sanitizers, and as mips under qemu-user."""
    call(["make", "-s", "-j2", "-C", "agent", "test-build", ZIG])  # what fails, fails below again
    return agent_targets("test", "test-mips", "test-fuzz")


def agent_long(_: Path) -> Outcome:
    """The same tests as mipsel: the other order of bytes."""
    call(["make", "-s", "-j2", "-C", "agent", "test-build-mipsel", ZIG])
    return agent_targets("test-mipsel")


def algorithms(_: Path) -> Outcome:
    """The algorithms' own tests and examples with sanitizers; the fuzzers' kept inputs."""
    call(["make", "-s", "-j2", "-C", "algorithms", "test-build"])  # what fails, fails below again
    total = Outcome()
    for name in ("test", "test-examples", "test-fuzz"):
        total.add(make_target("algorithms", name))
    return total


def algorithms_long(_: Path) -> Outcome:
    """The same tests on other processors, and one digest on all of them; a hunt of each fuzzer."""
    others = ("mips", "mipsel", "armv7", "aarch64")
    builds = (*(f"test-build-{other}" for other in others), "fuzz-build")
    call(["make", "-s", "-j2", "-C", "algorithms", *builds, ZIG])  # what fails, fails below again
    total = Outcome()
    for name in (*(f"test-{other}" for other in others), "test-digests", "fuzz"):
        total.add(make_target("algorithms", name, FUZZ_SECONDS))
    return total


def classifier(_: Path) -> Outcome:
    """The classifier's own tests: native with sanitizers, then as mips; the fuzzers' inputs."""
    call(["make", "-s", "-j2", "-C", "classifier", "test-build", ZIG])  # what fails, fails below
    total = Outcome()
    for name in ("test", "test-mips", "test-fuzz"):
        total.add(make_target("classifier", name))
    return total


def classifier_long(_: Path) -> Outcome:
    """Classifier node and action nodes in namespaces; a hunt of each fuzzer."""
    builds = ("test-build", "fuzz-build", ZIG)
    call(["make", "-s", "-j2", "-C", "classifier", *builds])  # what fails, fails below again
    total = make_target("classifier", "test-nodes")
    total.add(make_target("classifier", "fuzz", FUZZ_SECONDS))
    return total


def fuzz(_: Path) -> Outcome:
    """Kept inputs under the sanitizers that only clang has, then a hunt of each fuzzer."""
    ways = ("fuzz-memory", "fuzz-integer", "fuzz-fuzz")
    call(["make", "-s", "-j2", "-C", "agent", *ways, ZIG])  # what fails, fails below again
    total = Outcome()
    for name in ("test-fuzz-memory", "test-fuzz-integer", "fuzz"):
        total.add(make_target("agent", name, FUZZ_SECONDS, "FUZZ_PRINTS=--tap"))
    return total


def agent_targets(*targets: str) -> Outcome:
    """Targets of the agent's Makefile that print TAP, at the same time: they mostly wait."""

    total = Outcome()
    # Only root has a lo for each: anyone else's would meet on the machine's own.
    with ThreadPoolExecutor(max_workers=len(targets) if os.geteuid() == 0 else 1) as pool:
        for outcome in pool.map(lambda name: make_target("agent", name), targets):
            total.add(outcome)
    return total


def make_target(folder: str, name: str, *variables: str) -> Outcome:
    """One target of a folder's Makefile that prints TAP; -k, since one failure is no other's."""
    code, output = call(["make", "-s", "-k", "-C", folder, name, ZIG, *variables])
    return read_tap(output, code, name)


def counter(_: Path) -> Outcome:
    """The plugin for QEMU: an object for each interface, and its own tests with sanitizers."""
    total = Outcome()
    code, output = call(["make", "-s", "-C", "counter", CC, "all"])
    total.add(read_tap(output if code else "ok - builds", code, "counter"))
    code, output = call(["make", "-s", "-C", "counter", "test"])
    total.add(read_tap(output, code, "counter"))
    return total


def pytest(name: str, workers: int, *more: str) -> Stage:
    """The tests in `tests/NAME`, several at a time or one by one (0).

    pytest keeps in `folder` what failed; called with the same folder again, it runs that alone.
    """
    command = (PYTHON, "-m", "pytest", f"tests/{name}", "-n", str(workers), "--last-failed", *more)

    def stage(folder: Path) -> Outcome:
        report = folder / "junit.xml"
        report.unlink(missing_ok=True)
        code, output = call([*command, f"--junitxml={report}", "-o", f"cache_dir={folder}/cache"])
        outcome = Outcome(read_junit(report), output=output)
        # A crash, a wrong option or an empty folder leaves no failed test, only an exit code.
        if code and not outcome.failed:
            outcome.cases.append(Case(name, "failure", f"pytest's exit code {code}"))
        return outcome

    return stage


GUESTS: Final = ("--ignore=tests/vm/openwrt", "--timeout=600")  # the first may build an image
SHORT: Final = ("-m", "not long and not alone")
ALONE: Final = ("-m", "alone and not long")
LONG: Final = ("-m", "long")

# `make test`, in the order of their lines in its output.
STAGES: Final[dict[str, Stage]] = {
    "agent": agent,
    "algorithms": algorithms,
    "classifier": classifier,
    "counter": counter,
    "docs": pytest("docs", 2, *SHORT),
    "lint": lint("lint", CHECKS),
    "alone": pytest("lab", 0, *ALONE),
    "lab": pytest("lab", 2, "--dist=loadfile", *SHORT),
    "vm": pytest("vm", 2, "--dist=loadfile", *GUESTS, *SHORT),
    "golden": pytest("golden", 2),
    "unit": pytest("unit", 3, "--dist=worksteal", *SHORT),  # many of them wait
    "page": pytest("page", 2, *SHORT),
}
# `make test-long`: what is left over.
LONG_STAGES: Final[dict[str, Stage]] = {
    "agent": agent_long,
    "algorithms": algorithms_long,
    "classifier": classifier_long,
    "lint": lint("lint-long", LONG_CHECKS),
    "docs": pytest("docs", 0, *LONG),
    "alone": pytest("lab", 0, "-m", "alone and long"),
    "lab": pytest("lab", 0, "-m", "long and not alone"),
    "counted": pytest("vm", 0, *GUESTS, "-m", "long and counted"),
    "unit": pytest("unit", 0, *LONG),
    "page": pytest("page", 2, *LONG),
    "installed": pytest("installed", 0, *LONG),
    "fuzz": fuzz,
}
# `make test-guests`: long tests on virtual gateways and boxes. All of them are in one track: guests
# beside each other take each other's processor, and the lab's.
GUEST_STAGES: Final[dict[str, Stage]] = {
    "vm": pytest("vm", 0, *GUESTS, "-m", "long and not box and not counted"),
    "box": pytest("vm", 0, *GUESTS, "-m", "long and box"),
    "openwrt": pytest("vm/openwrt", 0, "--timeout=1500"),  # skipped where its image is not built
}
# Stages of one track follow each other, tracks run beside each other. One trial measures at a time,
# whatever its track (station/lock.py). The last track only computes, and yields to the others. The
# page and the documents are where time is left, so that all end together.
TRACKS: Final = (
    ("alone", "lab", "docs"),
    ("agent", "vm", "box", "openwrt", "page", "counted"),
    ("counter", "algorithms", "classifier", "lint", "unit", "golden", "installed", "fuzz"),
)
# They have labs of their own, so they wait until this one is over.
AFTER: Final = {"vm": "alone", "counted": "alone", "docs": "alone"}
