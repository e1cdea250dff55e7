# SPDX-License-Identifier: Apache-2.0
"""Prices by taking rules away, on a made-up gateway whose rules have known prices."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

import pytest

from gatemark.price import ablate
from gatemark.price.ablate import Meets
from gatemark.price.advise import advices
from gatemark.price.gateway import ARRIVES, Counted
from gatemark.price.rules import Chain, Rule, as_it_was, chains, edited
from gatemark.price.traffic import Kind

UP = Kind("up", "lan0", "wan0", "known")
NEW = Kind("up-new", "lan0", "wan0", "new")
BASE = 5000

LISTING = """table inet filter {
\tset block {
\t\ttype ipv4_addr
\t\telements = { 192.0.2.1 }
\t}

\tchain forward {
\t\ttype filter hook forward priority filter; policy drop;
\t\tip saddr 192.0.2.1 drop comment "accept \\x1b"
\t\tip saddr 192.0.2.2 drop
\t\tip saddr 192.0.2.3 drop
\t\tip saddr 192.0.2.4 drop
\t\tct state established,related accept
\t\tiifname "lan" oifname "wan" jump out
\t}

\tchain out {
\t\ttcp dport { 25, 465 } reject with tcp reset
\t\taccept
\t}
}
"""


class Made:
    """A gateway in which a packet meets all of `forward`; a rule costs what `prices` says."""

    def __init__(self, prices: Mapping[str, int]) -> None:
        self.prices = prices
        self.loads = 0

    def counted(self, kind: Kind, rules: Iterable[str]) -> Counted:
        total = BASE + sum(self.prices.get(rule, 100) for rule in rules)
        return Counted(kind, ARRIVES, {total: 5})

    async def count(
        self, chain: Chain, rules: Sequence[str], kinds: Iterable[Kind]
    ) -> Mapping[Kind, Counted]:
        del chain
        self.loads += 1
        return {kind: self.counted(kind, rules) for kind in kinds}


def priced(chain: Chain, meets: Meets, prices: Mapping[str, int]) -> tuple[list[int], int]:
    """The price of each unit of a chain that a kind meets whole, and the loads that it took."""
    made = Made(prices)
    whole = {UP: made.counted(UP, [rule.text for rule in chain.rules])}
    every = {(chain.place, at): meets for at in range(len(chain.rules))}
    units = ablate.units([chain], every)

    async def all_of_them() -> list[ablate.Priced]:
        return [row for unit in units for row in await ablate.priced(unit, whole, made.count)]

    return [row.prices[UP] for row in asyncio.run(all_of_them())], made.loads


def flat(rules: Sequence[str]) -> Chain:
    """A chain of these rules."""
    place = ("inet", "t", "c")
    return Chain(place, "forward", "filter", "filter", "accept", tuple(map(Rule, rules)))


def test_chains_are_known_by_their_lines() -> None:
    forward, out = chains(LISTING)
    assert (forward.name, forward.hook, forward.policy) == (
        "inet filter forward",
        "forward",
        "drop",
    )
    assert [len(chain.rules) for chain in (forward, out)] == [6, 2]
    assert [rule.does for rule in (*forward.rules, *out.rules)] == [
        *["drop"] * 4,
        *("accept", "jump", "reject", "accept"),
    ]
    assert forward.rules[0].matches == "ip saddr 192.0.2.1"
    assert out.rules[0].verdict == "reject with tcp reset"
    assert forward.rules[0].shape == forward.rules[3].shape


def test_four_hundred_rules_of_one_shape_are_two_loads() -> None:
    chain = flat([f"ip saddr 192.0.2.{n} drop" for n in range(400)])
    prices, loads = priced(chain, Meets(frozenset({UP})), {})
    assert (prices, loads) == ([40_000], 2)


def test_a_planted_rule_of_twenty_more_is_cut_out_of_its_neighbours() -> None:
    rules = [f"ip saddr 192.0.2.{n} drop" for n in range(64)]
    prices, loads = priced(flat(rules), Meets(frozenset({UP})), {rules[37]: 120})
    assert sum(prices) == 64 * 100 + 20
    assert 120 in prices
    assert loads < 64 / 2


def test_what_no_kind_meets_is_one_unit_without_a_price() -> None:
    chain = flat([f"tcp dport {n} drop" for n in range(9)])
    (unit,) = ablate.units([chain], {})
    assert not unit.meets.met


def test_a_rule_that_matches_keeps_what_it_does() -> None:
    chain = flat(["ct state established accept", "drop"])
    meets = {(chain.place, 0): Meets(frozenset({UP}), frozenset({UP}))}
    seen: list[Sequence[str]] = []

    async def count(
        _: Chain, rules: Sequence[str], kinds: Iterable[Kind]
    ) -> Mapping[Kind, Counted]:
        seen.append(rules)
        return {kind: Counted(kind, ARRIVES, {BASE: 5}) for kind in kinds}

    whole = MappingProxyType({UP: Counted(UP, ARRIVES, {BASE + 120: 5})})
    (row,) = asyncio.run(ablate.priced(ablate.units([chain], meets)[0], whole, count))
    assert seen == [["accept", "drop"]]
    assert row.prices == {UP: 120}


def test_a_rule_of_nat_that_matches_no_kind_is_taken_away_and_hides_no_other() -> None:
    rules = [f"tcp dport {n} dnat to 192.0.2.1" for n in (25, 80)] + ["masquerade"]
    chain = flat(rules)
    meets = {(chain.place, at): Meets(frozenset({NEW})) for at in range(2)}
    meets[chain.place, 2] = Meets(frozenset({NEW}), frozenset({NEW}))
    seen: list[Sequence[str]] = []

    async def count(
        _: Chain, rules: Sequence[str], kinds: Iterable[Kind]
    ) -> Mapping[Kind, Counted]:
        seen.append(rules)
        return {kind: Counted(kind, ARRIVES, {BASE: 5}) for kind in kinds}

    whole = {kind: Counted(kind, ARRIVES, {BASE + 300: 5}) for kind in (UP, NEW)}
    units = ablate.units([chain], meets)
    (row,) = asyncio.run(ablate.priced(units[-1], whole, count))
    assert seen == [[*rules[:2], "accept"]]
    assert row.prices == {UP: 300, NEW: 300}  # of each packet of the connection
    seen.clear()
    asyncio.run(ablate.priced(units[0], whole, count))
    assert "accept" not in seen[0]


def test_counters_stand_before_a_rule_and_before_what_it_does() -> None:
    forward, out = chains(LISTING)
    text = ablate.instrumented([forward, out])
    assert "add rule inet filter forward counter ip saddr 192.0.2.2 counter drop\n" in text
    assert "add rule inet filter out counter counter accept\n" in text


def test_neighbours_that_differ_in_one_value_become_a_set() -> None:
    ruleset = chains(LISTING)
    met = {(chain.place, at): Meets(frozenset({UP, NEW})) for chain in ruleset for at in range(5)}
    lines = {advice.example for advice in advices(ruleset, met, {"gw0": "lan", "gw1": "wan"})}
    assert "ip saddr { 192.0.2.1, 192.0.2.2, 192.0.2.3, 192.0.2.4 } drop" in lines
    assert "ct state established,related accept" in lines
    assert 'iif "lan" oif "wan" jump out' in lines


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("ct status dnat counter accept", "accept"),
        ("ct status & (snat | dnat) != 0x0 accept", "accept"),
        ("ct status dnat counter", ""),
        ('iifname "wan" dnat ip to tcp dport map { 80 : 10.0.0.1 }', "dnat"),
    ],
)
def test_a_status_is_no_verdict(text: str, verdict: str) -> None:
    assert Rule(text).does == verdict


def test_a_base_chain_without_rules_is_bare_as_it_is() -> None:
    listing = "table ip nat {\n\tchain pre {\n\t\ttype nat hook prerouting priority dstnat; "
    listing += "policy accept;\n\t}\n}\n"
    ruleset = chains(listing)
    assert ablate.hooks(ruleset) == as_it_was(ruleset) == ""


@pytest.mark.parametrize(
    ("wanted", "lines"),
    [
        ("a b c d", []),
        ("a d", ["delete rule ip t c handle 12", "delete rule ip t c handle 13"]),
        ("a x y c d", [
            "delete rule ip t c handle 12", "add rule ip t c handle 11 y",
            "add rule ip t c handle 11 x",
        ]),
        ("x a b c d", ["insert rule ip t c x"]),
        ("b c d", ["delete rule ip t c handle 11"]),
        ("a b c d d", ["add rule ip t c handle 14 d"]),
    ],
)  # fmt: skip
def test_rules_that_stay_are_not_loaded_anew(wanted: str, lines: list[str]) -> None:
    text = edited(("ip", "t", "c"), (11, 12, 13, 14), ["a", "b", "c", "d"], wanted.split())
    assert text.splitlines() == lines
