# SPDX-License-Identifier: Apache-2.0
"""Does NAT behave as calls and games need it?"""

from collections.abc import Iterable, Iterator, Sequence

from gatemark.judge.change.diff import Compared
from gatemark.judge.change.sampled import Sampled
from gatemark.kind.nat.plan import NAT
from gatemark.kind.nat.requirement import REQUIREMENTS, Requirement, tallies
from gatemark.tell.sentence.case import Case


def applies(case: Case) -> bool:
    """Return True where NAT was asked how it behaves."""
    return any(point.definition.quantity == NAT for point in case.judgement.points)


def changed(rows: Iterable[Compared]) -> Iterator[str]:
    """Say of each setup which requirements it meets now and did not before, and the reverse."""
    setups: dict[str, list[Compared]] = {}
    for row in rows:
        if row.new.definition.quantity == NAT:
            setups.setdefault(row.new.setup, []).append(row)
    for setup, own in setups.items():
        old, new = (_met([getattr(row, side) for row in own]) for side in ("old", "new"))
        for words, is_met in (("no longer meets", False), ("now meets", True)):
            names = [
                f"{each.name} ({each.words})"
                for each in REQUIREMENTS
                if new[each] is is_met and old[each] is not is_met and old[each] is not None
            ]
            if names:
                yield f"{setup} {words} {'; '.join(names)}"


def _met(rows: Sequence[Sampled]) -> dict[Requirement, bool | None]:
    """Each requirement by the values of one run: met in the middle of its trials."""
    values = {row.quantity: row.interval.value for row in rows}
    return {each: each.met(values, rows[0].definition.duration_s) for each in REQUIREMENTS}


def say(case: Case) -> str:
    """Say how many requirements each setup meets, and which of the first are not met."""
    every = list(tallies(case.judgement.points, case.records).items())
    if not every:
        return ""
    first, *others = every
    named = "NAT" if first[0].lower() == NAT else f"NAT ({first[0]})"
    text = f"{named} meets {first[1].words} requirements that were asked"
    text += "".join(f", {arm} {of_arm.words}" for arm, of_arm in others)
    missed = [each.words for each in first[1].missed if each.is_must]
    return f"{text}. Not met by {first[0]}: {'; '.join(missed)}." if missed else f"{text}."
