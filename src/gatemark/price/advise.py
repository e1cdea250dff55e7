# SPDX-License-Identifier: Apache-2.0
"""Cheaper rules to write instead of dear ones, as batches for nft.

- many rules that differ in a single value: one rule with a set
- established connections are accepted late: first
- interfaces by name, which is compared as text: by index
- every packet of a known connection meets the rules: a flow table
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gatemark.price.ablate import At, Meets
from gatemark.price.rules import VALUE, Chain, Place, Rule, batch, texts
from gatemark.price.traffic import Kind

FEWEST: Final = 3  # rules that are worth a set
ESTABLISHED: Final = re.compile(r"^ct state (vmap )?\{?.*\bestablished\b")
# What a value may stand behind, to be one of a set.
KEYS: Final = re.compile(r"\b(saddr|daddr|sport|dport|iifname|oifname|iif|oif|mark)\s+$")
NAMED: Final = re.compile(r'\b([io]if)name "([^"*]+)"')
FLOWS: Final = """table inet gatemark_flows {{
\tflowtable flows {{
\t\thook ingress priority filter
\t\tdevices = {{ "{lan}", "{wan}" }}
\t}}
\tchain forward {{
\t\ttype filter hook forward priority filter + 10; policy accept;
\t\tmeta l4proto {{ tcp, udp }} ct state established flow add @flows
\t}}
}}
"""


@dataclass(frozen=True, slots=True)
class Advice:
    """Rules to write instead."""

    title: str
    rules: str  # a batch for nft
    example: str  # the line to write
    lasts: str = ""  # what it does not keep
    adds: bool = False  # tables beside those of the rules


def advices(
    ruleset: Sequence[Chain], meets: Mapping[At, Meets], ports: Mapping[str, str]
) -> Iterator[Advice]:
    """Yield what may be written instead, of rules that some kind of packet meets."""
    for chain in ruleset:
        met = [bool(meets.get((chain.place, at), Meets()).met) for at in range(len(chain.rules))]
        yield from _sets(chain, met)
        yield from _early(chain, meets)
    yield from _indexed(ruleset, ports)
    if not any("flow add" in rule.text for chain in ruleset for rule in chain.rules):
        yield from _flows(ports)


def _sets(chain: Chain, met: Sequence[bool]) -> Iterator[Advice]:
    at = 0
    while at < len(chain.rules):
        run = _run(chain.rules, at)
        if len(run) >= FEWEST and any(met[at : at + len(run)]):
            line = _with_set(run)
            changed = texts(chain)
            changed[at : at + len(run)] = [line]
            yield Advice(
                f"a set for {len(run)} rules of {chain.place[2]}",
                batch({chain.place: changed}),
                _short(line),
                "comments and counters of these rules are one's" if _counts(run) else "",
            )
        at += max(1, len(run))


def _counts(run: Sequence[Rule]) -> bool:
    return any("counter" in rule.text or rule.text != rule.bare for rule in run)


def _run(rules: Sequence[Rule], at: int) -> list[Rule]:
    """Neighbours that differ in one value, the same in each, and do the same."""
    run = [rules[at]]
    place: int | None = None
    for rule in rules[at + 1 :]:
        if rule.shape != run[0].shape:
            break
        places = [
            n for n, (a, b) in enumerate(zip(_values(run[0]), _values(rule), strict=True)) if a != b
        ]
        if len(places) != 1 or (place is not None and places[0] != place):
            break
        place = places[0]
        run.append(rule)
    if place is None or not KEYS.search(_before(run[0], place)) or not run[0].verdict:
        return [rules[at]]
    return run


def _values(rule: Rule) -> list[str]:
    return [match[0] for match in VALUE.finditer(rule.bare)]


def _before(rule: Rule, place: int) -> str:
    return rule.bare[: [*VALUE.finditer(rule.bare)][place].start()]


def _with_set(run: Sequence[Rule]) -> str:
    values = [_values(rule) for rule in run]
    place = next(n for n, cells in enumerate(zip(*values, strict=True)) if len({*cells}) > 1)
    match = [*VALUE.finditer(run[0].bare)][place]
    elements = ", ".join(dict.fromkeys(row[place] for row in values))
    return f"{run[0].bare[: match.start()]}{{ {elements} }}{run[0].bare[match.end() :]}"


def _early(chain: Chain, meets: Mapping[At, Meets]) -> Iterator[Advice]:
    """The rule for known connections, first in its chain."""
    if not chain.hook:
        return
    for at, rule in enumerate(chain.rules):
        if not ESTABLISHED.match(rule.bare):
            continue
        known = [kind for kind in _met(chain, at, meets) if kind.state == "known"]
        if at and known:
            changed = texts(chain)
            changed.insert(0, changed.pop(at))
            yield Advice(
                f"known connections first in {chain.place[2]}, before {at} rules",
                batch({chain.place: changed}),
                _short(rule.bare),
            )
        return


def _met(chain: Chain, at: int, meets: Mapping[At, Meets]) -> frozenset[Kind]:
    return meets.get((chain.place, at), Meets()).met


def _indexed(ruleset: Sequence[Chain], ports: Mapping[str, str]) -> Iterator[Advice]:
    """Interfaces by their number, where they are there before the rules."""
    there = {*ports.values()}
    changed: dict[Place, list[str]] = {}
    example, count = "", 0
    for chain in ruleset:
        lines = [NAMED.sub(lambda m: _by_index(m, there), rule.text) for rule in chain.rules]
        differing = [
            line for line, rule in zip(lines, chain.rules, strict=True) if line != rule.text
        ]
        if differing:
            changed[chain.place] = lines
            example, count = example or differing[0], count + len(differing)
    if changed:
        yield Advice(
            f"interfaces by index in {count} rules",
            batch(changed),
            _short(example),
            "the interface has to be there when the rules are loaded, and stay",
        )


def _by_index(match: re.Match[str], there: set[str]) -> str:
    return f'{match[1]} "{match[2]}"' if match[2] in there else match[0]


def _flows(ports: Mapping[str, str]) -> Iterator[Advice]:
    if len(ports) < 2:
        return
    yield Advice(
        "a flow table for known connections",
        FLOWS.format(lan=ports["gw0"], wan=ports["gw1"]),
        "meta l4proto { tcp, udp } ct state established flow add @flows",
        "packets of a known connection no longer meet the rules, nor their counters",
        adds=True,
    )


def _short(line: str) -> str:
    return line if len(line) <= 90 else f"{line[:60]} ... {line[-25:]}"
