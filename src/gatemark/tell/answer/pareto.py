# SPDX-License-Identifier: Apache-2.0
"""Ways to tune a gateway, in words and as a table: which of them no other beats."""

from gatemark.judge.change.pareto import CPU, DELAY
from gatemark.judge.judgement import Front, Judgement, Option
from gatemark.quantity import UNITS
from gatemark.tell.group import sweep
from gatemark.tell.words import number, traffic
from gatemark.tell.words.number import PERCENT, Scale
from gatemark.tell.words.table import NONE, Table


def tables(judgement: Judgement) -> list[Table]:
    """One table for each front: the arms that no other beats first."""
    return [_table(front) for front in judgement.fronts]


def anchor(front: Front) -> str:
    """The name of its figure; where several runs are in a page, with its run's letter."""
    levels = [f"{name}-{level}" for name, level in front.point.items()]
    letter, is_there, _ = front.options[0].arm.partition(": ")
    return sweep.plain("-".join(("front", front.plan, *levels, letter if is_there else "")))


def loads(front: Front) -> str:
    """The loads under which the values were measured."""
    words = traffic.traffic(front.options[0].definition)
    if front.paced_pps is None:
        return f"{words}; all at overload"
    rate = number.nominal(front.paced_pps, "packets/s")
    return f"{words}; the rate at overload, delay and CPU at {rate}"


def finding(front: Front) -> str:
    """The title of its figure: what is worth to choose from."""
    kept = [option.arm for option in front.options if not option.beaten]
    if len(kept) == 1:
        return f"{kept[0]} is best in rate, delay and CPU"
    return f"{len(kept)} of {len(front.options)} ways to tune are beaten by no other"


def fate(option: Option) -> str:
    """Whether an arm is on the front, or what beats it."""
    if not option.beaten:
        return "front"
    more = f" and {len(option.beaten) - 1} more" if len(option.beaten) > 1 else ""
    return f"beaten by {option.beaten[0]}{more}"


def scale(front: Front, quantity: str) -> Scale:
    """The unit of a column."""
    values = [o.values[quantity].value for o in front.options if quantity in o.values]
    return PERCENT if quantity == CPU else number.scale(values, UNITS[quantity])


def _table(front: Front) -> Table:
    scales = {name: scale(front, name) for name in (front.rate, DELAY, CPU)}
    ordered = sorted(front.options, key=lambda option: (bool(option.beaten), -_rate(front, option)))
    rows = tuple(
        (option.arm, *(_cell(option, name, to) for name, to in scales.items()), fate(option))
        for option in ordered
    )
    rate, delay, _ = scales.values()
    head = ("setup", rate.unit, f"delay p50, {delay.unit}", "CPU, %", "verdict")
    caption = f"{front.plan}: rate, delay and CPU; {loads(front)}"
    return Table(caption, head, rows, frozenset({1, 2, 3}))


def _rate(front: Front, option: Option) -> float:
    return option.values[front.rate].value


def _cell(option: Option, name: str, to: Scale) -> str:
    if name not in option.values:
        return NONE
    bounded = option.at_least and name not in (DELAY, CPU)
    return number.interval(option.values[name], to, at_least=bounded)
