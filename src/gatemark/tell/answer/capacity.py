# SPDX-License-Identifier: Apache-2.0
"""A capacity model in words and tables: its terms, its checks, where the sum fails."""

from collections.abc import Iterator

from gatemark.judge.capacity.model import Check, Column, Cost, Model
from gatemark.judge.capacity.part import OTHERS, TOGETHER
from gatemark.judge.capacity.term import BASE, BYTE, DOWN, RULE, Case, Setup, bend
from gatemark.judge.math.interval import Interval
from gatemark.tell.words import number, traffic
from gatemark.tell.words.number import KPPS, PERCENT, Scale
from gatemark.tell.words.table import Table

EACH = Scale(1.0, "")  # ns, or instructions
MOST_FAILURES = 5  # cases that are named; the table of checks has all


def name(column: Column, base_path: str) -> str:
    """A term for people: `a rule of filter`, `nat`, `nat with conntrack`."""
    if len(column) > 1:
        return " with ".join(_name(part, base_path) for part in column)
    return _name(column[0], base_path)


def terms(model: Model, setup: Setup | None = None) -> Table:
    """Every term with its cost; with a setup those that it has."""
    costs = model.costs
    if setup:
        row = model.row(Case(setup, "down", 1.0))
        costs = tuple(cost for cost, times in zip(costs, row, strict=True) if times)
    rows = tuple(
        (name(cost.column, model.base_path), number.interval(cost.each, EACH), per(cost))
        for cost in costs
    )
    head = ("term", model.measured.unit, "for each")
    return Table("What a packet costs", head, rows, frozenset({1}))


def per(cost: Cost) -> str:
    """What a cost is for each of."""
    each = [part for part in cost.column if _is_byte(part) or part.endswith(RULE)]
    return " and ".join(["packet", *(_counted(part) for part in each)])


def checks(model: Model) -> Table:
    """Predicted beside measured, the setups that the fit did not know first."""
    checked, is_count = sorted(model.checks, key=lambda c: not c.held_out), model.measured.is_count
    unit = model.measured.unit if is_count else KPPS.unit
    rows = tuple(
        (
            check.case.setup.words,
            traffic.way(check.case.direction),
            f"{check.case.frame_bytes:.0f}",
            "held out" if check.held_out else "fitted",
            _cost_of(model, check.measured),
            _cost_of(model, check.predicted),
            number.plain(error(model, check) / PERCENT.factor, 2 if is_count else 1),
            "the sum fails" if check.fails else "",
        )
        for check in checked
    )
    head = ("setup", "direction", "frame, B", "in the model")
    more = (f"measured, {unit}", f"predicted, {unit}", "off by, %", "")
    return Table("Predicted and measured", head + more, rows, frozenset({2, 4, 5, 6}))


def failures(model: Model) -> Iterator[str]:
    """Where the sum fails: pairs of terms that need a product, then cases that have none."""
    for cost in model.costs:
        if cost.is_pair:
            together = name(cost.column, model.base_path)
            costs = f"{_label(cost.each)} {model.measured.unit}"
            yield f"{together} costs {costs} besides the two"
    checks = sorted((c for c in model.checks if c.fails), key=lambda c: -abs(c.ratio.value - 1))
    yield from (_failure(check) for check in checks[:MOST_FAILURES])
    if (more := len(checks) - MOST_FAILURES) > 0:
        yield f"{more} more cases are beside their sum"


def errors(model: Model) -> tuple[float, float] | None:
    """Median and largest of the errors at cases that were held out; None: none was."""
    errors = sorted(abs(error(model, check)) for check in model.held_out)
    if not errors:
        return None
    middle = len(errors) // 2
    return (errors[middle] + errors[-1 - middle]) / 2, errors[-1]


def error(model: Model, check: Check) -> float:
    """The value of a case: its packets/s, or its instructions."""
    return 1 / (1 + check.error) - 1 if model.measured.is_count else check.error


def sentence(model: Model) -> str:
    """The finding: how far the model is off where it did not know."""
    held = len({check.case.setup for check in model.held_out})
    if found_errors := errors(model):
        half, most = (number.quantity(error, "ratio") for error in found_errors)
        return f"The sum predicts {held} setups that it did not know to {half}, at worst {most}"
    costs = [cost for cost in model.costs if cost.column != (BASE,)]
    return f"What a packet costs: a sum of {len(costs) + 1} terms"


def part(name: str, base_path: str) -> str:
    """A part of a packet's time for people."""
    words = {TOGETHER: "features together", OTHERS: "all other terms"}
    return words.get(name) or _name(name, base_path)


def plan(model: Model) -> str:
    """The plan that a model's times are of: the first, where they are of several."""
    return next(iter(model.speeds), ("", 0))[0]


def _label(i: Interval) -> str:
    """Without ± where nothing spreads."""
    return number.plain(i.value, 0) if i.lo == i.hi else number.interval(i, EACH)


def _failure(check: Check) -> str:
    off = number.interval(check.ratio, Scale(1.0, ""))
    where = f"{check.case.setup.words}, {traffic.way(check.case.direction)}"
    return f"{where}, {check.case.frame_bytes:.0f} B takes {off} times its sum"


def _name(term: str, base_path: str) -> str:
    if term == BASE:
        return f"{traffic.does(base_path)} (base)"
    if term == BYTE:
        return "frame size"
    if (size := bend(term)) is not None:
        return f"frame size beyond {size:g} B"
    if term == DOWN:
        return "WAN to LAN"
    if term.endswith(RULE):
        return f"rules of {term.removesuffix(RULE)}"
    return traffic.does(term)


def _counted(term: str) -> str:
    return "byte" if _is_byte(term) else "rule"


def _is_byte(term: str) -> bool:
    return term == BYTE or bend(term) is not None


def _cost_of(model: Model, takes: Interval) -> str:
    if model.measured.is_count:
        return number.plain(takes.value, 0)
    return number.plain(1e6 / takes.value, 1)
