# SPDX-License-Identifier: Apache-2.0
"""Warnings of a run, each once, with where it was seen."""

from collections.abc import Iterable, Iterator

from gatemark.stats.judgement import Judgement, Warning_

Line = tuple[str, str]  # rich style, text


def warnings(judgement: Judgement) -> list[tuple[Warning_, str]]:
    """Every warning once, with where it was seen: of the run first, then knees and points."""
    seen: dict[tuple[str, str], list[str]] = {}
    for warning in judgement.warnings:
        seen.setdefault((warning.code, warning.advice), [])
    for place, those in _placed(judgement):
        for warning in those:
            seen.setdefault((warning.code, warning.advice), []).append(place)
    return [(Warning_(*key), _where(list(dict.fromkeys(places)))) for key, places in seen.items()]


def lines(judgement: Judgement) -> Iterator[Line]:
    """Every warning, a line each, after an empty one."""
    every = warnings(judgement)
    if every:
        yield "", ""
    for warning, where in every:
        place = f" ({where})" if where else ""
        yield "yellow", f"warning {warning.code}{place}: {warning.advice}"


def _placed(judgement: Judgement) -> Iterator[tuple[str, Iterable[Warning_]]]:
    for knee in judgement.knees:
        yield f"{knee.setup} {knee.direction}", knee.warnings
    for point in (*judgement.ceilings, *judgement.points):
        yield f"{point.setup} {point.definition.direction}", point.warnings


def _where(places: list[str]) -> str:
    shown = ", ".join(places[:3])
    return f"{shown} and {len(places) - 3} more" if len(places) > 3 else shown
