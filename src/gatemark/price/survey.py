# SPDX-License-Identifier: Apache-2.0
"""A ruleset priced whole: bare kernel, tracking, hooks, each rule, and what is left over."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from gatemark.error import NodeError, UsageError
from gatemark.judge.point.mode import shift
from gatemark.price import ablate
from gatemark.price.ablate import At, Meets, Priced, Unit
from gatemark.price.gateway import DROPPED, Counted
from gatemark.price.rules import Chain, Place, anchor, as_it_was, chains, edited, texts, tracks
from gatemark.price.session import Session, refusal, tried
from gatemark.price.text import Rules
from gatemark.price.traffic import Kind

UNNAMED: Final = "{"  # of a set in a rule

Tell = Callable[[str], None]


@dataclass(slots=True)
class Survey:
    """The counts of a ruleset."""

    chains: tuple[Chain, ...]
    empty: dict[Kind, Counted] = field(default_factory=dict)  # the kernel without rules
    hooked: dict[Kind, Counted] = field(default_factory=dict)  # tracked, by chains that let all on
    whole: dict[Kind, Counted] = field(default_factory=dict)
    meets: dict[At, Meets] = field(default_factory=dict)
    priced: list[Priced] = field(default_factory=list)
    unmet: list[Unit] = field(default_factory=list)  # rules that no kind meets
    notes: list[str] = field(default_factory=list)
    loads: int = 0

    def rest(self, kind: Kind) -> tuple[int, int] | None:
        """The part of a kind's price that no rule has, and the price; None: not comparable."""
        parts = (self.hooked, self.whole)
        if any(kind not in part or not part[kind].modes for part in parts):
            return None
        price = shift(self.hooked[kind].modes, self.whole[kind].modes)
        return price - sum(row.prices.get(kind, 0) for row in self.priced), price

    @property
    def dearest(self) -> list[Priced]:
        """Units by price, the dearest first; those without one are left out."""
        rows = [row for row in self.priced if row.total > 0]
        return sorted(rows, key=lambda row: -row.total)


async def survey(session: Session, rules: Rules, kinds: Iterable[Kind], tell: Tell) -> Survey:
    """Price a ruleset that the guest's nft takes. Raises UsageError where it does not."""
    kinds = tuple(kinds)
    await session.load("", whole=True)
    empty = await session.count(kinds)
    ruleset = await loaded(session, rules)
    if not ruleset:
        raise UsageError("there is no chain in it: nothing is priced")
    families = tracks(ruleset)
    tell(f"{sum(len(chain.rules) for chain in ruleset)} rules in {len(ruleset)} chains")
    await session.load(anchor(families))
    await session.forget()
    whole = await session.count(kinds)
    fates = {kind: counted.fate for kind, counted in whole.items() if counted.modes}
    made = Survey(ruleset, empty=empty, whole=whole)
    made.meets = await _meets(session, ruleset, fates)
    await _hooked(session, made, fates)
    made.whole |= await session.count(fates, fates)  # in the same way as what follows
    await _units(session, made, fates, tell)
    made.loads = session.loads
    return made


async def loaded(session: Session, rules: Rules) -> tuple[Chain, ...]:
    """Load a whole ruleset; returns its chains as the guest lists them. Raises UsageError."""
    try:
        await session.load(rules.text, whole=True, json=rules.form == "json")
    except NodeError as error:
        what = "their translation" if rules.form == "iptables" else "the rules"
        raise UsageError(f"the guest's nft refuses {what}: {refusal(error)}") from None
    return tuple(chain for chain in chains(await session.listed()) if chain.place[0] != "netdev")


async def _meets(
    session: Session, ruleset: tuple[Chain, ...], fates: Mapping[Kind, str]
) -> dict[At, Meets]:
    """Kinds that meet each rule, and those of them that it matches."""
    await session.load(ablate.instrumented(ruleset))
    walks = await session.walker()
    met: dict[At, set[Kind]] = {}
    matched: dict[At, set[Kind]] = {}

    async def tallied() -> dict[At, tuple[int, int]]:
        return ablate.tallies(ruleset, chains(await session.tallied()))

    for kind in fates:
        flow = await tried(partial(walks.flow, kind))
        if flow is None:
            continue
        before = await tallied()
        await tried(partial(walks.fate, flow, range(ablate.PACKETS)))
        for at, (meets, matches) in ablate.risen(before, await tallied()).items():
            if meets:
                met.setdefault(at, set()).add(kind)
            if matches:
                matched.setdefault(at, set()).add(kind)
    await session.load(as_it_was(ruleset))
    return {at: Meets(frozenset(met[at]), frozenset(matched.get(at, ()))) for at in met}


async def _hooked(session: Session, made: Survey, fates: Mapping[Kind, str]) -> None:
    """Base chains that let on, or that drop what the rules drop."""
    groups: dict[Place | None, list[Kind]] = {}
    for kind, fate in fates.items():
        place = ablate.dropping(made.chains, made.meets, kind) if fate == DROPPED else None
        if fate != DROPPED or place:
            groups.setdefault(place, []).append(kind)
    for place, kinds in groups.items():
        await session.load(ablate.hooks(made.chains, place))
        made.hooked |= await session.count(kinds, fates)
    await session.load(as_it_was(made.chains))


async def _units(session: Session, made: Survey, fates: Mapping[Kind, str], tell: Tell) -> None:
    """Price the rules that packets meet. What was taken away for one is back for the next."""
    ablated = _Ablated(session, fates)
    every = ablate.units(made.chains, made.meets)
    made.unmet = [unit for unit in every if not unit.meets.met]
    met = [unit for unit in every if unit.meets.met]
    whole = made.whole
    for number, unit in enumerate(met, 1):
        tell(f"{number}/{len(met)} {unit.chain.place[2]}: {unit.rules[0].bare}")
        made.priced += await ablate.priced(unit, whole, ablated.count)
        if any(UNNAMED in rule.text for rule in unit.rules):  # other sets are there from now on
            await ablated.back()
            whole = await session.count(fates, fates)
    await session.load(as_it_was(made.chains))


class _Ablated:
    """The rules with some of one chain changed."""

    def __init__(self, session: Session, fates: Mapping[Kind, str]) -> None:
        self._session = session
        self._fates = fates
        self._changed: Chain | None = None  # the chain that has not its own rules
        self._present: Sequence[str] = ()  # the rules that it has

    async def count(
        self, chain: Chain, rules: Sequence[str], kinds: Iterable[Kind]
    ) -> Mapping[Kind, Counted]:
        """Count with other rules in a chain; all other chains have theirs. Raises NodeError."""
        if self._changed != chain:
            await self.back()
            self._changed, self._present = chain, texts(chain)
        await self._edit(chain, rules)
        return await self._session.count(kinds, self._fates)

    async def back(self) -> None:
        """Give the changed chain its own rules again."""
        if chain := self._changed:
            await self._edit(chain, texts(chain))
            self._changed = None

    async def _edit(self, chain: Chain, rules: Sequence[str]) -> None:
        handles = await self._session.handles(chain.place)
        await self._session.load(edited(chain.place, handles, self._present, rules))
        self._present = rules
