# SPDX-License-Identifier: Apache-2.0
"""The price of rules in print, and as data."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gatemark.judge.capacity.line import Line as AccessLine
from gatemark.judge.point.mode import shift
from gatemark.price import capacity
from gatemark.price.ablate import CLOSE, Priced
from gatemark.price.gateway import Counted, shifts
from gatemark.price.survey import Survey
from gatemark.price.traffic import SAYS, Kind
from gatemark.price.weigh import Together, Weighed
from gatemark.printable import one_line
from gatemark.tell.words.number import DASH
from gatemark.tell.words.screen import Line
from gatemark.tell.words.table import Table

MOST: Final = 10  # rules and advices
WIDEST: Final = 88  # characters of a rule
NONE: Final = DASH


@dataclass(frozen=True, slots=True)
class Answer:
    """All that was counted of a file."""

    file: str
    gateway: str  # its kernel, in words
    made: Survey
    weighed: Sequence[Weighed]
    together: Together | None = None
    tried: bool = True  # advice was looked for
    line: AccessLine | None = None
    clock_hz: float = 0.0
    notes: Sequence[str] = ()


def lines(answer: Answer) -> Iterator[Line]:
    """Print the answer: kinds of packet, the dearest rules, what to write instead."""
    made = answer.made
    rules = sum(len(chain.rules) for chain in made.chains)
    yield "bold", f"{answer.file}: {rules} rules in {len(made.chains)} chains, on {answer.gateway}"
    yield "", "Instructions of a packet from card to card, without the cards' driver:"
    yield "", ""
    for text in _kinds(made).lines():
        yield "", text
    yield from _rest(made)
    yield "", ""
    yield "bold", "The dearest rules"
    for text in _dearest(made).lines():
        yield "", text
    yield from _unmet(made)
    yield from _unpriced(made)
    if answer.tried:
        yield "", ""
        yield "bold", "What to write instead"
        yield from _instead(answer.weighed)
    yield from _together(answer)
    if answer.line:
        yield "", ""
        for text in _load(answer, answer.line):
            yield "", text
    for note in answer.notes:
        yield "yellow", one_line(note)


def _kinds(made: Survey) -> Table:
    head = ("packet", "fate", "bare kernel", "tracking, hooks", "rules", "all")
    rows = []
    for kind, counted in made.whole.items():
        if not counted.modes:
            rows.append((_says(kind), counted.fate, NONE, NONE, NONE, NONE))
            continue
        empty = made.empty.get(kind)
        same = empty is not None and empty.fate == counted.fate
        hooked = made.hooked.get(kind)
        rows.append(
            (
                _says(kind),
                counted.fate,
                str(empty.instructions) if same and empty else NONE,
                _difference(empty, hooked) if same else NONE,
                _difference(hooked, counted),
                str(counted.instructions),
            )
        )
    return Table("", head, tuple(rows), frozenset((2, 3, 4, 5)))


def _difference(old: Counted | None, new: Counted | None) -> str:
    if not old or not new or not old.modes or not new.modes:
        return NONE
    return f"{shift(old.modes, new.modes):+d}"


def _rest(made: Survey) -> Iterator[Line]:
    """Yield what prices do not add up to, where it is more than a fiftieth."""
    for kind in made.whole:
        rest = made.rest(kind)
        if rest and abs(rest[0]) > CLOSE * max(abs(rest[1]), 1):
            left, price = rest
            yield (
                "yellow",
                (
                    f"{_says(kind)}: the rules' prices come to {price - left} of {price}; "
                    f"{left:+d} are jumps, verdicts and what rules do to each other"
                ),
            )


def _dearest(made: Survey) -> Table:
    kinds = [kind for kind in made.whole if any(kind in row.prices for row in made.priced)]
    head = (*(_short(kind, kinds) for kind in kinds), "chain", "rule")
    rows = [
        (
            *(str(row.prices.get(kind, NONE)) for kind in kinds),
            row.unit.chain.place[2],
            _rule(row),
        )
        for row in made.dearest[:MOST]
    ]
    return Table("", head, tuple(rows), frozenset(range(len(kinds))))


def _rule(row: Priced) -> str:
    rules = row.unit.rules
    text = one_line(rules[0].text)
    text = text if len(text) <= WIDEST else f"{text[:WIDEST]}..."
    return text if len(rules) == 1 else f"{len(rules)} rules as: {text}"


def _unmet(made: Survey) -> Iterator[Line]:
    """Name the rules that no packet meets, by chain."""
    numbers: dict[str, int] = {}
    for unit in made.unmet:
        name = unit.chain.place[2]
        numbers[name] = numbers.get(name, 0) + len(unit.rules)
    if not numbers:
        return
    chains = [f"{name} {count}" for name, count in numbers.items()]
    more = f", and {len(chains) - MOST} more chains" if len(chains) > MOST else ""
    yield (
        "",
        (
            f"{sum(numbers.values())} rules are met by none of these packets, and cost nothing: "
            f"{', '.join(chains[:MOST])}{more} (each by --json)"
        ),
    )


def _unpriced(made: Survey) -> Iterator[Line]:
    for row in made.priced:
        if row.why:
            yield "yellow", f"{row.unit.chain.place[2]}: {_rule(row)}: {one_line(row.why)}"


def _instead(weighed: Sequence[Weighed]) -> Iterator[Line]:
    rows = [row for row in weighed if not row.why][:MOST]
    if not rows:
        yield "", "Nothing that we know would be cheaper."
    for number, row in enumerate(rows, 1):
        saves = ", ".join(f"{_name(kind)} {-by:+d}" for kind, by in row.saves.items() if by)
        yield "", f"{number}. {row.advice.title}: {saves}"
        yield "dim", f"   {one_line(row.advice.example)}"
        if row.packets:
            yield "", f"   {_equal(row)}"
        if row.advice.lasts:
            yield "dim", f"   but {row.advice.lasts}"
    for row in weighed:
        if row.why:
            yield "dim", f"Not tried: {row.advice.title}: {one_line(row.why)}"


def _together(answer: Answer) -> Iterator[Line]:
    both = answer.together
    if not both:
        return
    rows = [row for row in answer.weighed if not row.why][:MOST]
    numbers = ", ".join(str(at) for at, row in enumerate(rows, 1) if row in both.weighed)
    saves = ", ".join(f"{_name(kind)} {-by:+d}" for kind, by in _saved(answer).items() if by)
    yield "bold", f"{numbers} at once: {saves}"
    if both.differ:
        yield "yellow", f"   {both.differ} generated packets come out otherwise by them at once"


def _saved(answer: Answer) -> dict[Kind, int]:
    return shifts(answer.together.counts, answer.made.whole) if answer.together else {}


def _load(answer: Answer, line: AccessLine) -> Iterator[str]:
    """Say what the counted packets take of a small router at a line."""
    made, both = answer.made, answer.together
    rules = {kind: rest[1] for kind in made.whole if (rest := made.rest(kind))}
    now = capacity.load(made.whole, rules, line, answer.clock_hz)
    if now is None:
        yield "No connection comes through both ways: the line's load is not said."
        return
    then = capacity.load(both.counts, {}, line, answer.clock_hz) if both else None
    yield from capacity.sentences(now, then, line, answer.clock_hz)


def _equal(row: Weighed) -> str:
    if not row.differ:
        return (
            f"all of {row.packets} generated packets come out as before "
            f"({row.through} come out at all)"
        )
    return (
        f"not shown to be the same: {row.differ} of {row.packets} generated packets come out "
        f"otherwise; {row.by_chance} do so by the same rules, a second time"
    )


def _says(kind: Kind) -> str:
    family = "" if kind.family == "ipv4" else ", IPv6"
    l4 = "" if kind.l4 == "tcp" else ", UDP"
    return f"{SAYS[kind.name]}{family}{l4}"


def _name(kind: Kind) -> str:
    return (
        kind.name + ("" if kind.family == "ipv4" else "/6") + ("" if kind.l4 == "tcp" else "/udp")
    )


def _short(kind: Kind, _: Iterable[Kind]) -> str:
    return _name(kind)


def rows(answer: Answer) -> Iterator[Mapping[str, Any]]:
    """Yield a JSON object for each kind of packet, rule and advice."""
    made = answer.made
    for kind, counted in made.whole.items():
        rest = made.rest(kind)
        empty = made.empty.get(kind)
        yield {
            "gateway": answer.gateway,
            "packet": kind.label,
            "fate": counted.fate,
            "bare": empty.instructions if empty and empty.fate == counted.fate else None,
            "instructions": counted.instructions,
            "rules": rest[1] if rest else None,
            "rest": rest[0] if rest else None,
        }
    for row in made.dearest:
        yield {
            "chain": row.unit.chain.name,
            "rules": [rule.text for rule in row.unit.rules],
            "instructions": {kind.label: price for kind, price in row.prices.items()},
        }
    for unit in made.unmet:
        texts = [rule.text for rule in unit.rules]
        yield {"chain": unit.chain.name, "rules": texts, "instructions": {}}
    for weighed in answer.weighed:
        yield {
            "instead": weighed.advice.title,
            "line": weighed.advice.example,
            "saves": {kind.label: by for kind, by in weighed.saves.items()},
            "packets": weighed.packets,
            "differ": weighed.differ,
            "by_chance": weighed.by_chance,
        }
