# SPDX-License-Identifier: Apache-2.0
"""Does a call, a page, a film stay good while someone uploads, and which setting helps?"""

from collections.abc import Sequence
from typing import Final

from gatemark.kind.application.grade import (
    UNJUDGED,
    Arm,
    Grade,
    Place,
    arms,
    best,
    by_place,
    grades,
)
from gatemark.tell.sentence.case import Case
from gatemark.tell.words import traffic

CAKE: Final = "cake"  # the shaper that is set in a line


def applies(case: Case) -> bool:
    """Return True where applications were played."""
    return bool(grades(case.judgement.points))


def say(case: Case) -> str:
    """Say what breaks without a shaper, what is good with the best, and which that is."""
    made = by_place(grades(case.judgement.points))
    texts = {place: _answer(every) for place, every in made.items()}
    if len(made) == 1:
        return next(iter(texts.values()))
    return " ".join(f"{where(place, list(made))}: {text}" for place, text in texts.items())


def where(place: Place, among: Sequence[Place]) -> str:
    """Return in words how a place differs from others: `home/15-1`, `line up 1 Mbit/s`."""
    plans = len({each.plan for each in among}) > 1
    levels = traffic.point(dict(place.levels)) if place.levels else ""
    return ", ".join(filter(None, (place.plan if plans else "", levels)))


def _answer(every: Sequence[Grade]) -> str:
    """Say it of one place."""
    loaded = [grade for grade in every if not grade.is_clean]
    judged = [grade for grade in (loaded or every) if grade.word != UNJUDGED]
    if not judged:
        whys = dict.fromkeys(grade.why for grade in every if grade.word == UNJUDGED)
        return f"No application was judged: {', or '.join(whys)}."
    plain = [grade for grade in judged if not grade.shaper]
    texts = [_state(arm, is_loaded=bool(loaded)) for arm in arms(plain)]
    if (helps := best(judged)) and helps.good:
        texts.append(_state(helps, is_loaded=True))
        texts.append(_typed(helps.setting))
    unjudged = dict.fromkeys(g.application.title for g in every if g.word == UNJUDGED)
    if unjudged:
        texts.append(f"not judged: {_listed(list(unjudged))}")
    return f"{'; '.join(texts)}."


def _typed(feature: str) -> str:
    """Say the command for a gateway's shell where there is one for it, else the plan's word."""
    _, by, mbit, *_ = feature.split(":")
    if by == CAKE:
        return f"type `tc qdisc replace dev WAN root cake bandwidth {mbit}mbit`"
    return f"its setting is the feature {feature}"


def _state(arm: Arm, *, is_loaded: bool) -> str:
    """`Upload: call (SIP) and ssh bad, page fair, names good`."""
    titles = {
        word: [g.application.title for g in arm.grades.values() if g.word == word]
        for word in ("bad", "fair", "good")
    }
    parts = [f"{_listed(own)} {_verb(own)} {word}" for word, own in titles.items() if own]
    where = f"{arm.name[0].upper()}{arm.name[1:]}" if is_loaded else "With nothing beside"
    return f"{where}: {', '.join(parts)}"


def _verb(titles: Sequence[str]) -> str:
    return "is" if len(titles) == 1 else "are"


def _listed(titles: Sequence[str]) -> str:
    *most, last = titles
    return f"{', '.join(most)} and {last}" if most else last
