# SPDX-License-Identifier: Apache-2.0
"""What each step of a ladder costs, in words and as a table: `+341 ± 40 ns`."""

from gatemark.judge.change.exact import is_exact
from gatemark.judge.change.ladder import CPU, PACKET, holds_zero, is_limited, quantity_of
from gatemark.judge.judgement import Cost, Judgement, Ladder, Step
from gatemark.quantity import UNITS
from gatemark.tell.group import sweep
from gatemark.tell.sentence.costs import nothing_clear
from gatemark.tell.words import number, traffic
from gatemark.tell.words.number import KPPS, MBPS, PERCENT, Scale
from gatemark.tell.words.table import ADJUSTED, FAMILY, NONE, Table

LEAST_P = 1e-4  # below that a p is as good as none
NS = Scale(1.0, "ns")
VERDICTS = {"slower": "costs", "faster": "saves"}
SCALES = {PACKET: NS, "goodput_bps": MBPS, CPU: PERCENT}


def tables(judgement: Judgement) -> list[Table]:
    """One table for each ladder in time: the base, then a row for each step."""
    return [_table(ladder) for ladder in judgement.ladders if not is_exact(ladder)]


def anchor(ladder: Ladder) -> str:
    """The name of its figure; where several runs are in a page, with its run's letter."""
    levels = [f"{name}-{level}" for name, level in ladder.point.items()]
    letter, is_there, _ = ladder.arm.partition(": ")
    return sweep.plain("-".join(("ladder", ladder.plan, *levels, letter if is_there else "")))


def sent(ladder: Ladder) -> str:
    """What was sent, with the factors of its point."""
    return ", ".join([traffic.traffic(ladder.definition), *rates(ladder)])


def rates(ladder: Ladder) -> list[str]:
    """The rate of its point, where that is a factor: `offered 8 k packets/s`."""
    return [
        traffic.factor(name, ladder.point[name]) for name in sweep.RATES if name in ladder.point
    ]


def signed(cost: Cost, to: Scale) -> str:
    """A difference with its sign and interval, without the unit: `+341 ± 40`."""
    text = number.interval(cost.difference, to)
    return f"+{text}" if cost.difference.value > 0 else text


def verdict(ladder: Ladder, step: Step) -> str:
    """What is known of a step: costs, saves, or why nothing can be said."""
    cost = step.costs.get(quantity_of(ladder))
    if cost is None:
        return NONE
    if step.twin:
        return "A/A, holds zero" if holds_zero(step, quantity_of(ladder)) else "A/A, not zero"
    if is_limited(step, quantity_of(ladder)):
        return "tester-limited"
    return VERDICTS.get(cost.verdict, cost.verdict)


def finding(ladder: Ladder) -> str:
    """The title of its figure: what the dearest step costs, of those that the gateway limited."""
    name = quantity_of(ladder)
    steps = [s for s in ladder.steps if name in s.costs and not s.twin]
    own = [s for s in steps if not is_limited(s, name)]
    dear = [(s, s.costs[name]) for s in own if s.costs[name].verdict == "slower"]
    if steps and not own:
        return "The tester was the bottleneck of every step"
    if not dear:
        text = nothing_clear(ladder, name)
        return text[:1].upper() + text[1:]
    step, cost = max(dear, key=lambda pair: abs(pair[1].difference.value))
    more = f", the dearest of {len(dear)} steps that cost" if len(dear) > 1 else ""
    return f"{step.arm} costs {amount(cost, name)} against {step.against}{more}"


def amount(cost: Cost, quantity: str) -> str:
    """How much, without its sign: `341 ± 40 ns a packet`."""
    unit = UNITS[quantity]
    to = number.scale([cost.difference.value], unit)
    text = number.interval(number.size(cost.difference), to)
    return f"{text} {to.unit}{' a packet' if quantity == PACKET else ''}"


def _table(ladder: Ladder) -> Table:
    rate = ladder.definition.headline
    rate_to = SCALES.get(rate, KPPS)
    head = ("step", "against", "time, ns a packet", f"{rate_to.unit}", "CPU, %", "verdict")
    more = ("takes, ns a packet", ADJUSTED, "MDE, ns")
    if quantity_of(ladder) != PACKET:
        more = (more[0], ADJUSTED, f"MDE, {rate_to.unit}")
    base = (ladder.arm, NONE, *(_own(ladder, name) for name in (PACKET, rate, CPU)), NONE)
    rows = [(*base, _own(ladder, PACKET), NONE, NONE)]
    rows += [_row(ladder, step) for step in ladder.steps]
    caption = f"{ladder.plan}: what each step adds; {sent(ladder)}; {FAMILY}"
    return Table(caption, head + more, tuple(rows), frozenset({2, 3, 4, 6, 8}))


def _own(holder: Ladder | Step, name: str) -> str:
    to = SCALES.get(name, KPPS)
    return number.interval(holder.values[name], to) if name in holder.values else NONE


def _row(ladder: Ladder, step: Step) -> tuple[str, ...]:
    rate, by = ladder.definition.headline, step.costs.get(quantity_of(ladder))
    added = (
        signed(step.costs[name], SCALES.get(name, KPPS)) if name in step.costs else NONE
        for name in (PACKET, rate, CPU)
    )
    return (
        step.arm,
        step.against,
        *added,
        verdict(ladder, step),
        _own(step, PACKET),
        _chance(by) if by else NONE,
        _mde(by, SCALES.get(quantity_of(ladder), KPPS)),
    )


def _chance(cost: Cost) -> str:
    if cost.p is None:
        return NONE
    return f"{cost.p:.2g}" if cost.p >= LEAST_P else f"< {LEAST_P:g}"


def _mde(cost: Cost | None, to: Scale) -> str:
    if cost is None or cost.mde is None:
        return NONE
    value = cost.mde / to.factor
    return number.plain(value, number.decimals_of(value))
