# SPDX-License-Identifier: Apache-2.0
"""Cards of costs: what each step of a ladder adds, and what an arm costs of the rate."""

from collections.abc import Iterable, Sequence

from gatemark.judge.change.ladder import INSTRUCTIONS, PACKET, is_limited, quantity_of
from gatemark.judge.judgement import Comparison, Judgement, Ladder, Step
from gatemark.plan.model import is_twin
from gatemark.quantity import UNITS
from gatemark.tell.answer import exact, ladder
from gatemark.tell.card.card import Card, Place, cut, parts
from gatemark.tell.card.picture import Bar, Picture
from gatemark.tell.group import cost
from gatemark.tell.words import number, traffic

MOST_STEPS = 10  # of a ladder, behind the fold
MOST_ARMS = 5


def features(judgement: Judgement, place: Place) -> Iterable[Card]:
    """What the first clear step of the first ladder costs, then what the others do."""
    for stack in judgement.ladders[:1]:
        name = quantity_of(stack)
        steps = [s for s in stack.steps if name in s.costs and not (s.twin or is_limited(s, name))]
        clear = [s for s in steps if s.costs[name].verdict in ladder.VERDICTS][:1]
        steps = [*clear, *(s for s in steps if s not in clear)]  # a doubtful step is no headline
        if steps:
            yield _features(stack, steps, name, place)


def _features(stack: Ladder, steps: Sequence[Step], name: str, place: Place) -> Card:
    first, *others = steps
    is_counted = name == INSTRUCTIONS
    value, unit = _added(first, name)
    verdict = exact.verdict(first) if is_counted else ladder.verdict(stack, first)
    lines = [f"{step.arm}: {_step(stack, step, name)}" for step in others]
    how = (
        "of packets sent one at a time"
        if is_counted
        else "by differences within blocks of trials that took turns"
    )
    return Card(
        title="Cost of features",
        value=value,
        unit=unit,
        line=f"{first.arm}, against {first.against}: {verdict}",
        lines=tuple(cut(lines, MOST_STEPS)),
        definition=f"What each adds to the arm that it is against, {how}; {ladder.sent(stack)}.",
        evidence=ladder.anchor(stack),
        picture=Picture(
            "What each step adds",
            tuple(
                Bar(s.arm, place.colors.color(s.plan, s.arm), s.costs[name].difference)
                for s in steps
            ),
        ),
    )


def _added(step: Step, name: str) -> tuple[str, str]:
    """What a step adds, with its sign, and the unit by itself."""
    difference = step.costs[name].difference
    if name == INSTRUCTIONS:
        return exact.added(difference), "instructions a packet"
    value, unit = parts(difference, UNITS[name])
    sign = "+" if difference.value > 0 else ""
    return f"{sign}{value}", f"{unit}{' a packet' if name == PACKET else ''}"


def _step(stack: Ladder, step: Step, name: str) -> str:
    """The same in one line, with a doubt where there is one."""
    value, unit = _added(step, name)
    if name == INSTRUCTIONS:
        return value
    doubt = step.costs[name].verdict not in ladder.VERDICTS
    text = f"{value} {unit.removesuffix(' a packet')}"
    return f"{text}, {ladder.verdict(stack, step)}" if doubt else text


def changes(judgement: Judgement, place: Place) -> Iterable[Card]:
    """What an arm costs, or gains, at its worst: each once, in the first plan that tells it."""
    worst: dict[str, tuple[Comparison, str]] = {}
    for group in cost.groups(judgement):
        compared = [
            comparison
            for comparison in group
            if not is_twin(comparison.arm) and not comparison.at_least
        ]
        for name in dict.fromkeys(
            cost.name(comparison) for comparison in compared if comparison.quantity in cost.RATES
        ):
            own = [comparison for comparison in compared if cost.name(comparison) == name]
            least = min(own, key=lambda comparison: comparison.change.change.value)
            worst.setdefault(name, (least, cost.anchor(group)))
    if worst:
        yield _change(list(worst.items()), place)


def _change(texts: Sequence[tuple[str, tuple[Comparison, str]]], place: Place) -> Card:
    """The first arm's cost, then the others'."""
    name, (first, anchor) = texts[0]
    is_cost = first.change.verdict == "slower"
    change = first.change.change
    text = cost.percent(number.size(change) if is_cost else change).removesuffix(" %")
    lines = [f"{other}: {_cost_words(comparison)}" for other, (comparison, _) in texts[1:MOST_ARMS]]
    bars = [Bar(c.arm, place.colors.color(c.plan, c.arm), c.change.change) for _, (c, _) in texts]
    return Card(
        title=f"{'Cost of' if is_cost else 'Change by'} {name}",
        value=text.lstrip("+") if is_cost else text,
        unit="%",
        line=f"of the rate against {traffic.does(first.baseline)}: {first.change.verdict}",
        lines=tuple(lines),
        definition=f"Of the rate, {traffic.load(first.definition)}; where it is worst.",
        evidence=anchor,
        picture=Picture("Change of the rate by each setup", tuple(bars)),
    )


def _cost_words(comparison: Comparison) -> str:
    return f"{cost.percent(comparison.change.change)}, {comparison.change.verdict}"
