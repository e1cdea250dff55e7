# SPDX-License-Identifier: Apache-2.0
"""A comparison as tests (`--junit`): a case for each value of `diff` and of `ab`.

A value that got slower fails. One that cannot be judged is skipped, with the reason: it was
inconclusive, the tester limited it, or only one of the two runs has it. If the tester itself
changed, that is an error, and every value is skipped.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gatemark.judge.change.compare import UNBOUNDED
from gatemark.judge.change.diff import Compared, Diff
from gatemark.judge.change.exact_ab import Tested
from gatemark.judge.change.sampled import Sampled
from gatemark.store.run import Run
from gatemark.tell.answer import exact
from gatemark.tell.export import xunit
from gatemark.tell.verb import diff as words
from gatemark.tell.words import number, traffic
from gatemark.tell.words.change import verdict
from gatemark.tell.words.number import PERCENT

NOTHING = "no trial of both is valid"


def of_diff(diff: Diff, name: str, run: Run) -> bytes:
    """Two runs, or the two arms of a test; `run` is the newer one."""
    why = words.incomparable(diff)
    cases = [_error(name, "tester", "not comparable", why)] if why else []
    cases += [_compared(row, why) for row in diff.rows]
    cases += [_alone(row, "OLD") for row in diff.only_old]
    cases += [_alone(row, "NEW") for row in diff.only_new]
    return _document(cases, name, run)


def of_exact(rows: Sequence[Tested], name: str, run: Run) -> bytes:
    """The two arms of a test in instructions."""
    return _document([_tested(row) for row in rows], name, run)


def _document(cases: Sequence[xunit.Case], name: str, run: Run) -> bytes:
    nothing = _error(name, "run", "invalid", NOTHING)
    facts = {"id": run.run, "hostname": run.station.name, "timestamp": run.started[:19]}
    return xunit.document([xunit.Suite(name=name, cases=cases or [nothing], facts=facts)])


def _error(place: str, name: str, type_: str, why: str) -> xunit.Case:
    return xunit.Case(place=place, name=name, outcome="error", type_=type_, message=why)


def _compared(row: Compared, why: str) -> xunit.Case:
    """One value; `why` it cannot be judged, as the tester changed."""
    change = row.change
    made = replace(_case(row.new), output=tuple(_lines(row)))
    if why or row.at_least or change.verdict == "inconclusive":
        reason = why or verdict(change, at_least=row.at_least)
        return replace(made, outcome="skipped", message=reason)
    if change.verdict == "slower":
        message = f"slower: {_change(row)}, p = {change.p:.3f}"
        return replace(made, outcome="failure", type_="slower", message=message)
    return made


def _alone(row: Sampled, which: str) -> xunit.Case:
    return replace(_case(row), outcome="skipped", message=f"only in {which}")


def _case(row: Sampled) -> xunit.Case:
    place = xunit.place(row.plan, row.setup)
    return xunit.Case(place=place, name=f"{words.name(row)}: {words.load(row)}")


def _lines(row: Compared) -> Iterator[str]:
    to = words.scale((row.old, row.new))
    for which, sampled in (("old", row.old), ("new", row.new)):
        yield f"{which} {words.shown(sampled, to)} {to.unit}, n = {sampled.interval.n}"
    yield f"change {_change(row)}"
    yield f"p {row.change.p:.3f}"
    yield verdict(row.change, at_least=row.at_least)
    yield from (f"differs: {difference}" for difference in row.differences)


def _change(row: Compared) -> str:
    """In per cent; from or to nothing it has no number."""
    change = row.change.change
    if abs(change.value) >= UNBOUNDED or change.hi >= UNBOUNDED:
        return number.DASH
    return f"{number.interval(change, PERCENT)} %"


def _tested(row: Tested) -> xunit.Case:
    difference = f"{exact.added(row.difference)} ({exact.share(row.ratio)} %)"
    made = xunit.Case(
        place=xunit.place(row.new.plan, row.new.arm),
        name=f"instructions: {traffic.load(row.new.definition)}",
        output=(
            f"old {exact.count(row.old.instructions)}",
            f"new {exact.count(row.new.instructions)}",
            f"change {difference}",
            row.word,
        ),
    )
    if row.word != "needs more":
        return made
    return replace(made, outcome="failure", type_="slower", message=f"needs more: {difference}")
