# SPDX-License-Identifier: Apache-2.0
"""Rules as `nft list ruleset` prints them: chains, the order of their rules, and batches of them.

nft prints each rule on a line of its own, so a chain is known by its braces, and no rule is
understood beyond its words: matches first, what it does last.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

TABLE: Final = re.compile(r"table (?P<family>\w+) (?P<name>\S+) \{.*")
CHAIN: Final = re.compile(r"\tchain (?P<name>\S+) \{.*")
HOOK: Final = re.compile(
    r"\t\ttype (?P<type>\w+) hook (?P<hook>\w+) .*?priority (?P<priority>[^;]+);(?P<rest>.*)"
)
TEXT: Final = re.compile(r'"[^"]*"')
DOES: Final = (
    "accept|drop|return|continue|jump|goto|reject|masquerade|snat|dnat|redirect|queue|tproxy"
)
# What a rule does, at its end; matches come before. `ip` of `dnat ip to` goes with it.
VERDICT: Final = re.compile(rf"(?:^|\s)(?P<verdict>(?:{DOES})\b.*)$")
STATUS: Final = re.compile(
    r"\bct status\s+(?:[!=&|<>]+\s+)?(?:\([^)]*\)|\S+)"
)  # its words may be dnat, snat
COMMENT: Final = re.compile(r'\s*comment "[^"]*"')
NAT: Final = frozenset(("masquerade", "snat", "dnat", "redirect", "tproxy"))
TRACKS: Final = re.compile(r"\bct \w|\b(masquerade|snat|dnat|redirect|notrack|flow add)\b")
# What differs between rules of one shape: numbers, addresses, names in quotes.
VALUE: Final = re.compile(
    r'"[^"]*"|\b[0-9a-f]*:[0-9a-f:.]+(?:/\d+)?|\b\d+(?:\.\d+){3}(?:/\d+)?(?:-\S+)?|\b(?:0x)?\d[\w-]*'
)


def _blank(match: re.Match[str]) -> str:
    return "_" * len(match[0])


Place = tuple[str, str, str]  # family, table, chain


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule, by its words; counters without numbers."""

    text: str

    @property
    def bare(self) -> str:
        """The words without comment."""
        return COMMENT.sub("", self.text)

    @property
    def verdict(self) -> str:
        """The words at the end that say what becomes of the packet; nothing where there are none.

        A map of verdicts is no such word.
        """
        masked = STATUS.sub(_blank, TEXT.sub(_blank, self.bare))
        if " vmap " in masked:
            return ""
        match = VERDICT.search(re.sub(r"\{[^}]*\}", _blank, masked))
        return self.bare[match.span("verdict")[0] :] if match else ""

    @property
    def does(self) -> str:
        """The first word of its verdict."""
        return self.verdict.split(" ", 1)[0]

    @property
    def matches(self) -> str:
        """The words before its verdict."""
        verdict = self.verdict
        return self.bare.removesuffix(verdict).strip() if verdict else self.bare

    @property
    def shape(self) -> str:
        """The words without their values: rules of one shape are evaluated in the same way."""
        return VALUE.sub("_", self.bare)


@dataclass(frozen=True, slots=True)
class Chain:
    """A chain and its rules."""

    place: Place
    hook: str  # "" where no hook calls it
    priority: str
    kind: str  # filter, nat, route
    policy: str
    rules: tuple[Rule, ...]

    @property
    def name(self) -> str:
        """Family, table and chain, as nft takes them."""
        return " ".join(self.place)


def chains(listing: str) -> tuple[Chain, ...]:
    """The chains of a listing, in its order."""
    found_chains: list[Chain] = []
    table: tuple[str, str] = ("", "")
    place: Place | None = None
    about = ("", "", "", "")
    rules: list[Rule] = []
    for line in listing.splitlines():
        if match := TABLE.fullmatch(line):
            table = match["family"], match["name"]
        elif match := CHAIN.fullmatch(line):
            place, about, rules = (*table, match["name"]), ("", "", "", ""), []
        elif place and line == "\t}":
            hook, priority, kind, policy = about
            found_chains.append(Chain(place, hook, priority, kind, policy, tuple(rules)))
            place = None
        elif place and (match := HOOK.fullmatch(line)):
            policy = "drop" if "policy drop" in match["rest"] else "accept"
            about = match["hook"], match["priority"].strip(), match["type"], policy
        elif place and line.strip() and not line.strip().startswith(("comment ", "#")):
            rules.append(Rule(line.strip()))
    return tuple(found_chains)


def batch(changed: Mapping[Place, Sequence[str]]) -> str:
    """The batch that gives chains these rules instead of theirs."""
    lines = []
    for place, texts in changed.items():
        name = " ".join(place)
        lines.append(f"flush chain {name}")
        lines += [f"add rule {name} {text}" for text in texts]
    return "".join(f"{line}\n" for line in lines)


def edited(
    place: Place, handles: Sequence[int], present: Sequence[str], wanted: Sequence[str]
) -> str:
    """Return the batch that turns a chain's rules into others, which differ at one stretch.

    The others stay as they are: a rule that is loaded anew has its unnamed sets made anew, and the
    kernel draws where in a set an element lies (net/netfilter/nft_set_hash.c), so that the same
    packet takes a step more or less to find it. `handles` are those of the rules present.
    """
    name = " ".join(place)
    head = _alike(present, wanted)
    tail = _alike(present[head:][::-1], wanted[head:][::-1])
    lines = [f"delete rule {name} handle {at}" for at in handles[head : len(present) - tail]]
    verb = f"add rule {name} handle {handles[head - 1]}" if head else f"insert rule {name}"
    lines += [f"{verb} {text}" for text in reversed(wanted[head : len(wanted) - tail])]
    return "".join(f"{line}\n" for line in lines)


def _alike(present: Sequence[str], wanted: Sequence[str]) -> int:
    """Count those that are the same, from the first on."""
    pairs = enumerate(zip(present, wanted, strict=False))
    shorter = min(len(present), len(wanted))
    return next((at for at, (was, will) in pairs if was != will), shorter)


def texts(chain: Chain) -> list[str]:
    """The rules of a chain as they are."""
    return [rule.text for rule in chain.rules]


def as_it_was(ruleset: Iterable[Chain]) -> str:
    """The batch that gives chains their own rules again."""
    return batch({chain.place: texts(chain) for chain in ruleset if chain.rules})


def tracks(ruleset: Iterable[Chain]) -> list[str]:
    """Families whose rules have connections tracked."""
    families = [
        chain.place[0]
        for chain in ruleset
        if any(TRACKS.search(TEXT.sub("", rule.text)) for rule in chain.rules)
    ]
    return [family for family in ("inet", "ip", "ip6") if family in families]


def anchor(families: Iterable[str]) -> str:
    """Tables that no packet meets, and by which connections stay tracked whatever is taken away."""
    return "".join(
        f"table {family} gatemark_tracks {{\n\tchain tracks {{\n\t\tct state new\n\t}}\n}}\n"
        for family in families
    )
