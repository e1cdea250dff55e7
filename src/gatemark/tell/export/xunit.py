# SPDX-License-Identifier: Apache-2.0
"""JUnit's XML as continuous integration reads it (junit-10.xsd): suites, cases, outcomes."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal
from xml.etree import ElementTree as ET

# What XML 1.0 cannot hold (section 2.2), escaped or not.
NO_CHARACTER: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
Outcome = Literal["failure", "error", "skipped"]
COUNTED: Final[tuple[tuple[str, Outcome], ...]] = (
    ("failures", "failure"),
    ("errors", "error"),
    ("skipped", "skipped"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One test: it passed where it has no outcome."""

    place: str  # with dots: plan, arm
    name: str
    seconds: float = 0.0
    outcome: Outcome | None = None
    type_: str = ""  # of a failure or an error
    message: str = ""  # why, in a line
    text: str = ""  # of the outcome, in many
    output: Sequence[str] = ()  # what else there is to know, a line each

    @property
    def element(self) -> ET.Element:
        """The case as XML."""
        names = {"classname": self.place, "name": self.name, "time": f"{self.seconds:.3f}"}
        made = ET.Element("testcase", names)
        if self.outcome:
            why = {"type": self.type_} if self.type_ else {}
            outcome = ET.SubElement(made, self.outcome, why | {"message": self.message})
            outcome.text = self.text or None
        if self.output:
            ET.SubElement(made, "system-out").text = "\n".join(self.output)
        return made


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """Tests that belong together."""

    name: str
    cases: Sequence[Case]
    facts: Mapping[str, str]  # attributes: id, hostname, timestamp
    properties: Sequence[tuple[str, str]] = ()

    @property
    def element(self) -> ET.Element:
        """The suite as XML, with its sums."""
        sums = {"tests": len(self.cases)} | {
            name: sum(case.outcome == outcome for case in self.cases) for name, outcome in COUNTED
        }
        seconds = sum(case.seconds for case in self.cases)
        attributes = {"name": self.name, **self.facts, "time": f"{seconds:.3f}"}
        made = ET.Element("testsuite", attributes | {name: str(n) for name, n in sums.items()})
        properties = ET.SubElement(made, "properties")
        for name, value in self.properties:
            ET.SubElement(properties, "property", {"name": name, "value": value})
        made.extend(case.element for case in self.cases)
        return made


def document(suites: Iterable[Suite]) -> bytes:
    """One document of all suites."""
    root = ET.Element("testsuites", {"name": "gatemark"})
    root.extend(suite.element for suite in suites)
    for count in ("tests", "failures", "errors"):
        root.set(count, str(sum(int(suite.get(count, "0")) for suite in root)))
    for element in root.iter():
        _clean(element)
    ET.indent(root, " ")
    text: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def place(plan: str, arm: str) -> str:
    """The class name of an arm's cases: a report shows it as a tree, by the dots."""
    return f"{plan.replace('/', '.')}.{arm}"


def _clean(element: ET.Element) -> None:
    element.text = element.text and NO_CHARACTER.sub("\N{REPLACEMENT CHARACTER}", element.text)
    for name, value in element.items():
        element.set(name, NO_CHARACTER.sub("\N{REPLACEMENT CHARACTER}", value))
