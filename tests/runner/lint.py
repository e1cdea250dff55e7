# SPDX-License-Identifier: Apache-2.0
"""Style and types. A file that passed is looked at again when it, or what it depends on, changed.

`.tests/NAME.json` keeps the checksums of what passed: of the command, the file, the settings and
all files that its verdict depends on. One that failed is not kept. mypy and clang's analyzer take
longer than all the rest, so `make test-long` and `make lint` have them.
"""

import json
import os
import platform
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from runner import quarter, reach
from runner.chosen import Chosen
from runner.outcome import Case, Outcome, Stage
from runner.process import PYTHON, ROOT, call

KEPT: Final = ROOT / ".tests"
SETTINGS: Final = ("pyproject.toml", "setup/lock/dev.txt", ".clang-format", ".clang-tidy")
PYTHONS: Final = (
    "src/**/*.py",
    "tests/**/*.py",
    "benchmarks/**/*.py",
    "docs/**/*.py",
    "bpf/*.py",
    "agent/fuzz/*.py",
    "agent/tests/**/*.py",
    "algorithms/tests/*.py",
    "classifier/tests/*.py",
)
HEADERS: Final = (
    "agent/**/*.h",
    "algorithms/**/*.h",
    "bpf/*.h",
    "classifier/**/*.h",
    "counter/*.h",
)
SOURCES: Final = (
    "agent/**/*.[ch]",
    "algorithms/**/*.[ch]",
    "bpf/*.[ch]",
    "classifier/**/*.[ch]",
    "counter/*.[ch]",
)
SCRIPTS: Final = (
    "setup/install",
    "setup/man",
    "setup/renew",
    ".ci/run",
    "src/gatemark/commands/shell/*.bash",
    "src/gatemark/station/image/rc",
    "src/gatemark/station/image/openwrt/shim/*",
    "src/gatemark/gateway/*.sh",
)
AGENT_FLAGS: Final = ("-std=gnu11", "-D_GNU_SOURCE", '-DBPF_OBJECTS=""', "-Iagent/src", "-I.")
# A file for instructions that not all processors have needs its flag; to others it is nothing.
VECTOR_FLAGS: Final = ("-mpopcnt", "-msse4.2", "-mavx2", "-mbmi", "-mbmi2", "-mavx512f")
WIDE_FLAGS: Final = ("-mavx512bw", "-mavx512vl", "-mavx512dq")
ALGORITHM_FLAGS: Final = (
    "-std=c99",
    "-D_POSIX_C_SOURCE=200809L",
    "-D_DEFAULT_SOURCE",
    '-DGM_FLAGS=""',
    "-Ialgorithms/include",
    "-Ialgorithms/src",
    "-Iagent/src",  # the sandbox
    *((*VECTOR_FLAGS, *WIDE_FLAGS) if platform.machine() == "x86_64" else ()),
)
CLASSIFIER_FLAGS: Final = (
    "-std=gnu11",
    "-D_GNU_SOURCE",
    '-DBPF_OBJECTS=""',
    "-Iclassifier/src",
    "-Iagent/src",
    "-I.",
)
COUNTER_FLAGS: Final = ("-std=gnu11", "-D_GNU_SOURCE", "-Icounter")


@dataclass(frozen=True, slots=True)
class Check:
    """A tool, the files that it judges, and those that may change its verdict on another.

    `after` stands behind the names of files. A tool that judges all of them together (`whole`) is
    given no names, and sees all again where one changed. A tool that takes long judges the files
    alone that changed since the `base` of tests/quarter.toml (`changed`).
    """

    command: Sequence[str]
    judged: Sequence[str]
    depends: Sequence[str] = ()
    after: Sequence[str] = ()
    whole: bool = False
    changed: bool = False


SHORT_TIDY: Final = ("clang-tidy", "--quiet", "--checks=-clang-analyzer-*")
OTHERS: Final = ("bugprone", "cert", "misc", "performance", "portability", "readability")
# States of a program that the analyzer looks at for each function; `make lint` has its own 225 000,
# which take up to four times as long.
STATES: Final = os.environ.get("STATES", "60000")
# The analyzer alone, less what .clang-tidy leaves out of it.
LONG_TIDY: Final = (
    "clang-tidy",
    "--quiet",
    f"--checks={','.join(f'-{name}-*' for name in OTHERS)}",
    *(f"--extra-arg={word}" for word in ("-Xclang", "-analyzer-config", "-Xclang")),
    f"--extra-arg=max-nodes={STATES}",
)


