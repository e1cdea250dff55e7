# SPDX-License-Identifier: Apache-2.0
"""Does NAT behave as calls and games need it?"""

from gatemark.kind.nat.plan import NAT
from gatemark.kind.nat.requirement import tallies
from gatemark.tell.sentence.case import Case


def applies(case: Case) -> bool:
    """Return True where NAT was asked how it behaves."""
    return any(point.definition.quantity == NAT for point in case.judgement.points)


def say(case: Case) -> str:
    """Say how many requirements each setup meets, and which of the first are not met."""
    every = list(tallies(case.judgement.points, case.records).items())
    if not every:
        return ""
    first, *others = every
    text = f"NAT ({first[0]}) meets {first[1].words} requirements that were asked"
    text += "".join(f", {arm} {of_arm.words}" for arm, of_arm in others)
    missed = [each.words for each in first[1].missed if each.is_must]
    return f"{text}. Not met by {first[0]}: {'; '.join(missed)}." if missed else f"{text}."
