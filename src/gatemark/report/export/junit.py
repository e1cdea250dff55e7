# SPDX-License-Identifier: Apache-2.0
"""JUnit's XML as continuous integration reads it (junit-10.xsd): a suite a plan, a case a point.

A point fails by an invalid trial and is skipped where no trial of it ran; a run that was cut or is
not whole on the disk is an error. That a value is low fails nothing: `gatemark diff` tells that.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from xml.etree import ElementTree as ET

from gatemark.report.group.source import Source
from gatemark.report.words import headline, number
from gatemark.report.words.run import repeat_command
from gatemark.stats.judgement import PointResult
from gatemark.stats.values import values
from gatemark.store.record import UNITS, Record, Scalar

# What XML 1.0 cannot hold (section 2.2), escaped or not.
NO_CHARACTER: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
Key = tuple[object, ...]


@dataclass(slots=True)
class Case:
    """One point of one arm: what was planned of it, what ran, what was judged."""

    arm: str
    point: Mapping[str, Scalar]
    planned: int = 0
    records: list[Record] = field(default_factory=list)
    result: PointResult | None = None

    def of(self, status: str) -> list[Record]:
        """Its trials of one status."""
        return [record for record in self.records if record.status == status]


def export(sources: Sequence[Source]) -> bytes:
    """One document of all runs."""
    root = ET.Element("testsuites", {"name": "gatemark"})
    root.extend(
        _suite(source, plan, cases) for source in sources for plan, cases in _plans(source).items()
    )
    for count in ("tests", "failures", "errors"):
        root.set(count, str(sum(int(suite.get(count, "0")) for suite in root)))
    for element in root.iter():
        _clean(element)
    ET.indent(root, " ")
    text: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _plans(source: Source) -> dict[str, list[Case]]:
    """The cases of each plan, in the order of the plans; what is planned first."""
    cases: dict[Key, Case] = {}
    for spec in sorted(source.run.trials, key=lambda spec: spec.sequence):
        name = spec.arm.name or spec.arm.setup
        case = cases.setdefault(_key(spec.plan, name, spec.point), Case(name, spec.point))
        case.planned += 1
    for record in source.records:
        key = _key(record.plan, record.arm, record.point)
        cases.setdefault(key, Case(record.arm, record.point)).records.append(record)
    for result in (*source.judgement.ceilings, *source.judgement.floors, *source.judgement.points):
        cases[_key(result.plan, result.arm, result.point)].result = result
    by_plan: dict[str, list[Case]] = {plan.name: [] for plan in source.run.plans}
    for (plan, *_), case in cases.items():
        by_plan.setdefault(str(plan), []).append(case)
    return by_plan


def _key(plan: str, arm: str, point: Mapping[str, Scalar]) -> Key:
    return (plan, arm, *sorted(point.items()))


def _suite(source: Source, plan: str, cases: Sequence[Case]) -> ET.Element:
    run, made = source.run, [_case(plan, case) for case in cases]
    if plan == run.plans[0].name and (fault := _fault(source)):
        broken = ET.Element("testcase", {"classname": plan.replace("/", "."), "name": "run"})
        ET.SubElement(broken, "error", {"type": "incomplete", "message": fault})
        made.insert(0, broken)
    counts = {
        "tests": len(made),
        "failures": sum(case.find("failure") is not None for case in made),
        "errors": sum(case.find("error") is not None for case in made),
        "skipped": sum(case.find("skipped") is not None for case in made),
    }
    attributes = {"name": plan, "id": source.label, "hostname": run.station.name}
    attributes |= {"timestamp": run.started[:19], "time": f"{sum(map(_seconds, cases)):.3f}"}
    suite = ET.Element(
        "testsuite", attributes | {name: str(count) for name, count in counts.items()}
    )
    properties = ET.SubElement(suite, "properties")
    for name, value in (*_of_run(source), *_of_values(source, plan)):
        ET.SubElement(properties, "property", {"name": name, "value": value})
    suite.extend(made)
    return suite


def _fault(source: Source) -> str:
    """Why the run is no whole answer; empty where it is, or is still being measured."""
    cut = not source.run.finished and not source.is_going
    words = f"the run was cut: `gatemark run --resume {source.folder or source.run.run}` goes on"
    return "; ".join([*([words] if cut else []), *source.faults])


def _case(plan: str, case: Case) -> ET.Element:
    names = {"classname": f"{plan.replace('/', '.')}.{case.arm}", "name": _words(case.point)}
    element = ET.Element("testcase", {**names, "time": f"{_seconds(case):.3f}"})
    invalid, skipped = case.of("invalid"), case.of("skipped")
    if invalid:
        message = f"{len(invalid)} of {len(case.records)} trials invalid: {invalid[0].reason}"
        failure = ET.SubElement(element, "failure", {"type": "invalid", "message": message})
        failure.text = "\n".join(f"{record.trial}: {record.reason}" for record in invalid)
    elif not case.of("ok"):
        reason = skipped[0].reason if skipped else "not run"
        ET.SubElement(element, "skipped", {"message": reason})
    if lines := [*_missing(case), *_judged(case.result)]:
        ET.SubElement(element, "system-out").text = "\n".join(lines)
    return element


def _missing(case: Case) -> Iterator[str]:
    if (missing := case.planned - len(case.records)) > 0:
        yield f"{missing} of {case.planned} trials not run"
    for record in case.of("skipped"):
        yield f"skipped: {record.trial}: {record.reason}"


def _judged(result: PointResult | None) -> Iterator[str]:
    """What there is to know of the point, a line each."""
    if result is None or not result.values:
        return
    if result.at_least:
        yield "the tester was the bottleneck: rates are lower bounds"
    yield f"limit {result.limit}" + (f": {result.why}" if result.why else "")
    yield from (f"warning {warning.code}: {warning.text}" for warning in result.warnings)
    for name, interval in result.values.items():
        bound = headline.bounded(result, name)
        yield f"{name} {number.quantity_interval(interval, UNITS[name], at_least=bound)}"


def _of_run(source: Source) -> Iterator[tuple[str, str]]:
    run = source.run
    yield "run", source.label
    yield "station", f"{run.station.name} ({run.station.kind})"
    yield "virtual", str(run.station.virtual).lower()
    yield "command", repeat_command(run)


def _of_values(source: Source, plan: str) -> Iterator[tuple[str, str]]:
    for value in values(source.judgement):
        if value.plan == plan:
            bound = ">= " if value.at_least else ""
            interval = f"{value.value!r} [{value.lo!r}, {value.hi!r}] {value.unit}"
            text = f"{bound}{interval}, n = {value.n}, limit {value.limit}"
            yield f"{value.arm}: {_words(value.point)}: {value.quantity}", text


def _words(point: Mapping[str, Scalar]) -> str:
    return " ".join(f"{name}={level}" for name, level in point.items()) or "only point"


def _seconds(case: Case) -> float:
    """How long its trials sent."""
    kept: Iterable[Record] = (record for record in case.records if record.status != "skipped")
    return sum(record.definition.duration_s + record.definition.settle_s for record in kept)


def _clean(element: ET.Element) -> None:
    element.text = element.text and NO_CHARACTER.sub("\N{REPLACEMENT CHARACTER}", element.text)
    for name, value in element.items():
        element.set(name, NO_CHARACTER.sub("\N{REPLACEMENT CHARACTER}", value))
