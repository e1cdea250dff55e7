# SPDX-License-Identifier: Apache-2.0
"""Known tools beside our own agents, in words: `iperf3 measures 12 % less (9 to 15)`."""

from gatemark.judge.change.compare import UNBOUNDED
from gatemark.judge.judgement import CrossCheck, Judgement
from gatemark.quantity import UNITS
from gatemark.tell.words import number, traffic
from gatemark.tell.words.change import verdict
from gatemark.tell.words.number import PERCENT
from gatemark.tell.words.table import ADJUSTED, FAMILY, Table

CAPTION = "Cross-check: known tools and Gatemark at the same points, interleaved; " + FAMILY
LEAST_LOSS = 0.0005  # of what was sent; less of it is not told
SAME = {"no change": "measures the same", "within noise": "measures the same within noise"}


def table(judgement: Judgement) -> Table:
    """A row for each tool at each point."""
    rows = tuple(_row(cross_check) for cross_check in judgement.cross_checks)
    return Table(
        CAPTION, ("at", "cross-check", "Gatemark", "the tool", ADJUSTED), rows, frozenset({4})
    )


def finding(check: CrossCheck) -> str:
    """What one row says: `iperf3 measures 12 % less (9 to 15), its own receiver lost 3 %`."""
    parts = [f"{check.driver} {_measures(check)}"]
    parts += _lost("its own receiver", check.own_loss)
    parts += _lost("Gatemark's", check.our_loss)
    return ", ".join(parts)


def _row(check: CrossCheck) -> tuple[str, ...]:
    unit = UNITS[check.quantity]
    values = (number.quantity_interval(value, unit) for value in (check.ours, check.theirs))
    return _at(check), finding(check), *values, f"{check.change.p:.2g}"


def _at(check: CrossCheck) -> str:
    """The arm, the traffic, and the factors that neither tells."""
    more = {name: level for name, level in check.point.items() if name not in traffic.LOAD}
    factors = [traffic.factor(name, level) for name, level in more.items()]
    return ", ".join([check.arm, traffic.sent(check.definition), *factors])


def _measures(check: CrossCheck) -> str:
    change = check.change.change
    if max(abs(change.value), change.hi) >= UNBOUNDED:
        return "measures nothing to compare"
    if words := SAME.get(check.change.verdict):
        return f"{words} ({_signed(change.lo)} to {_signed(change.hi)} %)"
    less = change.value < 0
    sides = sorted((-change.lo, -change.hi) if less else (change.lo, change.hi))
    places = number.decimals(change, PERCENT)
    middle, low, high = (number.plain(100 * x, places) for x in (abs(change.value), *sides))
    text = f"measures {middle} % {'less' if less else 'more'} ({low} to {high})"
    differs = check.change.verdict in ("faster", "slower")
    return text if differs else f"{text}: {verdict(check.change, at_least=False)}"


def _lost(who: str, share: float | None) -> list[str]:
    if share is None or share < LEAST_LOSS:
        return []
    return [f"{who} lost {100 * share:.2g} %"]


def _signed(share: float) -> str:
    text = number.plain(100 * share, 1)
    return f"+{text}" if share > 0 else text
