# SPDX-License-Identifier: Apache-2.0
"""Published values beside ours: like definitions only, with what is not known to agree."""

from collections.abc import Iterable
from typing import TypeGuard

from gatemark.judge.change.reference import Beside
from gatemark.judge.fact import Fact, Text
from gatemark.store.published import REFERENCE_UNITS, Published
from gatemark.tell.fact import say
from gatemark.tell.fact.reference import IMPLIED, UNSTATED, field
from gatemark.tell.words import number, traffic
from gatemark.tell.words.table import Table

CAPTION = "Published values of other devices beside ours"
HEAD = ("device", "study", "experiment", "published", "ours", "at", "differs")
MOST = 12  # rows below the answer
ABOUT = {"approx": "about ", "derived": "derived: "}
SIGN = {">=": number.AT_LEAST, "<=": "\N{LESS-THAN OR EQUAL TO} ", ">": "> ", "<": "< "}


def table(rows: Iterable[Beside]) -> Table:
    """One line for each pair of a published value and ours."""
    return Table(CAPTION, HEAD, tuple(_cells(row) for row in rows), frozenset(), noted=True)


def printed(value: Published) -> str:
    """A published value as it was printed: `47.5 Mbit/s`, `about 363 Mbit/s`, `≥ 90 %`."""
    sign = next((sign for sign in SIGN if value.printed.startswith(sign)), "")
    return ABOUT.get(value.kind, "") + SIGN.get(sign, "") + value.printed.removeprefix(sign)


def differs(row: Beside) -> str:
    """What is not known to agree, in one cell: what is not said together, then what differs."""
    parts = [
        f"{heading}: {', '.join(fields)}"
        for heading, code in (("not said", UNSTATED), ("only implied", IMPLIED))
        if (fields := [field(own) for own in row.differs if _is(own, code)])
    ]
    others = [say.words(own) for own in row.differs if not _is(own, UNSTATED, IMPLIED)]
    return "; ".join([*others, *parts]) or number.DASH


def _is(text: Text, *codes: str) -> TypeGuard[Fact]:
    return isinstance(text, Fact) and text.code in codes


def _cells(row: Beside) -> tuple[str, ...]:
    value, unit = row.published, REFERENCE_UNITS[row.quantity]
    return (
        value.device,
        value.study,
        f"{value.experiment} {value.parameter}",
        printed(value),
        number.quantity_interval(row.measured, unit, at_least=row.at_least),
        ", ".join(filter(None, (row.arm, traffic.point(row.point) if row.point else ""))),
        differs(row),
    )
