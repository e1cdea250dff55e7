# SPDX-License-Identifier: Apache-2.0
"""Advice weighed: what it saves, counted, and whether it lets the same packets through."""

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from gatemark.error import NodeError
from gatemark.price.advise import Advice
from gatemark.price.corpus import Sent, Where, differing, fates, through
from gatemark.price.gateway import Counted, shifts
from gatemark.price.rules import anchor, as_it_was, tracks
from gatemark.price.session import Session, refusal
from gatemark.price.survey import Survey, loaded
from gatemark.price.text import Rules
from gatemark.price.traffic import Kind

LEAST: Final = 10  # instructions, over all kinds: less is no advice
FLUSHED: Final = re.compile(r"^flush chain (.+)$", re.MULTILINE)


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


@dataclass(frozen=True, slots=True)
class Together:
    """Advices that do not touch one chain, each with equal packets, at once: what is counted."""

    weighed: tuple[Weighed, ...]
    counts: Mapping[Kind, Counted]
    differ: int  # packets that come out otherwise


async def weighed(
    session: Session,
    rules: Rules,
    made: Survey,
    advices: Iterable[Advice],
    packets: list[Sent],
    tell: Callable[[str], None],
) -> tuple[list[Weighed], Together | None]:
    """Count each advice, and try it with packets, the largest first; then those that go together.

    Those of no use are left out.
    """
    scale = _Scale(session, rules, made, packets)
    rows = []
    for advice in advices:
        tell(f"instead: {advice.title}")
        row = await scale.weighed(advice)
        if row.why or row.total >= LEAST:
            rows.append(row)
    rows.sort(key=lambda row: -row.total)
    together = chosen(rows)
    if len(together) < 2:
        return rows, None
    tell(f"{len(together)} of them at once")
    return rows, await scale.together(together)


def chosen(rows: Iterable[Weighed]) -> list[Weighed]:
    """Choose the largest that let the same through, none of which changes a chain of another."""
    taken: set[str] = set()
    together = []
    for row in rows:
        places = set(FLUSHED.findall(row.advice.rules))
        if not row.why and not row.differ and not places & taken:
            taken |= places
            together.append(row)
    return together


class _Scale:
    """Weighs advices one after another; after each the rules are as they were."""

    def __init__(self, session: Session, rules: Rules, made: Survey, packets: list[Sent]) -> None:
        self._session = session
        self._rules = rules
        self._made = made
        self._packets = packets
        self._known = {kind: row.fate for kind, row in made.whole.items() if row.modes}
        self._before: list[frozenset[Where]] = []
        self._by_chance = 0

    async def weighed(self, advice: Advice) -> Weighed:
        """The advice's worth; of none, how packets come out is not looked at."""
        try:
            counted = await self._counted(advice.rules)
        except NodeError as error:
            return Weighed(advice, why=refusal(error))
        row = Weighed(advice, shifts(counted, self._made.whole))
        tried = self._packets and row.total >= LEAST
        after = await self._came() if tried else []
        await self._back(adds=advice.adds)
        if not tried:
            return row
        await self._as_they_are()
        differ = differing(self._before, after)
        return replace(
            row,
            packets=len(after),
            differ=differ,
            through=through(after),
            by_chance=self._by_chance,
        )

    async def together(self, rows: list[Weighed]) -> Together | None:
        """All of them at once; none where nft refuses that."""
        adds = any(row.advice.adds for row in rows)
        try:
            counted = await self._counted("".join(row.advice.rules for row in rows))
        except NodeError:
            return None
        after = await self._came() if self._packets else []
        await self._back(adds=adds)
        return Together(tuple(rows), counted, differing(self._before, after))

    async def _counted(self, rules: str) -> dict[Kind, Counted]:
        await self._session.load(rules)
        self._session.renew()
        return await self._session.count(self._known, self._known)

    async def _came(self) -> list[frozenset[Where]]:
        await self._session.forget()
        return await asyncio.to_thread(fates, await self._session.walker(), self._packets)

    async def _back(self, *, adds: bool) -> None:
        if adds:  # nft 1.0.6 does not take away a table whose flow table is in use
            await loaded(self._session, self._rules)
            await self._session.load(anchor(tracks(self._made.chains)))
        await self._session.load(as_it_was(self._made.chains))

    async def _as_they_are(self) -> None:
        """Send the packets twice by the rules as they are: chance may be at work, too."""
        if not self._before:
            self._before = await self._came()
            self._by_chance = differing(self._before, await self._came())
