# SPDX-License-Identifier: Apache-2.0
"""Does a call, a page, a film stay good while someone uploads, and which setting helps?"""

from collections.abc import Sequence
from typing import Final

from gatemark.kind.application.grade import (
    CAKE,
    UNJUDGED,
    WORDS,
    Arm,
    Grade,
    Place,
    arms,
    best,
    by_place,
    grades,
)
from gatemark.tell.fact.say import words
from gatemark.tell.sentence.case import Case
from gatemark.tell.words import number, traffic

HEARD: Final = ("fair", "bad")  # words of which the delay is said


def applies(case: Case) -> bool:
    """Return True where applications were played."""
    return bool(grades(case.judgement.points))


def say(case: Case) -> str:
    """Say what breaks without a shaper, what is good with the best, and which that is."""
    made = by_place(grades(case.judgement.points))
    texts = {place: answer(every) for place, every in made.items()}
    if len(made) == 1:
        return next(iter(texts.values()))
    return " ".join(f"{where(place, list(made))}: {text}" for place, text in texts.items())


def where(place: Place, among: Sequence[Place]) -> str:
    """Return in words how a place differs from others: `home/15-1`, `line up 1 Mbit/s`."""
    plans = len({each.plan for each in among}) > 1
    levels = traffic.point(dict(place.levels)) if place.levels else ""
    return ", ".join(filter(None, (place.plan if plans else "", levels)))


def answer(every: Sequence[Grade]) -> str:
    """Say it of one place."""
    loaded = [grade for grade in every if not grade.is_clean]
    judged = [grade for grade in (loaded or every) if grade.word != UNJUDGED]
    if not judged:
        whys = dict.fromkeys(words(grade.why) for grade in every if grade.word == UNJUDGED)
        return f"No application was judged: {', or '.join(whys)}."
    done = {grade.application.title for grade in judged}
    plain = arms(grade for grade in judged if not grade.shaper)
    texts = [_state(_beside(arm, is_loaded=bool(loaded), among=plain), arm) for arm in plain]
    if (helps := best(judged)) and helps.good:
        _, _, mbit, *_ = helps.setting.split(":")
        text = _state(f"Shaped to {mbit} Mbit/s ({helps.name})", helps)
        if lacking := [title for title in done if title not in helps.titles]:
            text += f", {_listed(sorted(lacking))} {_verb(lacking)} {UNJUDGED}"
        texts.append(f"{text}; {_typed(helps.setting)}")
    elif helps:
        texts.append("No shaper makes one of them good")
    rest = dict.fromkeys(g.application.title for g in every if g.application.title not in done)
    if rest:
        texts.append(f"Not judged: {_listed(list(rest))}")
    return f"{'. '.join(texts)}."


def _typed(feature: str) -> str:
    """Say the command for a gateway's shell where there is one for it, else the plan's word."""
    _, _, mbit, *_ = feature.split(":")
    if CAKE in feature:
        return f"type `tc qdisc replace dev WAN root cake bandwidth {mbit}mbit`"
    return f"its setting is the feature {feature}"


def _beside(arm: Arm, *, is_loaded: bool, among: Sequence[Arm]) -> str:
    """`Beside the upload`; the arm's name where several arms have no shaper."""
    if not is_loaded:
        return "With nothing beside"
    if len(among) > 1:
        return f"{arm.name[0].upper()}{arm.name[1:]}"
    beside = next(iter(arm.grades.values())).point.definition.beside
    return f"Beside the {beside[0].partition(':')[0] if len(beside) == 1 else 'load'}"


def _state(where: str, arm: Arm) -> str:
    """`Beside the upload: call (SIP, 1.2 s late) and typing (ssh) are bad, page is good`."""
    titles: dict[str, list[str]] = {}
    judged = (grade for grade in arm.grades.values() if grade.word != UNJUDGED)
    for grade in sorted(judged, key=lambda grade: WORDS.index(grade.word), reverse=True):
        titles.setdefault(grade.text, []).append(_title(grade))
    parts = [f"{_listed(own)} {_verb(own)} {word}" for word, own in titles.items()]
    return f"{where}: {', '.join(parts)}"


def _title(grade: Grade) -> str:
    """`call (SIP, 1.2 s late)`: a title ends with its program or protocol in brackets."""
    title = grade.application.title
    return f"{title.removesuffix(')')}, {late(grade)})" if late(grade) else title


def late(grade: Grade) -> str:
    """`1.2 s late`: what a person hears of a MOS of 1; nothing where it is not fair or bad."""
    of = grade.point.values.get(grade.quality.delay) if grade.quality else None
    return f"{number.quantity(of.value, 'ns')} late" if of and grade.word in HEARD else ""


def _verb(titles: Sequence[str]) -> str:
    return "is" if len(titles) == 1 else "are"


def _listed(titles: Sequence[str]) -> str:
    *most, last = titles
    return f"{', '.join(most)} and {last}" if most else last
