# SPDX-License-Identifier: Apache-2.0
"""What a plan expects (`[expect]`), and whether it was met."""

from collections.abc import Sequence
from typing import Final

from gatemark.judge.expect import LIMITED, SPREAD, TESTER, UNMEASURED, Check, checks, facts
from gatemark.judge.judgement import Value
from gatemark.judge.math.interval import Interval
from gatemark.plan.model import Expectation
from gatemark.quantity import judged_unit
from gatemark.tell.group.source import Source
from gatemark.tell.group.together import named
from gatemark.tell.words import column, number, traffic
from gatemark.tell.words.column import Column
from gatemark.tell.words.table import NONE, Table

ANCHOR = "expectations"
MOST = 4  # checks that the first answer names
CAPTION = "Expectations of the plan"


def table(sources: Sequence[Source]) -> Table:
    """A row for each check of these runs; of several, each arm with its run's letter."""
    several = len(sources) > 1
    return column.table(
        CAPTION,
        [(check, source.label * several) for source in sources for check in _checks(source)],
        Column("setup", lambda row: named(row[1], row[0].arm)),
        Column("point", lambda row: traffic.point(row[0].point)),
        Column("expected", lambda row: wanted(row[0].expectation)),
        Column("measured", lambda row: measured(row[0].value)),
        Column("verdict", lambda row: verdict(row[0])),
    )


def _checks(source: Source) -> list[Check]:
    return checks(source.judgement, source.run.plans, facts(source.run))


def brief(source: Source) -> list[tuple[str, str]]:
    """For the first answer: how many are met, then those that are not, with rich styles."""
    judged = _checks(source)
    unmet = [check for check in judged if check.verdict != "met"]
    unmet.sort(key=lambda check: check.verdict != "missed")
    if not judged:
        return []
    more = f"; the first {MOST} of {len(unmet)}:" if len(unmet) > MOST else ""
    count = f"Expectations of the plan: {len(judged) - len(unmet)} of {len(judged)} met{more}"
    return [("bold", count), *(_line(check) for check in unmet[:MOST])]


def _line(check: Check) -> tuple[str, str]:
    at = f", {traffic.point(check.point)}" if check.point else ""
    text = f"{verdict(check)}: {check.arm}{at}: {wanted(check.expectation)}"
    value = f", measured {measured(check.value)}" if check.value else ""
    return ("red" if check.verdict == "missed" else "yellow"), text + value


def wanted(expectation: Expectation) -> str:
    """A check in words: `knee_pps >= 20 k packets/s`."""
    unit = judged_unit(expectation.quantity)
    return f"{expectation.quantity} {expectation.sign} {number.nominal(expectation.bound, unit)}"


def measured(value: Value | None) -> str:
    """The value that was judged, with its interval; a dash where there is none."""
    if value is None:
        return NONE
    interval = Interval(value.value, value.lo, value.hi, value.n, value.level)
    return number.quantity_interval(interval, value.unit, at_least=value.at_least)


WHY: Final = {
    UNMEASURED: "no such value was measured",
    TESTER: "the tester was the bottleneck: the value is a lower bound",
    LIMITED: "the tester was the bottleneck: the value is not the gateway's",
    SPREAD: "the interval holds the bound: more repeats would tell",
}


def verdict(check: Check) -> str:
    """With the reason where it is not known."""
    return f"{check.verdict}: {WHY[check.why]}" if check.why else check.verdict
