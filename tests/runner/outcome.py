# SPDX-License-Identifier: Apache-2.0
"""What became of each test: read from TAP and from pytest's junit.xml, counted, written."""

import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from runner.process import Ended

if TYPE_CHECKING:
    from runner.chosen import Chosen

FAILED = ("failure", "error")  # as junit.xml names them

# TAP, which the agent's harness prints: "ok 1 - name", "not ok 2 - name", "ok 3 - name # SKIP why".
# A duration follows where it is known: "ok 4 - name # 1.5 s".
TAP_LINE = re.compile(
    r"^\s*(?P<failed>not )?ok\b(?:\s+\d+)?(?:\s*-\s*(?P<name>[^#\n]*))?"
    r"(?:#\s*(?:skip\w*\s*(?P<skip>.*)|(?P<seconds>[\d.]+) s))?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Case:
    """One test: its name, its end (a tag of junit.xml, or nothing: it passed), why, how long."""

    name: str
    tag: str = ""
    reason: str = ""
    seconds: float = 0.0

    @property
    def failed(self) -> bool:
        """Whether it is counted as failed."""
        return self.tag in FAILED


@dataclass(slots=True)
class Outcome:
    """The tests of a stage; `output` is for whoever looks for the fault."""

    cases: list[Case] = field(default_factory=list)
    retried: list[str] = field(default_factory=list)  # passed at their second try
    output: str = ""
    cpu_s: float = 0.0

    def add(self, other: "Outcome") -> None:
        """Take in another outcome; the output of what passed is of no interest."""
        self.cases += other.cases
        self.retried += other.retried
        self.cpu_s += other.cpu_s
        if other.failed:
            self.output += other.output

    def merge(self, second: "Outcome") -> "Outcome":
        """The outcome after a second try: of a test that was tried again its second end counts."""
        ends = {case.name: case for case in (*self.cases, *second.cases)}
        retried = [c.name for c in self.cases if c.failed and not ends[c.name].failed]
        cpu_s = self.cpu_s + second.cpu_s
        return Outcome([*ends.values()], retried, self.output + second.output, cpu_s)

    @property
    def failed(self) -> int:
        """How many tests failed."""
        return sum(case.failed for case in self.cases)

    @property
    def skips(self) -> Counter[str]:
        """How many tests were skipped for each reason."""
        return Counter(case.reason for case in self.cases if case.tag == "skipped")

    def counts(self) -> str:
        """`12 passed, 1 failed, 2 skipped`."""
        skipped = self.skips.total()
        passed = len(self.cases) - self.failed - skipped
        return f"{passed} passed, {self.failed} failed, {skipped} skipped"

    def line(self) -> str:
        """The counts, with the reasons of skips and the tests that needed a second try."""
        notes = [f"{number}: {reason}" for reason, number in self.skips.most_common()]
        if self.retried:
            notes.append(f"{len(self.retried)} at the second try: {', '.join(self.retried)}")
        return f"{self.counts()} ({'; '.join(notes)})" if notes else self.counts()

    def slowest(self, most: int = 10, least_s: float = 1.0) -> list[str]:
        """A line for each of the tests that took longest."""
        by_time = sorted(self.cases, key=lambda case: case.seconds, reverse=True)
        return [f"{c.seconds:8.1f} s  {c.name}" for c in by_time[:most] if c.seconds >= least_s]


def read_tap(ended: Ended, stage: str) -> Outcome:
    """Tests of TAP lines; a command that failed without one, or tested nothing, failed as such."""
    outcome = Outcome(output=ended.output, cpu_s=ended.cpu_s)
    for found in filter(None, map(TAP_LINE.match, ended.output.splitlines())):
        skipped = found["skip"] is not None
        tag = "failure" if found["failed"] else "skipped" if skipped else ""
        reason = (found["skip"] or "no reason given") if skipped else ""
        name = f"{stage}: {(found['name'] or '').strip()}"
        outcome.cases.append(Case(name, tag, reason, float(found["seconds"] or 0)))
    if not outcome.failed and (ended.code != 0 or not outcome.cases):
        outcome.cases.append(Case(stage, "failure", f"exit code {ended.code}"))
    return outcome


def read_junit(report: Path) -> list[Case]:
    """The tests of a junit.xml; none where there is no such file."""
    if not report.exists():
        return []
    return [read_case(case) for case in ET.parse(report).iter("testcase")]  # noqa: S314 (pytest's)


def read_case(case: ET.Element) -> Case:
    """One test case: passed, or skipped, failed or broken with the reason."""
    ends = {end.tag: end.get("message", "") for end in case}
    tag = next((name for name in (*FAILED, "skipped") if name in ends), "")
    name = f"{case.get('classname')}.{case.get('name')}"
    return Case(name, tag, ends.get(tag, ""), float(case.get("time", 0)))


def write_junit(report: Path, stage: str, cases: Iterable[Case]) -> None:
    """A junit.xml of these tests, as CI services read it."""
    suite = ET.Element("testsuite", name=stage)
    for case in cases:
        attributes = {"classname": stage, "name": case.name, "time": f"{case.seconds:.3f}"}
        element = ET.SubElement(suite, "testcase", attributes)
        if case.tag:
            ET.SubElement(element, case.tag, message=case.reason)
    report.parent.mkdir(parents=True, exist_ok=True)
    ET.ElementTree(suite).write(report, encoding="unicode", xml_declaration=True)


# Of an empty folder, or that of the first try, and the choice of tests. None: nothing is chosen.
Stage = Callable[[Path, "Chosen"], Outcome | None]
