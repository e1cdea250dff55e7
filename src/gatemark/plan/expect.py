# SPDX-License-Identifier: Apache-2.0
"""`[expect]` of a plan: checks of what is measured, as a file has them and as a plan does.

[expect]                        every arm with a gateway
knee_pps = ">= 20000"

[expect.nat]                    the arm `nat`: in place of the same quantity above
knee_pps = ">= 15000"

[[expect.case]]                 some points alone
at = { rate_pps = 20000 }
delay_p99_ns = "< 2e6"

[[expect.case]]                 only gateways with a switch chip, as their inventory tells
arm   = "switch"
needs = "switch"
cpu_busy = "< 0.05"
"""

import math
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from gatemark.error import UsageError
from gatemark.plan.fact import FACTS
from gatemark.plan.model import Expectation, Factor, Plan, Sign
from gatemark.plan.toml import nearest
from gatemark.quantity import BELOW_KNEE, JUDGED, UNITS, judged_unit

TABLE: Final = "expect"
CASE: Final = "case"  # [[expect.case]]
OWN: Final = ("arm", "at", "needs")  # keys of a case that are no quantities
OF_SEARCH: Final = ("goal", "share")  # factors of a point that a search adds
COMPARISON: Final = re.compile(r"\s*(<=|>=|==|=|<|>)?\s*([+-]?[\d._]+(?:[eE][+-]?\d+)?)\s*")
FORM: Final = 'write a number, or a sign (<, <=, =, >=, >) and a number: ">= 20000"'


@dataclass(frozen=True, slots=True)
class Table:
    """One table of checks: where it stands, which arm and points it is about."""

    place: str  # as `plan.toml.line_of` has it: expect, expect.nat, expect.case[0]
    checks: Mapping[str, Any]  # quantity -> comparison
    arm: Any = ""
    at: Any = ""
    needs: Any = ""


class ExpectError(UsageError):
    """A faulty check, with the table and the key where it stands."""

    def __init__(self, place: str, key: str, message: str) -> None:
        super().__init__(message)
        self.place = place
        self.key = key


def expectations(expect: Any, place: str = TABLE) -> tuple[Expectation, ...]:
    """The checks of a plan's `expect`. Raises ExpectError for a wrong quantity or comparison."""
    if not isinstance(expect, dict):
        raise ExpectError("", TABLE, "`expect` is a table: [expect]")
    return tuple(check for table in _tables(expect, place) for check in _checks(table))


def check(plan: Plan) -> None:
    """Raise ExpectError for a check of an arm or a point that the plan does not have."""
    arms = [arm.name or arm.setup for arm in plan.arm]
    factors = {name: set(levels) for name, levels in plan.sweep.items()}
    for case in plan.case:
        for name, level in case.items():
            factors.setdefault(name, set()).add(level)
    factors |= {name: set() for name in OF_SEARCH if plan.search}
    for check in plan.expect:
        if check.arm and check.arm not in arms:
            raise ExpectError(
                TABLE, check.arm, f"[expect]: no arm '{check.arm}'{nearest(check.arm, arms)}"
            )
        for name, level in check.at.items():
            _check_level(name, level, factors)


def _tables(expect: Mapping[str, Any], place: str) -> Iterator[Table]:
    plain = {key: value for key, value in expect.items() if not _is_table(key, value)}
    yield Table(place, plain)
    for key, value in expect.items():
        if key == CASE and isinstance(value, list):
            for number, case in enumerate(value):
                here = f"{place}.{CASE}[{number}]"
                if not isinstance(case, dict):
                    raise ExpectError(place, CASE, "a case is a table: [[expect.case]]")
                checks = {name: text for name, text in case.items() if name not in OWN}
                yield Table(here, checks, *(case.get(name, "") for name in OWN))
        elif isinstance(value, dict):
            yield Table(f"{place}.{key}", value, key)


def _is_table(key: str, value: Any) -> bool:
    return isinstance(value, dict) or (key == CASE and isinstance(value, list))


def _checks(table: Table) -> Iterator[Expectation]:
    if not isinstance(table.arm, str):
        raise ExpectError(table.place, "arm", "`arm` of [[expect.case]] is an arm's name")
    if table.needs and table.needs not in FACTS:
        raise ExpectError(
            table.place,
            "needs",
            f"`needs` is a fact of the inventory{nearest(str(table.needs), list(FACTS))}",
        )
    for key, comparison in table.checks.items():
        _check_quantity(table.place, key)
        sign, bound = _comparison(table.place, key, comparison)
        yield Expectation(
            quantity=key,
            sign=sign,
            bound=bound,
            arm=table.arm,
            at=_levels(table),
            needs=table.needs,
        )


def _levels(table: Table) -> dict[str, Factor]:
    at = table.at or {}
    if not isinstance(at, dict) or not all(isinstance(v, str | int | float) for v in at.values()):
        raise ExpectError(table.place, "at", "`at` is a point: { rate_pps = 20000 }")
    return at


def _check_quantity(place: str, key: str) -> None:
    try:
        judged_unit(key)
    except KeyError:
        known = [*UNITS, *JUDGED, *(f"{name}{BELOW_KNEE}" for name in UNITS)]
        near = nearest(key, known)
        fix = near if "did you mean" in near else "; `gatemark show RUN --json` lists some"
        raise ExpectError(place, key, f"unknown quantity {key!r} in [{TABLE}]{fix}") from None


def _comparison(place: str, key: str, text: Any) -> tuple[Sign, float]:
    match = COMPARISON.fullmatch(str(text)) if not isinstance(text, bool | list | dict) else None
    try:
        bound = float(match[2]) if match else math.nan
    except ValueError:
        bound = math.nan
    if not match or not math.isfinite(bound):
        raise ExpectError(place, key, f"{key!r} of [{TABLE}]: {text!r} is no comparison; {FORM}")
    return cast(Sign, (match[1] or "=").replace("==", "=")), bound


def _check_level(name: str, level: Factor, factors: Mapping[str, Collection[Factor]]) -> None:
    if name not in factors:
        fix = nearest(name, list(factors)) if factors else "; the plan sweeps nothing"
        raise ExpectError(TABLE, name, f"[expect]: no factor {name!r} in this plan{fix}")
    levels = factors[name]
    if levels and level not in levels:
        fix = nearest(str(level), list(map(str, levels)))
        raise ExpectError(TABLE, str(name), f"[expect]: no point has {name} = {level!r}{fix}")
