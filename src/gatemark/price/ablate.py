# SPDX-License-Identifier: Apache-2.0
"""The price of each rule: a packet with it less a packet without it, in as few loads as it takes.

1. A copy of the rules with a counter before each rule, and one before what it does, shows which
   rules a kind of packet meets, and which of them match it. A rule that no kind meets has no price.
2. Neighbours of one shape, met by the same kinds and matched by none, are a unit: they are taken
   away together, and each has its share. Half of them is taken away as well: if that is not half
   of the price, the unit is cut in two, and so on. Four hundred addresses are two loads.
3. A rule that matches decides what becomes of the packet, so it is not taken away: its matches
   are, and what it does stays. One that changes addresses becomes `accept`: its price is on every
   packet of the connection.

    whole - bare kernel = tracking + hooks + rules + rest

Hooks are base chains with one rule that lets the packet on. The rest is what rules do: jumps,
verdicts. It is named where it is more than 2 %.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from gatemark.error import NodeError
from gatemark.price.gateway import Counted, shifts
from gatemark.price.rules import NAT, Chain, Place, Rule, batch, texts
from gatemark.price.traffic import Kind

COUNTS: Final = re.compile(r"counter packets (\d+) bytes \d+")
PACKETS: Final = 3  # that show which rules a kind meets
CLOSE: Final = 0.02  # of the whole: a rest above is named
EXACT: Final = 2  # instructions: the same price, where packets of a kind differ by as many

At = tuple[Place, int]  # a rule: its chain, and its place there
Prices = dict[Kind, int]
# Gives a chain other rules, all others theirs, and counts.
Count = Callable[[Chain, Sequence[str], Iterable[Kind]], Awaitable[Mapping[Kind, Counted]]]


@dataclass(frozen=True, slots=True)
class Meets:
    """The kinds of packet that meet a rule, and those that it matches."""

    met: frozenset[Kind] = frozenset()
    matched: frozenset[Kind] = frozenset()


@dataclass(frozen=True, slots=True)
class Unit:
    """Neighbours in a chain that cost the same."""

    chain: Chain
    first: int
    rules: tuple[Rule, ...]
    meets: Meets

    @property
    def last(self) -> int:
        """The place of its last rule."""
        return self.first + len(self.rules) - 1

    def half(self) -> tuple["Unit", "Unit"]:
        """Both halves."""
        middle = len(self.rules) // 2
        return (
            Unit(self.chain, self.first, self.rules[:middle], self.meets),
            Unit(self.chain, self.first + middle, self.rules[middle:], self.meets),
        )

    def instead(self, others: Sequence[str]) -> list[str]:
        """The rules of its chain with others in its place."""
        chain_texts = texts(self.chain)
        chain_texts[self.first : self.last + 1] = others
        return chain_texts


@dataclass(slots=True)
class Priced:
    """A unit, and the instructions of all its rules, by kind."""

    unit: Unit
    prices: Prices = field(default_factory=dict)
    why: str = ""  # no price could be found

    @property
    def total(self) -> int:
        """The sum over all kinds."""
        return sum(self.prices.values())


def instrumented(ruleset: Iterable[Chain]) -> str:
    """The batch with counters: before each rule, and before what it does."""
    return batch(
        {chain.place: [_watched(rule) for rule in chain.rules] for chain in ruleset if chain.rules}
    )


def _watched(rule: Rule) -> str:
    verdict = rule.verdict
    if not verdict:
        return f"counter {rule.bare}"
    return " ".join(filter(None, ("counter", rule.matches, "counter", verdict)))


def tallies(ruleset: Sequence[Chain], listed: Sequence[Chain]) -> dict[At, tuple[int, int]]:
    """Packets that met each rule, and that it matched, from a listing of the instrumented ones.

    A rule without a verdict of its own matched nobody, as far as its price goes.
    """
    counts: dict[At, tuple[int, int]] = {}
    there = {chain.place: chain for chain in listed}
    for chain in ruleset:
        for at, (rule, seen) in enumerate(zip(chain.rules, there[chain.place].rules, strict=True)):
            numbers = [int(number) for number in COUNTS.findall(seen.text)]
            counts[chain.place, at] = numbers[0], numbers[-1] if rule.verdict else 0
    return counts


def risen(
    before: Mapping[At, tuple[int, int]], after: Mapping[At, tuple[int, int]]
) -> dict[At, tuple[bool, bool]]:
    """Return whether each rule was met, and matched, by most of the packets between two tallies."""
    return {
        at: (2 * (now[0] - before[at][0]) > PACKETS, 2 * (now[1] - before[at][1]) > PACKETS)
        for at, now in after.items()
    }


def units(ruleset: Iterable[Chain], meets: Mapping[At, Meets]) -> list[Unit]:
    """Neighbours of one shape and with the same packets, none of them matched; else one by one."""
    found_units = []
    for chain in ruleset:
        rows = [
            (at, rule, meets.get((chain.place, at), Meets())) for at, rule in enumerate(chain.rules)
        ]
        for _, group in groupby(rows, key=lambda row: _key(*row)):
            members = list(group)
            rules = tuple(rule for _, rule, _ in members)
            found_units.append(Unit(chain, members[0][0], rules, members[0][2]))
    return found_units


def _key(at: int, rule: Rule, meets: Meets) -> object:
    if meets.matched or " vmap " in rule.text:
        return at
    return rule.shape, meets


async def priced(unit: Unit, whole: Mapping[Kind, Counted], count: Count) -> list[Priced]:
    """The prices of a unit, cut in two where its halves differ."""
    passed = unit.meets.met - unit.meets.matched
    result = Priced(unit)
    if passed:
        result = await _changed(unit, whole, count, unit.instead(()), passed)
        if len(unit.rules) > 1 and not result.why and not await _even(result, whole, count):
            return [part for half in unit.half() for part in await priced(half, whole, count)]
    if unit.meets.matched:
        is_nat = unit.rules[0].does in NAT
        bare = ["accept"] if is_nat else [rule.verdict for rule in unit.rules]
        # What changes addresses costs each packet of a connection, not the first alone.
        kinds = {*whole} - passed if is_nat else unit.meets.matched
        matched = await _changed(unit, whole, count, unit.instead(bare), kinds)
        result.prices |= matched.prices
        result.why = result.why or matched.why
    return [result]


async def _even(result: Priced, whole: Mapping[Kind, Counted], count: Count) -> bool:
    """Return whether the first half costs its share."""
    unit, (part, _) = result.unit, result.unit.half()
    half = await _changed(part, whole, count, part.instead(()), result.prices)
    share = len(part.rules) / len(unit.rules)
    return all(
        abs(half.prices[kind] - price * share) <= EXACT
        for kind, price in result.prices.items()
        if kind in half.prices
    )


async def _changed(
    unit: Unit,
    whole: Mapping[Kind, Counted],
    count: Count,
    changed: Sequence[str],
    kinds: Iterable[Kind],
) -> Priced:
    """Count with a changed chain."""
    kinds = [kind for kind in whole if kind in {*kinds} and whole[kind].modes]
    try:
        counted = await count(unit.chain, changed, kinds)
    except NodeError as error:
        return Priced(unit, why=error.output or str(error))
    prices = shifts(counted, whole)
    lost = [kind.label for kind in kinds if kind not in prices]
    why = f"without it {', '.join(lost)} comes to another end" if lost else ""
    return Priced(unit, prices, why)


def hooks(ruleset: Iterable[Chain], dropping: Place | None = None) -> str:
    """The batch of base chains that let every packet on; `dropping`: but for that one.

    Those without rules stay so: they let on, or drop, by their policy.
    """
    return batch(
        {
            chain.place: (["drop" if chain.place == dropping else "accept"] if chain.hook else [])
            for chain in ruleset
            if chain.rules
        }
    )


def dropping(ruleset: Iterable[Chain], meets: Mapping[At, Meets], kind: Kind) -> Place | None:
    """The base chain in which a kind is dropped: the last that it meets, by a rule or its policy.

    None: no rule of a base chain was met.
    """
    places = [
        chain.place
        for chain in ruleset
        if chain.hook in ("forward", "input", "prerouting", "ingress")
        and chain.kind == "filter"
        and (not chain.rules or kind in meets.get((chain.place, 0), Meets()).met)
    ]
    return places[-1] if places else None
