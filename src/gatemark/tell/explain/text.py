# SPDX-License-Identifier: Apache-2.0
"""A word explained on the terminal and as data."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gatemark.quantity import QUANTITIES
from gatemark.tell.explain.entry import GUIDES, TERM, Entry, guides, plain, words
from gatemark.tell.explain.sample import Sample, names, value

FEW: Final = 4  # points that are printed unasked
LINK: Final = re.compile(r"!?\[([^]]+)\]\(([^)\s]+)\)")
COMMENT: Final = re.compile(r"<!--.*?-->\n?", re.DOTALL)
NO_RUN: Final = "no run here: make one with `gatemark run`"


@dataclass(frozen=True, slots=True)
class Behind:
    """What a run has of a word."""

    run: str  # the name of its directory; "": there is none
    quantity: str = ""  # that the values are of; "": the word is no quantity
    points: int = 0  # at so many it is
    samples: Sequence[Sample] = ()  # the first of them


def head(entry: Entry) -> str:
    """The title, with its kind and unit."""
    unit = entry.line("unit")
    return f"{entry.title}: {entry.kind}{f', {unit}' if unit else ''}"


def lines(entry: Entry, behind: Behind, *, whole: bool) -> Iterator[tuple[str, str]]:
    """A heading and a paragraph at a time; a heading of "" goes on with the one before."""
    for key in entry.listed("keys") if whole else ():
        yield "", f"{key}: {QUANTITIES[key].words}" if key in QUANTITIES else key
    for name in ("formula", "fooled by"):
        yield name, entry.line(name).replace("`", "")
    if entry.kind != TERM:
        yield from _trials(behind, None if whole else FEW)
    yield from (
        (heading, f"{command}  {about}".strip())
        for heading, (command, about) in zip(
            ("type", *[""] * len(entry.commands)), entry.commands, strict=False
        )
    )
    if not whole:
        yield "more", f"gatemark explain {entry.word} --all"


def unlinked(text: str) -> str:
    """Return Markdown with each link as its words and what to explain instead, without comments."""
    return LINK.sub(lambda link: link[1] + _instead(link[1], link[2]), COMMENT.sub("", text))


def _instead(shown: str, target: str) -> str:
    if "://" in target:
        return f" <{target}>"
    page = target.partition("#")[0].rpartition("/")[2]
    word = page.removesuffix(".md")
    if f"{GUIDES}/{page}" in guides() and page not in shown:
        return f" [explain {GUIDES}/{page}]"
    return f" [explain {word}]" if plain(word) in words() and plain(word) != plain(shown) else ""


def _trials(behind: Behind, most: int | None) -> Iterator[tuple[str, str]]:
    """The trials of the newest run, point by point."""
    heading = "newest run"
    if not behind.run:
        yield heading, NO_RUN
        return
    if not behind.samples:
        yield heading, f"{behind.run}: none of its trials is about this"
        return
    yield heading, f"{behind.run}: {counted(behind)}"
    for sample in behind.samples[:most]:
        yield "", f"{where(sample)}: {value(sample, behind.quantity)}".removesuffix(": ")
        yield "", f"  {named(sample, most)}"
    if most is not None and behind.points > most:
        yield "", f"and {behind.points - most} more: --all"


def counted(behind: Behind) -> str:
    """What was measured, at how many points: `delay_p50_ns at 16 points`."""
    at, what = ("in", "sweep") if behind.samples[0].along else ("at", "point")
    points = f"{behind.points} {what}{'' if behind.points == 1 else 's'}"
    return f"{behind.quantity} {at} {points}" if behind.quantity else points


def named(sample: Sample, most: int | None) -> str:
    """How many trials, and their names: `6 trials: quick/sweep/nat/up/3…8/outside`."""
    every = names(sample)
    if most is not None and len(every) > most:
        every = [*every[:most], f"and {len(every) - most} more"]
    return f"{len(sample.trials)} trials: {', '.join(every) or 'none that counts'}"


def where(sample: Sample) -> str:
    """An arm at a point: `route, direction up, rate_pps 20000`."""
    return ", ".join([sample.arm, *(f"{name} {level}" for name, level in sample.point.items())])


def data(entry: Entry, behind: Behind) -> dict[str, Any]:
    """The same as one JSON object."""
    return {
        "word": entry.word,
        "kind": entry.kind,
        "title": entry.title,
        "unit": entry.line("unit"),
        "also": entry.listed("also"),
        "keys": entry.listed("keys"),
        "formula": entry.line("formula"),
        "fooled_by": entry.line("fooled by"),
        "type": [command for command, _ in entry.commands],
        "run": behind.run,
        "quantity": behind.quantity,
        "points": [
            {"plan": sample.plan, "arm": sample.arm, "point": dict(sample.point)}
            | {"along": sample.along, "levels": list(sample.levels)}
            | {"values": list(sample.values), "trials": list(sample.trials), "why": sample.why}
            for sample in behind.samples
        ],
        "text": entry.text,
    }
