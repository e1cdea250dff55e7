# SPDX-License-Identifier: Apache-2.0
"""A run as tests: a suite for each plan, a case for each point and for each check of `[expect]`.

A point fails by an invalid trial and is skipped where no trial of it ran; a run that was cut or is
not whole on the disk is an error. A check that is missed fails; one that is not known is skipped.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gatemark.judge.expect import Check, checks, facts
from gatemark.judge.judgement import PointResult
from gatemark.judge.point.sweep import RATES
from gatemark.judge.values import values
from gatemark.quantity import BELOW_KNEE, UNITS
from gatemark.store.record import Record, Scalar
from gatemark.tell.answer import expect
from gatemark.tell.export import xunit
from gatemark.tell.fact import say
from gatemark.tell.fact.warned import text
from gatemark.tell.group.source import Source
from gatemark.tell.words import headline, number
from gatemark.tell.words.run import repeat_command

Key = tuple[object, ...]


@dataclass(slots=True)
class Point:
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
    return xunit.document(
        _suite(source, plan, points)
        for source in sources
        for plan, points in _plans(source).items()
    )


def _plans(source: Source) -> dict[str, list[Point]]:
    """The cases of each plan, in the order of the plans; what is planned first."""
    cases: dict[Key, Point] = {}
    planned = (spec for spec in source.run.trials if spec.pass_ != "warmup")
    for spec in sorted(planned, key=lambda spec: spec.sequence):
        name = spec.arm.name or spec.arm.setup
        case = cases.setdefault(_key(spec.plan, name, spec.point), Point(name, spec.point))
        case.planned += 1
    for record in source.records:
        if record.pass_ == "warmup":
            continue
        key = _key(record.plan, record.arm, record.point)
        cases.setdefault(key, Point(record.arm, record.point)).records.append(record)
    for result in (*source.judgement.ceilings, *source.judgement.floors, *source.judgement.points):
        cases[_key(result.plan, result.arm, result.point)].result = result
    by_plan: dict[str, list[Point]] = {plan.name: [] for plan in source.run.plans}
    for (plan, *_), case in cases.items():
        by_plan.setdefault(str(plan), []).append(case)
    return by_plan


def _key(plan: str, arm: str, point: Mapping[str, Scalar]) -> Key:
    return (plan, arm, *sorted(point.items()))


def _suite(source: Source, plan: str, points: Sequence[Point]) -> xunit.Suite:
    run, cases = source.run, [_case(plan, point) for point in points]
    if plan == run.plans[0].name and (fault := _fault(source)):
        place = plan.replace("/", ".")
        broken = xunit.Case(
            place=place, name="run", outcome="error", type_="incomplete", message=fault
        )
        cases.insert(0, broken)
    expected, known = [own for own in run.plans if own.name == plan], facts(run)
    cases += [_checked(check) for check in checks(source.judgement, expected, known)]
    marks = {"id": source.label, "hostname": run.station.name, "timestamp": run.started[:19]}
    properties = (*_of_run(source), *_of_values(source, plan))
    return xunit.Suite(name=plan, cases=cases, facts=marks, properties=properties)


def _fault(source: Source) -> str:
    """Why the run is no whole answer; empty where it is, or is still being measured."""
    cut = not source.run.finished and not source.is_going
    words = f"the run was cut: `gatemark run --resume {source.folder or source.run.run}` goes on"
    return "; ".join([*([words] if cut else []), *source.faults])


def _case(plan: str, point: Point) -> xunit.Case:
    made = xunit.Case(
        place=xunit.place(plan, point.arm),
        name=_words(point.point),
        seconds=_seconds(point),
        output=[*_missing(point), *_judged(point.result)],
    )
    invalid, skipped = point.of("invalid"), point.of("skipped")
    if invalid:
        message = f"{len(invalid)} of {len(point.records)} trials invalid: {invalid[0].reason}"
        text = "\n".join(f"{record.trial}: {record.reason}" for record in invalid)
        return replace(made, outcome="failure", type_="invalid", message=message, text=text)
    if not point.of("ok"):
        reason = skipped[0].reason if skipped else "not run"
        return replace(made, outcome="skipped", message=reason)
    return made


def _checked(check: Check) -> xunit.Case:
    wanted, measured = expect.wanted(check.expectation), expect.measured(check.value)
    made = xunit.Case(
        place=xunit.place(check.plan, check.arm),
        name=_check_name(check),
        output=[
            f"expected {wanted}",
            f"measured {measured}",
            f"at {_words(check.point)}",
            expect.verdict(check),
        ],
    )
    if check.verdict == "missed":
        message = f"expected {wanted}, measured {measured}"
        return replace(made, outcome="failure", type_="missed", message=message)
    if check.verdict == "not known":
        return replace(made, outcome="skipped", message=expect.verdict(check))
    return made


def _check_name(check: Check) -> str:
    """The same in every run: the worst point below a knee differs from run to run."""
    expectation = check.expectation
    is_swept = expectation.quantity.endswith(BELOW_KNEE)
    point = {n: level for n, level in check.point.items() if not (is_swept and n in RATES)}
    words = f"expect {expectation.quantity} {expectation.wanted}"
    return f"{words}: {_words(point)}" if point else words


def _missing(point: Point) -> Iterator[str]:
    if (missing := point.planned - len(point.records)) > 0:
        yield f"{missing} of {point.planned} trials not run"
    for record in point.of("skipped"):
        yield f"skipped: {record.trial}: {record.reason}"


def _judged(result: PointResult | None) -> Iterator[str]:
    """What there is to know of the point, a line each."""
    if result is None or not result.values:
        return
    if result.at_least:
        yield "the tester was the bottleneck: rates are lower bounds"
    yield f"limit {result.limit}" + (f": {say.words(result.why)}" if result.why else "")
    yield from (f"warning {warning.code}: {text(warning)}" for warning in result.warnings)
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


def _seconds(point: Point) -> float:
    """How long its trials sent."""
    kept: Iterable[Record] = (record for record in point.records if record.status != "skipped")
    return sum(record.definition.duration_s + record.definition.settle_s for record in kept)
