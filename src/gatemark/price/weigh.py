# SPDX-License-Identifier: Apache-2.0
"""Advice weighed: what it saves, counted, and whether it lets the same packets through."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from gatemark.error import NodeError
from gatemark.judge.point.mode import shift
from gatemark.price.advise import Advice
from gatemark.price.corpus import Sent, differing, fates, through
from gatemark.price.read import Rules
from gatemark.price.rules import Chain, anchor, batch, texts, tracks
from gatemark.price.session import Session, refusal
from gatemark.price.survey import Survey, loaded
from gatemark.price.traffic import Kind

LEAST: Final = 10  # instructions, over all kinds: less is no advice


@dataclass(frozen=True, slots=True)
class Weighed:
    """An advice, what each kind of packet saves by it, and how packets came out."""

    advice: Advice
    saves: Mapping[Kind, int] = field(default_factory=dict)
    packets: int = 0  # that were tried on both
    differ: int = 0  # of them, that came out otherwise
    through: int = 0  # of them, that came out at all
    by_chance: int = 0  # of them, that the rules as they are treat otherwise the second time
    why: str = ""  # it could not be loaded

    @property
    def total(self) -> int:
        """The sum over all kinds."""
        return sum(self.saves.values())


async def weighed(
    session: Session,
    rules: Rules,
    made: Survey,
    advices: Iterable[Advice],
    packets: list[Sent],
    tell: Callable[[str], None],
) -> list[Weighed]:
    """Count each advice, and try it with packets; the largest first.

    Those of no use are left out.
    """
    kinds = [kind for kind in made.whole if made.whole[kind].modes]
    known = {kind: made.whole[kind].fate for kind in kinds}
    before: list[frozenset[tuple[str, str, int]]] = []
    rows = []
    by_chance = 0
    for advice in advices:
        tell(f"instead: {advice.title}")
        try:
            await session.load(advice.rules)
            session.renew()
        except NodeError as error:
            rows.append(Weighed(advice, why=refusal(error)))
            continue
        counted = await session.count(kinds, known)
        saves = {
            kind: shift(counted[kind].modes, made.whole[kind].modes)
            for kind in kinds
            if kind in counted and counted[kind].modes
        }
        worth = sum(saves.values()) >= LEAST
        after = []
        if worth and packets:
            await session.forget()
            after = await asyncio.to_thread(fates, await session.walker(), packets)
        if advice.adds:  # nft 1.0.6 does not take away a table whose flow table is in use
            await loaded(session, rules)
            await session.load(anchor(tracks(made.chains)))
        await session.load(_as_it_was(made.chains))
        if worth and packets and not before:
            await session.forget()
            before = await asyncio.to_thread(fates, await session.walker(), packets)
            await session.forget()
            again = await asyncio.to_thread(fates, await session.walker(), packets)
            by_chance = differing(before, again)
        if worth:
            differ = differing(before, after) if packets else 0
            rows.append(Weighed(advice, saves, len(packets), differ, through(after), by_chance))
    return sorted(rows, key=lambda row: -row.total)


def _as_it_was(ruleset: Iterable[Chain]) -> str:
    return batch({chain.place: texts(chain) for chain in ruleset if chain.rules})
