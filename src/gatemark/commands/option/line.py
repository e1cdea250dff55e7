# SPDX-License-Identifier: Apache-2.0
"""`--line DOWN/UP`: an access line in the words of the command line, and as a plan's own."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from gatemark.error import UsageError

if TYPE_CHECKING:
    from gatemark.judge.capacity.line import Line
    from gatemark.plan.model import Plan

UNITS: Final = {"": 1e6, "kbit": 1e3, "mbit": 1e6, "gbit": 1e9}
BOTH: Final = "line.rate_bps"  # a factor of both ways
DOWN, UP = "line.down.rate_bps", "line.up.rate_bps"
RATE: Final = "rate_bps"
MOST_BPS: Final = 1e12


def access_line(text: str) -> "Line":
    """Both rates of `DOWN/UP`. Raises UsageError: one alone may be meant for either or both."""
    from gatemark.judge.capacity.line import Line

    rates = []
    for part in text.lower().replace("bit/s", "bit").split("/"):
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmg]bit)?", part.strip())
        bps = float(match[1]) * UNITS[match[2] or ""] if match else 0.0
        if not 0 < bps <= MOST_BPS:
            raise UsageError(f"--line {text}: write down/up in Mbit/s: 1000/500, 2.5Gbit/1Gbit")
        rates.append(bps)
    if len(rates) > 2:
        raise UsageError(f"--line {text}: two rates at most, down/up: 1000/500")
    if len(rates) == 1:
        raise UsageError(
            f"--line {text}: write down/up, as 1000/500; {text}/{text} where both are the same"
        )
    return Line(*rates)


def line_rates(text: str) -> tuple[float, float]:
    """The same as bits/s down and up, as a run keeps it. Raises UsageError."""
    line = access_line(text)
    return line.down_bps, line.up_bps


def lined(plan: "Plan", text: str) -> "Plan":
    """The plan over this line, if it has one; a rate that it varies stays. Raises UsageError."""
    from msgspec.structs import replace

    from gatemark.plan.expand import check
    from gatemark.plan.line.keys import line_at

    down_bps, up_bps = line_rates(text)
    varied = set(varied_rates(plan))
    rates = {DOWN: down_bps, UP: up_bps}
    given = {key: bps for key, bps in rates.items() if not {key, BOTH} & varied}
    if plan.line is None or not given:
        return plan
    made = replace(plan, line=line_at(plan, given))
    try:
        check(made)
    except UsageError as error:
        raise UsageError(f"--line {text}: {plan.name}: {error}") from None
    return made


def refuse_rates(keys: Iterable[str]) -> None:
    """UsageError for a `--set` key that says what `--line` says."""
    for key in keys:
        if key in (BOTH, DOWN, UP):
            raise UsageError(f"--set {key} says what --line says; leave one out")


def varied_rates(plan: "Plan") -> list[str]:
    """The rates of its line that a plan varies itself."""
    from gatemark.plan.expand import factors

    return [name for name in factors(plan) if name.startswith("line.") and name.endswith(RATE)]
