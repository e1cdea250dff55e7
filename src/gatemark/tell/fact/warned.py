# SPDX-License-Identifier: Apache-2.0
"""Warnings of a run, each once, with where it was seen."""

from collections.abc import Iterable, Iterator

from gatemark.judge.judgement import Judgement, Warning_
from gatemark.tell.fact import say

Line = tuple[str, str]  # rich style, text
Key = tuple[str, str]  # code, advice


def warnings(judgement: Judgement) -> list[tuple[Warning_, str]]:
    """Every warning once, at its worst, with where it was seen: of the run first, then points."""
    worst: dict[Key, Warning_] = {}
    places: dict[Key, dict[str, None]] = {}
    for place, those in (("", judgement.warnings), *_placed(judgement)):
        for warning in those:
            key = warning.code, say.words(warning.advice)
            if key not in worst or warning.weight > worst[key].weight:
                worst[key] = warning
            places.setdefault(key, {})[place] = None
    return [(worst[key], _where([*filter(None, where)])) for key, where in places.items()]


def text(warning: Warning_) -> str:
    """Return a warning in words: how much, and what to do."""
    return f"{say.words(warning.seen)} {say.words(warning.advice)}".strip()


def lines(judgement: Judgement) -> Iterator[Line]:
    """Every warning, a line each, after an empty one."""
    every = warnings(judgement)
    if every:
        yield "", ""
    for warning, where in every:
        place = f" ({where})" if where else ""
        yield "yellow", f"warning {warning.code}{place}: {text(warning)}"


def _placed(judgement: Judgement) -> Iterator[tuple[str, Iterable[Warning_]]]:
    for knee in judgement.knees:
        yield f"{knee.setup} {knee.direction}", knee.warnings
    for point in (*judgement.ceilings, *judgement.points):
        yield f"{point.setup} {point.definition.direction}", point.warnings


def _where(places: list[str]) -> str:
    shown = ", ".join(places[:3])
    return f"{shown} and {len(places) - 3} more" if len(places) > 3 else shown