def tidy(command: Sequence[str], *, changed: bool = False) -> tuple[Check, ...]:
    """clang-tidy with these checks, over all our C but the tests."""
    return tuple(
        Check(command, (sources,), HEADERS, ("--", *flags), changed=changed)
        for sources, flags in (
            ("agent/src/**/*.c", AGENT_FLAGS),
            ("algorithms/src/**/*.c", ALGORITHM_FLAGS),
            ("classifier/src/**/*.c", CLASSIFIER_FLAGS),
            ("counter/*.c", COUNTER_FLAGS),
        )
    )


CHECKS: Final = (
    *tidy(SHORT_TIDY, changed=True),  # first, as the longest
    Check(("ruff", "check", "--quiet"), PYTHONS),
    Check(("ruff", "format", "--check", "--quiet"), PYTHONS),
    Check(("clang-format", "--dry-run", "-Werror"), SOURCES, changed=True),
    Check(("shellcheck",), SCRIPTS),
)
LONG_CHECKS: Final = (
    Check(("mypy",), PYTHONS, whole=True),
    Check(("clang-format", "--dry-run", "-Werror"), SOURCES),
    *tidy(SHORT_TIDY),
    *tidy(LONG_TIDY),
)


@dataclass(frozen=True, slots=True)
class Job:
    """A check of some files; the checksums to keep if they pass."""

    check: Check
    names: Sequence[str]
    checksums: frozenset[str]


def lint(name: str, checks: Sequence[Check]) -> Stage:
    """All of these; each job counts as one test, a check with nothing to look at as passed."""
    kept = KEPT / f"{name}.json"

    def stage(_: Path, chosen: Chosen) -> Outcome | None:
        if not chosen.has("lint"):
            return None
        passed = set(json.loads(kept.read_text())) if kept.exists() else set()
        jobs, current = [], set[str]()
        for check in checks:
            sums = checksums(check)
            current |= passed & set(sums.values())
            jobs += split(check, {file: sums[file] for file in sums if sums[file] not in passed})
        total = Outcome()
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            for job, outcome in zip(jobs, pool.map(run, jobs), strict=True):
                total.add(outcome)
                current |= set() if outcome.failed else job.checksums
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(json.dumps(sorted(current)))
        return total

    return stage


def split(check: Check, sums: dict[str, str]) -> list[Job]:
    """Two halves, for two processors; one empty job where nothing changed."""
    halves = [part for part in ([*sums][::2], [*sums][1::2]) if part] or [[]]
    return [Job(check, half, frozenset(sums[name] for name in half)) for half in halves]


def run(job: Job) -> Outcome:
    """What the tool says of these files."""
    check = job.check
    if not job.names:
        return Outcome([Case(f"{check.command[0]}: nothing changed")])
    began = time.monotonic()
    names = () if check.whole else job.names
    command = [f"{tool(check.command[0])}", *check.command[1:], *names, *check.after]
    code, output, cpu_s = call(command)
    tag = "failure" if code else ""
    case = Case(" ".join(check.command), tag, f"exit code {code}", time.monotonic() - began)
    return Outcome([case], output=output, cpu_s=cpu_s)


def tool(name: str) -> Path | str:
    """Ours where set-up installed it, else the system's."""
    ours = Path(PYTHON).parent / name
    return ours if ours.exists() else name


def checksums(check: Check) -> dict[str, str]:
    """The checksum of each file that a check judges, with all that its verdict depends on."""
    common = f"{check}{digest((*SETTINGS, *check.depends))}"
    if check.whole:
        return {"": checksum(common + digest(check.judged))}
    judged = set(files(check.judged))
    if check.changed and (changed := changed_files()) is not None:
        judged &= changed
    return {name: checksum(common + digest([name])) for name in sorted(judged)}


@cache
def changed_files() -> set[str] | None:
    """The files that changed since CI's base, by name; None where git does not know it."""
    try:
        return {str(path.relative_to(ROOT)) for path in reach.changed(quarter.read().base)}
    except (OSError, ValueError):
        return None


def digest(patterns: Sequence[str]) -> str:
    """One checksum of the names and contents of these files."""
    contents = ((name, (ROOT / name).read_bytes()) for name in files(patterns))
    return checksum("".join(f"{name} {sha256(data).hexdigest()}" for name, data in contents))


def checksum(text: str) -> str:
    """SHA-256, as short as it can be without one standing for two."""
    return sha256(text.encode()).hexdigest()[:32]


def files(patterns: Sequence[str]) -> list[str]:
    """Files by glob, from the top of the repository, in order; none of what was built."""
    paths = {path for pattern in patterns for path in ROOT.glob(pattern)}
    names = (str(path.relative_to(ROOT)) for path in paths)
    return sorted(name for name in names if "/build/" not in name)
